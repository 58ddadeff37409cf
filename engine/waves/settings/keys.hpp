#pragma once

#include "engine/base/result.hpp"
#include "engine/waves/settings/settings.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::waves {

// A setting: name, allowed values and effect.
struct Key {
    std::string_view name;
    std::string_view values;  // "integer 1 to 520", "true or false", ...
    std::string_view help;
    std::string_view no_effect;  // why it is accepted without effect; empty: it has an effect
};
std::span<const Key> all_keys();

// A given key without effect, with the reason: for the report.
struct KeyNote {
    std::string key;
    std::string reason;
};

// Applies the members of a JSON object to the settings. Unknown keys, wrong types and values out of
// range are errors that name the key ("where" is its JSON pointer).
Result<std::vector<KeyNote>> apply_settings(const nlohmann::json& object, Settings& settings);

// "key=value" each, with the value as JSON, or as text if it is not valid JSON. Applied together,
// so their order does not matter; the last of duplicate keys counts.
Result<std::vector<KeyNote>> apply_assignments(std::span<const std::string> assignments,
                                               Settings& settings);

// "default", "high-perf" and "speed": windows of weeks and chosen starts, as in the wave pipeline's
// guide; "whole": every bar of the whole series. Compatible settings use the old rules.
Result<std::vector<KeyNote>> apply_preset(std::string_view name, Settings& settings);
std::span<const std::string_view> preset_names();

}  // namespace plimsoll::waves
