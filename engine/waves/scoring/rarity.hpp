#pragma once

#include "engine/waves/search/pattern.hpp"

#include <array>

namespace plimsoll::waves {

// How rare a score is on random walks. A high score is worth more in one pattern than in another:
// zigzags reach 0.9 where impulses hardly reach 0.8, so scores of different patterns do not
// compare. Their rarities do: -ln(e), where a random walk of as many bars, searched from every bar,
// holds e counts of the same pattern, direction and number of finished waves on average that score
// at least as high. 0: one a walk; 3: one in twenty walks; below 0: several a walk.
//
// Read off a table that was measured on random walks with the standard mode's own weights. How
// scores are spread hardly depends on the bars of a walk and on whether they have a high and a low;
// how many counts there are does, and comes from a table by length.
class Rarity {
  public:
    // Knows none: counts are ranked by their scores.
    Rarity() = default;
    // `bars` of the series, `window` at most as many of one search, both at least 1. `close_only`:
    // no bar has a height.
    Rarity(double bars, double window, bool close_only);

    bool known() const { return known_; }
    // What rankings order by: the rarity where it is known, else the score. Rises with the score.
    double standing(Shape shape, int waves, double score) const;
    // A score below which no count of the pattern stands so high.
    double least_score(Shape shape, int waves, double standing) const;

  private:
    static constexpr int kFewestWaves = 2;
    static constexpr int kWaveNumbers = kMaxWaves - kFewestWaves + 1;

    bool known_ = false;
    // ln of how many counts a walk holds whatever their score.
    std::array<std::array<double, kWaveNumbers>, kShapes> counts_{};
};

// The number of counts that the rarity stands for.
double expected_counts(double rarity);

}  // namespace plimsoll::waves
