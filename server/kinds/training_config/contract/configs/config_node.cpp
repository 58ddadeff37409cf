#include "server/kinds/training_config/contract/configs/config_node.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

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

bool ends_open(std::string_view value) {
    int open = 0;
    char quote = 0;
    for (const char c : value) {
        if (quote != 0) {
            if (c == quote) quote = 0;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '#') {
            break;
        } else {
            open += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        }
    }
    return open > 0;
}

std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == text.npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t\r") + 1 - first));
}

// "[training]" or "[a.b]" alone in a line; in YAML it would be a list before something else.
std::string section_of(const std::string& line) {
    const auto end = line.find(']');
    if (!line.starts_with('[') || end == line.npos) return {};
    const auto rest = trimmed(std::string_view(line).substr(end + 1));
    const auto name = line.substr(1, end - 1);
    const bool is_name = std::ranges::all_of(name, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
    });
    return is_name && (rest.empty() || rest.starts_with('#')) ? name : std::string();
}

// TOML parts the digits of large numbers: 8_192.
std::string without_parts(std::string value) {
    const auto text = trimmed(value.substr(0, value.find('#')));
    if (text.find_first_not_of("0123456789_.+-eE") != text.npos) return value;
    std::erase(value, '_');
    return value;
}

// As launchers' files use it: sections of keys with values, which but for their "=" are YAML.
Result<YAML::Node> parse_toml(std::string_view text) {
    YAML::Node root(YAML::NodeType::Map);
    YAML::Node section = root;
    std::istringstream lines{std::string(text)};
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        line = trimmed(line);
        if (line.empty() || line.front() == '#') continue;
        if (const auto name = section_of(line); !name.empty()) {
            section.reset(root);
            std::istringstream parts(name);
            for (std::string part; std::getline(parts, part, '.');) section.reset(section[part]);
            continue;
        }
        const auto wrong = [&](const char* what) {
            return fail(Errc::invalid_input,
                        fmt::format("This is no TOML that is read: line {}: {}.", number, what));
        };
        const auto equals = line.find('=');
        if (equals == line.npos || line.front() == '[')
            return wrong("neither a section nor KEY = VALUE");
        const auto key = trimmed(line.substr(0, equals));
        auto value = line.substr(equals + 1);
        if (ends_open(value)) value.resize(std::min(value.find('#'), value.size()));
        for (std::string more; ends_open(value) && std::getline(lines, more); ++number)
            value += " " + more.substr(0, more.find('#'));
        if (value.find("\"\"\"") != value.npos || trimmed(value).starts_with("{"))
            return wrong("texts of several lines and tables in braces are not read");
        try {
            section[key] = YAML::Load(without_parts(value));
        } catch (const YAML::Exception& error) {
            return wrong(error.msg.c_str());
        }
    }
    return root;
}

}  // namespace

std::string without_comments(std::string_view text) {
    std::string out(text);
    if (!trimmed(text).starts_with('{')) return out;
    bool quoted = false;
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (quoted && out[i] == '\\')
            ++i;
        else if (out[i] == '"')
            quoted = !quoted;
        const auto begins = quoted ? std::string_view() : std::string_view(out).substr(i, 2);
        if (begins != "//" && begins != "/*") continue;
        auto end = begins == "//" ? out.find('\n', i) : out.find("*/", i + 2);
        end = end == out.npos ? out.size() : end + (begins == "//" ? 0 : 2);
        for (; i < end; ++i)
            if (out[i] != '\n') out[i] = ' ';
    }
    return out;
}

bool is_toml(std::string_view text) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        line = trimmed(line);
        if (line.empty() || line.front() == '#') continue;
        const auto section = section_of(line);
        if (section.empty()) return false;
        while (std::getline(lines, line) && trimmed(line).empty()) {
        }
        return lines && (line.find('=') != line.npos || !section_of(trimmed(line)).empty() ||
                         trimmed(line).starts_with("#"));
    }
    return false;
}

Path parts_of(const std::string& place) {
    Path path;
    std::size_t from = 0;
    for (auto dot = place.find('.'); dot != place.npos; dot = place.find('.', from)) {
        path.push_back(place.substr(from, dot - from));
        from = dot + 1;
    }
    path.push_back(place.substr(from));
    return path;
}

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
    if (is_toml(text)) return parse_toml(text);
    try {
        return YAML::Load(without_comments(text));
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
