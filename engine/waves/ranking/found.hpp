#pragma once

#include "engine/waves/search/pattern.hpp"

#include <array>
#include <cstdint>
#include <tuple>

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

}  // namespace plimsoll::waves
