#pragma once

#include "engine/waves/search/pattern.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

namespace plimsoll::waves {

// A count that a search found. Bars are indices into the series.
struct Found {
    double score = 0;
    double standing = 0;  // the ranking key: the rarity where it is known, else the score
    std::array<std::int32_t, kMaxWaves + 1> at{};  // 0 is the start; waves + 1 are used
    std::int32_t window_begin = 0;                 // the first window it was found in
    std::int32_t window_end = 0;
    Shape shape = Shape::impulse;
    bool rising = true;
    std::uint8_t waves = 0;  // finished ones

    std::int32_t begin() const { return at[0]; }
    std::int32_t end() const { return at[waves]; }
    bool same_count(const Found& other) const {
        return at == other.at && shape == other.shape && rising == other.rising &&
               waves == other.waves;
    }
};

// The order of all rankings: by higher standing, then later end, then tie-breakers that make it
// total. A function object, so that sorting inlines it.
inline constexpr auto better = [](const Found& a, const Found& b) {
    if (a.standing != b.standing) return a.standing > b.standing;
    if (a.end() != b.end()) return a.end() > b.end();
    return std::tie(a.at, a.shape, a.rising, a.waves, a.window_begin) <
           std::tie(b.at, b.shape, b.rising, b.waves, b.window_begin);
};

// The best counts of a search, without duplicates from overlapping windows. Exact: the result does
// not depend on the order of insertion. Memory: twice the capacity.
class Pool {
  public:
    // `repeats`: the same count may be added more than once.
    Pool(std::size_t capacity, bool repeats);

    // Counts of lower standing are rejected; below every standing while the pool has room.
    double threshold() const { return last_.standing; }
    void add(const Found& found) {
        if (!better(found, last_)) return;
        items_.push_back(found);
        if (items_.size() >= 2 * capacity_) compact();
    }
    // Best first; the pool is empty afterwards.
    std::vector<Found> take();
    // Whether a count may have been dropped: the pool was full once.
    bool overflowed() const { return overflowed_; }

  private:
    void compact();
    void sort_out();

    std::size_t capacity_;
    bool repeats_;
    std::vector<Found> items_;
    Found last_{.standing = -std::numeric_limits<double>::infinity()};  // the worst of a full pool
    bool overflowed_ = false;
};

// A ranked count with the best counts that it displaced.
struct Ranked {
    Found count;
    std::vector<Found> alternates;  // best first
};

// Intersection over union of two spans of bars: 0 disjoint, 1 equal.
double overlap(const Found& a, const Found& b);

// Greedy selection from the best candidate down: keeps those that overlap no better kept one by
// more than `max_overlap`; the others are displaced by the first kept one that they overlap.
// Returns at most `max`, best first, each with the best counts it displaced. Candidates must be
// sorted, see better().
std::vector<Ranked> rank(std::span<const Found> candidates, std::size_t max, double max_overlap,
                         std::size_t alternates);

}  // namespace plimsoll::waves
