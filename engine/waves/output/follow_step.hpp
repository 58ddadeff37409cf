#pragma once

#include "engine/waves/report/follower.hpp"

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::waves::output {

// What a bar changed and what it cost; `report` as it stands after the bar.
nlohmann::json step_json(const SymbolReport& report, const FollowStep& step);
std::string step_text(const SymbolReport& report, const FollowStep& step);

// The report of a followed symbol as symbol_json() writes it, as far as following knows it.
nlohmann::json followed_json(const SymbolReport& report);

}  // namespace plimsoll::waves::output
