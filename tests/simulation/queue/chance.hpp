#pragma once

#include <cstdint>

namespace plimsoll::simulation {

// SplitMix64: small, and the same on every machine, so that a seed determines one history.
class Chance {
  public:
    explicit Chance(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        auto z = state_ += 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }

    int below(int n) {
        return static_cast<int>(((next() >> 32U) * static_cast<std::uint64_t>(n)) >> 32U);
    }
    int between(int low, int high) { return low + below(high - low + 1); }
    bool percent(int n) { return below(100) < n; }

  private:
    std::uint64_t state_;
};

}  // namespace plimsoll::simulation
