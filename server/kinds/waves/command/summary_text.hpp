#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::waves {

// A report's summary for a terminal: the ranking with each best count and its significance, then
// what was searched. `width` is that of its table (0: unlimited).
std::string summary_text(const nlohmann::json& summary, std::size_t width);

}  // namespace plimsoll::jobs::waves
