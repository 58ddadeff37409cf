#pragma once

#include "engine/waves/series/series.hpp"
#include "engine/waves/settings/settings.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace plimsoll::waves {

// Random numbers that are equal on every machine and for any split of the work: SplitMix64 (Steele,
// Lea and Flood, OOPSLA 2014). One generator per surrogate, seeded by its symbol and number.
class Random {
  public:
    Random(std::uint64_t seed, std::string_view symbol, std::uint64_t number)
        : state_(mixed(mixed(seed) ^ hash(symbol)) ^ mixed(number + kStep)) {}

    std::uint64_t bits() { return mixed(state_ += kStep); }
    // 0 <= x < 1, a multiple of 2^-53.
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    // 0 <= x < count. The bias of the product is below count / 2^64.
    std::uint64_t below(std::uint64_t count) {
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits()) * count) >> 64);
    }
    // Standard normal (Box and Muller); one of the pair is discarded to keep no state.
    double normal() {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

  private:
    static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;

    static constexpr std::uint64_t mixed(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    static constexpr std::uint64_t hash(std::string_view text) {  // FNV-1a
        std::uint64_t h = 0xcbf29ce484222325;
        for (char c : text) h = (h ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
        return h;
    }

    std::uint64_t state_;
};

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
