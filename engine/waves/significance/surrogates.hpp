#pragma once

#include "engine/waves/series/series.hpp"
#include "engine/waves/settings/settings.hpp"
#include "engine/waves/significance/random.hpp"

namespace plimsoll::waves {

// Makes chance series that resemble a given one except for its order:
// - shuffle: the same bars, each relative to the close before it, in random order. Exact for the
//   hypothesis that bars are exchangeable, as in any random walk.
// - block_bootstrap: blocks of one length in random order, each once: repeated blocks would make
// perfect ratios. Every chance series has the same blocks, and the bars before the first whole one
// stay in front: so series and chance series are exchangeable, and p is exact if blocks are
// exchangeable. Preserves calm and volatile stretches.
// - random_walk: normal log returns of the same mean and deviation, with shapes of bars drawn from
//   the series.
// Prices are rounded to as many decimals as the series has, up to six, since equal prices matter.
class SurrogateMaker {
  public:
    // The series has at least two bars. `block_bars` 0: the cube root of their number.
    SurrogateMaker(const Series& series, SurrogateMethod method, int block_bars);

    // Fills `into`, reusing its memory, except for times and symbol.
    void make(Random random, Series& into) const;

  private:
    struct Step {  // a bar relative to the previous close
        double open, high, low, close;
    };
    struct Shape {  // a bar relative to its open and close
        double gap, upper, lower;
    };

    void append(Series& into, const Step& step) const;
    double rounded(double price) const;

    SurrogateMethod method_;
    bool close_only_;
    double first_open_, first_high_, first_low_, first_close_;
    std::vector<Step> steps_;
    std::vector<Shape> shapes_;  // random_walk only
    double mean_ = 0;
    double deviation_ = 0;
    std::size_t block_ = 1;  // bars; at most half the series
    double scale_ = 0;       // 10^decimals; 0: not rounded
};

}  // namespace plimsoll::waves
