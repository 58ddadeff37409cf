#pragma once

#include "engine/waves/report/follower.hpp"

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::waves::output {

// The changes and the cost of one bar; `report` is the state after it.
nlohmann::json step_json(const SymbolReport& report, const FollowStep& step);
std::string step_text(const SymbolReport& report, const FollowStep& step);

// The report of a followed symbol in the form of symbol_json(), without the fields that following
// does not compute.
nlohmann::json followed_json(const SymbolReport& report);

}  // namespace plimsoll::waves::output
