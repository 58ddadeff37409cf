#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

// The summary of a report on scored texts, with tables of this many columns (0: unlimited).
std::string scored_text(const nlohmann::json& summary, std::size_t width);

}  // namespace plimsoll::jobs::sentiment
