#pragma once

#include <string>
#include <vector>

#include <yaml-cpp/yaml.h>

// Reading a parsed configuration by place, without creating missing nodes.
namespace plimsoll::jobs::training_config {

using Path = std::vector<std::string>;

// For a const node: the member, or nothing. A non-const node would get the member.
inline const YAML::Node member(const YAML::Node& node, const std::string& name) {
    return node.IsMap() ? node[name] : YAML::Node(YAML::NodeType::Undefined);
}

inline YAML::Node at(const YAML::Node& root, const Path& path) {
    YAML::Node node = root;
    for (const auto& name : path) {
        const YAML::Node next = member(node, name);
        if (!next.IsDefined()) return YAML::Node(YAML::NodeType::Undefined);
        node.reset(next);
    }
    return node;
}

inline bool has(const YAML::Node& root, const Path& path) {
    return at(root, path).IsDefined();
}

inline Path joined(Path path, const std::string& name) {
    path.push_back(name);
    return path;
}

}  // namespace plimsoll::jobs::training_config
