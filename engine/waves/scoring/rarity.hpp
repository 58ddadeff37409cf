#pragma once

#include "engine/waves/search/pattern.hpp"

#include <array>

namespace plimsoll::waves {

// How rare a score is on random walks. Scores of different patterns are not comparable: zigzags
// reach 0.9 where impulses hardly reach 0.8. Rarities are: -ln(e), where e is the mean number of
// counts with the same pattern, direction and number of finished waves, and at least this score, in
// a random walk of the same length searched from every bar. 0: one per walk; 3: one in twenty
// walks; below 0: several per walk.
//
// Taken from a table measured on random walks with the standard mode's default weights. The
// distribution of scores hardly depends on the length of a walk and on whether bars have a high and
// a low; the number of counts does, and comes from a table by length.
class Rarity {
  public:
    // Without a table: counts are ranked by their scores.
    Rarity() = default;
    // `bars` of the series, `window` <= bars of one search, both at least 1. `close_only`: bars
    // have no high and low.
    Rarity(double bars, double window, bool close_only);

    bool known() const { return known_; }
    // The ranking key: the rarity where it is known, else the score. Increases with the score.
    double standing(Shape shape, int waves, double score) const;
    // A lower bound of the scores that reach this standing in the pattern.
    double min_score(Shape shape, int waves, double standing) const;

  private:
    static constexpr int kMinWaves = 2;
    static constexpr int kWaveNumbers = kMaxWaves - kMinWaves + 1;

    bool known_ = false;
    // ln of the number of counts in a walk, whatever their score.
    std::array<std::array<double, kWaveNumbers>, kShapes> counts_{};
};

// The number of counts that the rarity stands for.
double expected_counts(double rarity);

}  // namespace plimsoll::waves
