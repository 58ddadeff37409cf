#pragma once

#include "engine/waves/ranking/found.hpp"

#include <span>
#include <vector>

namespace plimsoll::waves {

// A ranked count with the best counts that it displaced.
struct Ranked {
    Found count;
    std::vector<Found> alternates;  // best first
};

// Intersection over union of two spans of bars: 0 disjoint, 1 equal.
double overlap(const Found& a, const Found& b);

// Greedy selection from the best candidate down: keeps those that overlap no better kept one by
// more than `max_overlap`; the others are displaced by the first kept one that they overlap.
// Returns at most `most`, best first, each with the best counts it displaced. Candidates must be
// sorted, see better().
std::vector<Ranked> rank(std::span<const Found> candidates, std::size_t most, double max_overlap,
                         std::size_t alternates);

}  // namespace plimsoll::waves
