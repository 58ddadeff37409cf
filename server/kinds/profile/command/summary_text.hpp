#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::profile {

// A report's summary for a terminal: the guide's block for each model, with the recommended batch,
// and the device's own rates as a table of this many columns (0: unlimited).
std::string summary_text(const nlohmann::json& summary, std::size_t width);

}  // namespace plimsoll::jobs::profile
