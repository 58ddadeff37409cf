#pragma once

#include "engine/waves/series/series.hpp"
#include "engine/waves/series/timestamps.hpp"

#include <optional>
#include <string_view>

namespace plimsoll::waves {

// The bar that a number, counted from 0, or a date stands for; dates that name no zone are of
// `zone`. None: no number and no bar's date. Numbers are not checked against the series.
std::optional<std::int32_t> bar_named(const Series& series, std::string_view name,
                                      const Zone& zone);

}  // namespace plimsoll::waves
