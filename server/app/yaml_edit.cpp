#include "server/app/yaml_edit.hpp"

#include <algorithm>

#include <yaml-cpp/yaml.h>

namespace plimsoll::app {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

struct Found {
    std::size_t begin = 0;  // the value's characters, without quotes
    std::size_t size = 0;
    YamlChange change;
};

// The characters of a scalar that begins at `at`, or nothing where they are not simply its value.
std::string_view written(std::string_view text, std::size_t at, const std::string& value) {
    if (at >= text.size()) return {};
    const char quote = text[at];
    if (quote == '"' || quote == '\'') ++at;
    const auto piece = text.substr(at, value.size());
    const bool closed = (quote != '"' && quote != '\'') ||
                        (at + value.size() < text.size() && text[at + value.size()] == quote);
    return piece == value && closed ? piece : std::string_view{};
}

void find_values(const YAML::Node& node, std::string_view text, const Values& values,
                 std::vector<Found>& found) {
    if (node.IsSequence()) {
        for (const auto& item : node) find_values(item, text, values, found);
        return;
    }
    if (!node.IsMap()) return;
    for (const auto& member : node) {
        if (!member.second.IsScalar()) {
            find_values(member.second, text, values, found);
            continue;
        }
        const auto wanted = values.find(member.first.Scalar());
        const auto& before = member.second.Scalar();
        if (wanted == values.end() || wanted->second == before || before.empty()) continue;
        const auto mark = member.second.Mark();
        const auto piece = written(text, static_cast<std::size_t>(mark.pos), before);
        if (piece.empty()) continue;
        found.push_back({static_cast<std::size_t>(piece.data() - text.data()),
                         piece.size(),
                         {mark.line + 1, wanted->first, before, wanted->second}});
    }
}

}  // namespace

Result<YamlEdit> edit_yaml(std::string_view text, const Values& values) {
    std::vector<Found> found;
    try {
        for (const auto& document : YAML::LoadAll(std::string(text))) {
            find_values(document, text, values, found);
        }
    } catch (const YAML::Exception& error) {
        return fail(Errc::invalid_input, std::string("This is no YAML: ") + error.what());
    }
    std::ranges::sort(found, {}, &Found::begin);
    YamlEdit edit;
    std::size_t copied = 0;
    for (auto& value : found) {
        if (value.begin < copied) continue;  // an alias shows the same characters twice
        edit.text.append(text, copied, value.begin - copied);
        edit.text += value.change.after;
        copied = value.begin + value.size;
        edit.changes.push_back(std::move(value.change));
    }
    edit.text.append(text, copied);
    return edit;
}

}  // namespace plimsoll::app
