#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::terminal {

// "workload.epochs=5" sets a nested member: valid JSON is JSON, all else is text.
// Errc::invalid_input: no path, or one that leads into a value without members.
Result<void> assign(nlohmann::json& args, const std::string& setting);

// "member=column", repeated, as an object. Errc::invalid_input: there is no =, or a side is empty.
Result<nlohmann::json> column_args(const std::vector<std::string>& columns);

}  // namespace plimsoll::terminal
