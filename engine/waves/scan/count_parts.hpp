#pragma once

#include "engine/waves/ranking/rank.hpp"
#include "engine/waves/scoring/parts.hpp"
#include "engine/waves/search/path.hpp"
#include "engine/waves/settings/settings.hpp"

#include <vector>

namespace plimsoll::waves {

// The pattern of a shape in this mode; null if the mode does not define it.
const Pattern* find_pattern(Shape shape, bool rising, Mode mode);

// The guard of the wave with this number, in patterns of this direction.
Guard guard_of(int wave, bool rising, Mode mode);

// The ends of a count on its pattern's side of the table.
Path path_of(const BarTable& table, const Found& found);

// The number of smaller swings that each wave of a count skips; -1 for a wave in no chain of ends.
std::vector<int> skips_of(const Path& path, int waves);

// The score parts of a finished or unfinished count, with the same values as in the search.
Parts count_parts(const BarTable& table, const Found& found, Mode mode);

}  // namespace plimsoll::waves
