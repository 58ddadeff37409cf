#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::waves {

// A report's summary for a terminal: the ranking with what each best count says and is worth, then
// what was searched.
std::string summary_text(const nlohmann::json& summary);

}  // namespace plimsoll::jobs::waves
