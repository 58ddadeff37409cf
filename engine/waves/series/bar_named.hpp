#pragma once

#include "engine/waves/series/series.hpp"

#include <optional>
#include <string_view>

namespace plimsoll::waves {

// The index of the bar given by a number, counted from 0, or a date; dates without a zone are in
// the series' zone. None: neither a number nor a bar's date. Numbers are not checked against the
// series.
std::optional<std::int32_t> bar_named(const Series& series, std::string_view name);

}  // namespace plimsoll::waves
