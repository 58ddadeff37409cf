#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::terminal {

// "workload.epochs=5" sets a nested member: valid JSON is JSON, all else is text.
// Errc::invalid_input: no path, or one that leads into a value without members.
Result<void> assign(nlohmann::json& args, const std::string& setting);

// The same for all of a command line. Errc::invalid_input also when two set the same member.
Result<void> assign_all(nlohmann::json& args, const std::vector<std::string>& settings);

// The refusal of a "member=column" whose member already has a column, by the flag of the member.
Error given_twice(const std::string& column);

// "member=column", repeated, as an object. Errc::invalid_input: there is no =, a side is empty,
// or a member or a kept column is there twice.
Result<nlohmann::json> column_args(const std::vector<std::string>& columns);

}  // namespace plimsoll::terminal
