#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

// The member `compared` of a report's summary, with tables of this many columns (0: unlimited).
std::string compared_text(const nlohmann::json& compared, std::size_t width);

}  // namespace plimsoll::jobs::sentiment
