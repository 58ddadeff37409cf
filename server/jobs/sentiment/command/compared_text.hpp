#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

// A report's summary for a terminal where it compares models; empty for others, whose members are
// shown as they are.
std::string summary_text(const nlohmann::json& summary);

}  // namespace plimsoll::jobs::sentiment
