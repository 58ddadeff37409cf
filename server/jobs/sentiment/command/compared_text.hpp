#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

// A report's summary with tables of this many columns (0: unlimited), if it compares models; empty
// for others, whose members are shown as they are.
std::string summary_text(const nlohmann::json& summary, std::size_t width);

}  // namespace plimsoll::jobs::sentiment
