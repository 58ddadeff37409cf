#pragma once

#include "engine/waves/ranking/found.hpp"

#include <span>
#include <vector>

namespace plimsoll::waves {

// A count that made it into the ranking, with the best of those it displaced.
struct Ranked {
    Found count;
    std::vector<Found> alternates;  // best first
};

// Bars that two spans share, over those that they cover together: 0 apart, 1 the same.
double overlap(const Found& a, const Found& b);

// Goes from the best candidate down and keeps those that overlap no better kept one by more than
// `max_overlap`; the others are displaced by the first kept one they overlap. Best first, at most
// `most`; each keeps the best of what it displaced. Candidates must be in order, see better().
std::vector<Ranked> rank(std::span<const Found> candidates, std::size_t most, double max_overlap,
                         std::size_t alternates);

}  // namespace plimsoll::waves
