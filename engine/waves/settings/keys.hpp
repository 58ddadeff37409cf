#pragma once

#include "engine/base/result.hpp"
#include "engine/waves/settings/settings.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::waves {

// A setting as people write it: name, what values it takes, what it does.
struct Key {
    std::string_view name;
    std::string_view values;  // "integer 1 to 520", "true or false", ...
    std::string_view help;
    std::string_view no_effect;  // why it is accepted and changes nothing; empty: it acts
};
std::span<const Key> all_keys();

// A key that was given and changes nothing, with the reason: for the report.
struct KeyNote {
    std::string key;
    std::string reason;
};

// Takes the members of a JSON object over into the settings. Unknown keys, other types and values
// out of range are errors that name the key ("where" is its JSON pointer).
Result<std::vector<KeyNote>> apply_settings(const nlohmann::json& object, Settings& settings);

// "key=value" each, with the value as JSON, or as text where it is none. Applied together, so that
// their order says nothing; of a key that is there twice the last counts.
Result<std::vector<KeyNote>> apply_assignments(std::span<const std::string> assignments,
                                               Settings& settings);

// "default", "high-perf" and "speed": windows of weeks and chosen starts, as in the wave pipeline's
// guide; "whole": every bar of the whole series. Compatible settings keep to the old rules.
Result<std::vector<KeyNote>> apply_preset(std::string_view name, Settings& settings);
std::span<const std::string_view> preset_names();

}  // namespace plimsoll::waves
