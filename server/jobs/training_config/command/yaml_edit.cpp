#include "server/jobs/training_config/command/yaml_edit.hpp"

#include <algorithm>

#include <yaml-cpp/yaml.h>

namespace plimsoll::jobs::training_config {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

struct Found {
    std::size_t begin = 0;  // the value's characters, without quotes
    std::size_t size = 0;
    YamlChange change;
};

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // yaml-cpp counts from behind it

// Behind an anchor and a tag: "&name", "!!float".
std::size_t past_properties(std::string_view text, std::size_t at) {
    while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
        at = text.find_first_of(" \t\r\n", at);
        if (at != std::string_view::npos) at = text.find_first_not_of(" \t\r\n", at);
    }
    return at;
}

// The characters of a scalar that begins at `at`, or nothing where they are not simply its value.
std::string_view written(std::string_view text, std::size_t at, const std::string& value) {
    at = past_properties(text, at);
    if (at >= text.size()) return {};
    const char quote = text[at];
    if (quote == '"' || quote == '\'') ++at;
    const auto piece = text.substr(at, value.size());
    const bool closed = (quote != '"' && quote != '\'') ||
                        (at + value.size() < text.size() && text[at + value.size()] == quote);
    return piece == value && closed ? piece : std::string_view{};
}

// Why a value is not replaced; empty if it is. `key` and `value` are their places in the text.
std::string why_left(const std::string& before, int key, int value, std::string_view piece) {
    if (value < key) return "it stands behind an alias";
    if (before.find("${") != std::string::npos) return "it is an interpolation";
    return piece.empty() ? "its text is not simply its value" : "";
}

struct Search {
    std::vector<Found> found;
    std::vector<YamlLeft> left;
};

void find_values(const YAML::Node& node, std::string_view text, const Values& values,
                 Search& search) {
    if (node.IsSequence()) {
        for (const auto& item : node) find_values(item, text, values, search);
        return;
    }
    if (!node.IsMap()) return;
    for (const auto& member : node) {
        if (member.second.IsMap() || member.second.IsSequence()) {
            find_values(member.second, text, values, search);
            continue;
        }
        if (!member.first.IsScalar()) continue;
        const auto wanted = values.find(member.first.Scalar());
        if (wanted == values.end()) continue;
        const auto key = member.first.Mark();
        if (!member.second.IsScalar() || member.second.Scalar().empty()) {
            search.left.push_back({key.line + 1, wanted->first, "it is empty"});
            continue;
        }
        const auto& before = member.second.Scalar();
        if (wanted->second == before) continue;
        const auto mark = member.second.Mark();
        const auto piece = written(text, static_cast<std::size_t>(mark.pos), before);
        if (auto why = why_left(before, key.pos, mark.pos, piece); !why.empty()) {
            search.left.push_back({key.line + 1, wanted->first, std::move(why)});
            continue;
        }
        search.found.push_back({static_cast<std::size_t>(piece.data() - text.data()),
                                piece.size(),
                                {mark.line + 1, wanted->first, before, wanted->second}});
    }
}

}  // namespace

Result<YamlEdit> edit_yaml(std::string_view whole, const Values& values) {
    const auto mark = whole.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    const auto text = whole.substr(mark);
    Search search;
    try {
        for (const auto& document : YAML::LoadAll(std::string(text))) {
            find_values(document, text, values, search);
        }
    } catch (const YAML::Exception& error) {
        return fail(Errc::invalid_input, std::string("This is no YAML: ") + error.what());
    }
    std::ranges::sort(search.found, {}, &Found::begin);
    YamlEdit edit;
    edit.text = whole.substr(0, mark);
    edit.left = std::move(search.left);
    std::size_t copied = 0;
    for (auto& value : search.found) {
        if (value.begin < copied) continue;  // an alias shows the same characters twice
        edit.text.append(text, copied, value.begin - copied);
        edit.text += value.change.after;
        copied = value.begin + value.size;
        edit.changes.push_back(std::move(value.change));
    }
    edit.text.append(text, copied);
    return edit;
}

}  // namespace plimsoll::jobs::training_config
