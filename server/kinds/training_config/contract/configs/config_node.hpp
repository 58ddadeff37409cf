#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <yaml-cpp/yaml.h>

// Reading a parsed configuration by place, without creating missing nodes.
namespace plimsoll::jobs::training_config {

using Path = std::vector<std::string>;

std::string place_of(const Path& path);  // "trainer.precision"
Path parts_of(const std::string& place);

inline Path joined(Path path, const std::string& name) {
    path.push_back(name);
    return path;
}

// The first document; of TOML, sections of keys. Errors: the text is none of them, and where.
Result<YAML::Node> parse_config(std::string_view text);
bool is_toml(std::string_view text);
// JSON as DeepSpeed reads it, whose comments begin with // or are within /* */; blanks in their
// place keep lines and columns. Other texts are as they were.
std::string without_comments(std::string_view text);
Error unreadable(std::string_view text, const YAML::Exception& error);

// For a const node: the member, or nothing. A non-const node would get the member.
inline const YAML::Node member(const YAML::Node& node, const std::string& name) {
    return node.IsMap() ? node[name] : YAML::Node(YAML::NodeType::Undefined);
}

YAML::Node at(const YAML::Node& root, const Path& path);

inline bool has(const YAML::Node& root, const Path& path) { return at(root, path).IsDefined(); }

// What is written there; empty if it is missing, or not a single value.
std::string word_at(const YAML::Node& root, const Path& path);

template <class Value>
Value scalar_at(const YAML::Node& root, const Path& path, Value otherwise) {
    const auto node = at(root, path);
    Value found{};
    if constexpr (std::is_same_v<Value, bool>)  // Python takes these numbers for them
        if (const auto word = word_at(root, path); word == "1" || word == "0") return word == "1";
    const bool read =
        node.IsDefined() && node.IsScalar() && YAML::convert<Value>::decode(node, found);
    return read ? found : otherwise;
}

}  // namespace plimsoll::jobs::training_config
