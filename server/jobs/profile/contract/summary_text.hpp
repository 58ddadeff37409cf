#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::profile {

// A report's summary for a terminal: the block of the guide for each model, with the recommended
// batch, and the device's own rates as a table of so many columns (0: any).
std::string summary_text(const nlohmann::json& summary, std::size_t width);

}  // namespace plimsoll::jobs::profile
