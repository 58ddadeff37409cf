#include "engine/base/closest.hpp"
#include "engine/base/json.hpp"
#include "engine/waves/settings/keys.hpp"

#include <string>
#include <vector>

namespace plimsoll::waves {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"whole", "default", "high-perf", "speed"};

// The wave pipeline's own configuration files. `processes` is left to the machine: 30 was right
// for theirs.
json guide_default() {
    return {{"windows", "weeks"},
            {"starts", "points"},
            {"days", 365},
            {"slide_weeks", 1},
            {"min_weeks", 4},
            {"max_weeks", 12},
            {"up_to", 20},
            {"top_n", 10},
            {"max_combinations", 200'000},
            {"max_windows", 500},
            {"enable_multi_start", true},
            {"max_start_points", 5},
            {"window_overlap_ratio", 0.3},
            {"scan_pattern_types", "all"},
            {"profile", true},
            {"save_images", false},
            {"save_images_top_n", 1}};
}

json preset(std::string_view name) {
    if (name == "whole") return json::object();
    json keys = guide_default();
    if (name == "high-perf") {
        keys.update({{"max_combinations", 500'000},
                     {"max_windows", 2000},
                     {"max_start_points", 8},
                     {"window_overlap_ratio", 0.5},
                     {"skip_flat_windows", true},
                     {"pre_score_top_k", 10'000},
                     {"pre_score_threshold", 0.1}});
    } else if (name == "speed") {
        keys.update({{"up_to", 15},
                     {"enable_multi_start", false},
                     {"max_start_points", 1},
                     {"window_overlap_ratio", 0.0},
                     {"scan_pattern_types", "impulses"}});
    }
    return keys;
}

}  // namespace

std::span<const std::string_view> preset_names() { return kNames; }

Result<std::vector<KeyNote>> apply_preset(std::string_view name, Settings& settings) {
    std::string names;
    std::vector<std::string> known;
    for (std::string_view it : kNames) {
        if (it == name) return apply_settings(preset(name), settings);
        names += (names.empty() ? "" : ", ") + std::string(it);
        known.emplace_back(it);
    }
    return fail(Errc::invalid_input,
                "There is no preset \"" + std::string(name) + "\"." + did_you_mean(name, known) +
                    " Valid names: " + names + ".",
                "/preset");
}

Result<json> read_assignments(std::span<const std::string> assignments) {
    json object = json::object();
    for (const std::string& assignment : assignments) {
        const auto equals = assignment.find('=');
        if (equals == 0 || equals == std::string::npos)
            return fail(Errc::invalid_input,
                        "A setting must be key=value, not \"" + assignment + "\".");
        const std::string text = assignment.substr(equals + 1);
        json value = json::parse(text, nullptr, false);
        const std::string key = assignment.substr(0, equals);
        if (object.contains(key))
            return fail(Errc::invalid_input, "The setting " + key + " is given twice.");
        object[key] = value.is_discarded() ? json(text) : std::move(value);
    }
    return object;
}

}  // namespace plimsoll::waves
