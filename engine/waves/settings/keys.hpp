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
    std::string values;  // "integer 1 to 520", "true or false", ...
    std::string_view help;
    std::string_view no_effect;  // why it is accepted without effect; empty: it has an effect
};
std::span<const Key> all_keys();

// A given key without effect, with the reason: for the report.
struct KeyNote {
    std::string key;
    std::string reason;
};

// Applies the members of a JSON object to the settings, together: some keys imply others. Unknown
// keys, wrong types and values out of range are errors that name the key ("where" is its JSON
// pointer).
Result<std::vector<KeyNote>> apply_settings(const nlohmann::json& object, Settings& settings);

// "key=value" each, as an object: the value is JSON, or text if it is not valid JSON. The last of
// duplicate keys counts.
Result<nlohmann::json> read_assignments(std::span<const std::string> assignments);

// "default", "high-perf" and "speed": windows of weeks and chosen starts, as in the wave pipeline's
// guide; "whole": every bar of the whole series. Compatible settings use the old rules.
Result<std::vector<KeyNote>> apply_preset(std::string_view name, Settings& settings);
std::span<const std::string_view> preset_names();

}  // namespace plimsoll::waves
