#pragma once

#include "engine/waves/ranking/found.hpp"
#include "engine/waves/scoring/parts.hpp"
#include "engine/waves/search/path.hpp"
#include "engine/waves/settings/settings.hpp"

#include <vector>

namespace plimsoll::waves {

// The pattern of a shape as the mode defines it; null when the mode does not have it.
const Pattern* find_pattern(Shape shape, bool rising, Mode mode);

// What a wave of this number must keep to on its way, in patterns of this direction.
Guard guard_of(int wave, bool rising, Mode mode);

// The ends of a count on the side of the table that its pattern sees.
Path path_of(const BarTable& table, const Found& found);

// How many smaller swings each wave of a count skips; -1 for a wave that no chain of ends has.
std::vector<int> skips_of(const Path& path, int waves);

// The parts that the score of a count is made of, finished or not: the same values as in the
// search.
Parts count_parts(const BarTable& table, const Found& found, Mode mode);

}  // namespace plimsoll::waves
