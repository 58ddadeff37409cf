#pragma once

#include "engine/waves/series/series.hpp"

#include <optional>
#include <string_view>

namespace plimsoll::waves {

// The bar that a number, counted from 0, or a date stands for; dates that name no zone are of
// the zone that the series tells its times in. None: no number and no bar's date. Numbers are not
// checked against the series.
std::optional<std::int32_t> bar_named(const Series& series, std::string_view name);

}  // namespace plimsoll::waves
