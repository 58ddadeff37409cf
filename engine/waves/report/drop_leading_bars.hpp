#pragma once

#include "engine/waves/series/series.hpp"

namespace plimsoll::waves {

// Removes the first `count` bars (all, if there are fewer).
void drop_leading_bars(std::size_t count, Series& series);

}  // namespace plimsoll::waves
