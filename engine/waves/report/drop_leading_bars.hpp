#pragma once

#include "engine/waves/series/series.hpp"

namespace plimsoll::waves {

// Leaves the bars from `count` on.
void drop_leading_bars(std::size_t count, Series& series);

}  // namespace plimsoll::waves
