#include "server/kinds/training_config/contract/configs/config_node.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plimsoll::jobs::training_config {
namespace {

// The number of the first line with a tab in its indentation; 0: none.
int tabbed_line(std::string_view text) {
    bool indents = true;
    int line = 1;
    for (const char c : text) {
        if (indents && c == '\t') return line;
        if (c == '\n') ++line;
        indents = c == '\n' || (indents && c == ' ');
    }
    return 0;
}

}  // namespace

std::string place_of(const Path& path) { return fmt::format("{}", fmt::join(path, ".")); }

Error unreadable(std::string_view text, const YAML::Exception& error) {
    if (const int line = tabbed_line(text); line > 0)
        return {Errc::invalid_input,
                fmt::format(
                    "Line {} is indented with a tab, which YAML does not allow: use spaces.", line),
                {}};
    return {Errc::invalid_input,
            fmt::format("This is neither YAML nor JSON: line {}, column {}: {}.",
                        error.mark.line + 1, error.mark.column + 1, error.msg),
            {}};
}

Result<YAML::Node> parse_config(std::string_view text) {
    try {
        return YAML::Load(std::string(text));
    } catch (const YAML::Exception& error) {
        return fail(unreadable(text, error));
    }
}

YAML::Node at(const YAML::Node& root, const Path& path) {
    YAML::Node node = root;
    for (const auto& name : path) {
        const YAML::Node next = member(node, name);
        if (!next.IsDefined()) return YAML::Node(YAML::NodeType::Undefined);
        node.reset(next);
    }
    return node;
}

std::string word_at(const YAML::Node& root, const Path& path) {
    const auto node = at(root, path);
    return node.IsDefined() && node.IsScalar() ? node.Scalar() : std::string();
}

}  // namespace plimsoll::jobs::training_config
