#pragma once

#include "engine/base/words.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

// Patterns as data: the search compiles them into loops, scoring computes margins from them, and
// reports explain with them why a count holds or fails. A pattern is defined as if it began with a
// rise; falling ones are found on the mirrored series.
namespace plimsoll::waves {

inline constexpr int kMaxWaves = 5;

// Quantities that can be measured once the ends of the first waves are known. End 0 is the start.
enum class Quantity : std::uint8_t {
    length,              // of wave n: its price range, positive
    bars,                // of wave n: its duration
    price,               // at end n
    bar,                 // index of end n
    breach,              // the first bar that exceeds the price of end n
    shorter_of_1_and_5,  // length
    slope_1_3,           // of the line through ends 1 and 3, price per bar
    slope_2_4,
};

struct Term {
    Quantity quantity = Quantity::length;
    int wave = 0;
    double factor = 1;   // positive; only of lengths and bars
    double divisor = 1;  // likewise

    // The wave whose end must be known before the term can be measured.
    constexpr int depth() const {
        switch (quantity) {
            case Quantity::shorter_of_1_and_5: return 5;
            case Quantity::slope_1_3: return 3;
            case Quantity::slope_2_4: return 4;
            default: return wave;
        }
    }
    constexpr bool operator==(const Term&) const = default;
};

enum class Relation : std::uint8_t { above, at_least };

// left > right, or left >= right.
struct Rule {
    std::string_view name;  // short and stable identifier
    std::string_view text;  // a sentence about a rising pattern
    Term left;
    Relation relation = Relation::above;
    Term right;

    constexpr int depth() const { return std::max(left.depth(), right.depth()); }
    constexpr bool operator==(const Rule& other) const {
        return left == other.left && relation == other.relation && right == other.right;
    }
};

enum class Shape : std::uint8_t {
    impulse,
    leading_diagonal,
    corrective,  // the one correction of the compatible mode, a zigzag
    zigzag,
    flat_regular,
    flat_expanded,
    flat_running,
};
inline constexpr int kShapes = 7;

// The number of waves of a finished count.
constexpr int waves_of(Shape shape) {
    return shape == Shape::impulse || shape == Shape::leading_diagonal ? 5 : 3;
}

inline constexpr int kMaxRules = 24;

struct Pattern {
    Shape shape = Shape::impulse;
    int waves = 0;
    int open_from = 0;  // minimum number of finished waves of reported unfinished counts; 0: never
    std::array<Rule, kMaxRules> rules{};
    int rule_count = 0;
};

// A limit on skipping swings: a rise must not be undercut on its way, a fall not be overshot. The
// way ends before the wave's last bar: a bar does not say whether its low came before or after its
// high, and what comes after the high belongs to the next wave, which starts in the same bar.
enum class Guard : std::uint8_t {
    none,
    when_skipping,  // the shortest wave is exempt
    always,
};

// Patterns that share their first rules and are searched together.
template <std::size_t N>
struct Family {
    std::array<Pattern, N> patterns;
    Guard rises = Guard::none;  // of waves 1, 3 and 5
    Guard falls = Guard::none;  // of waves 2 and 4
    bool swing_start = false;   // starts only at bars whose low is not above the previous bar's
};

template <std::size_t R>
constexpr Pattern make_pattern(Shape shape, int waves, int open_from,
                               const std::array<Rule, R>& rules) {
    static_assert(R <= kMaxRules);
    Pattern pattern{shape, waves, open_from, {}, static_cast<int>(R)};
    std::copy(rules.begin(), rules.end(), pattern.rules.begin());
    return pattern;
}

using plimsoll::to_string;
inline constexpr Word<Shape> kShapeNames[] = {
    {"impulse", Shape::impulse},           {"leading_diagonal", Shape::leading_diagonal},
    {"corrective", Shape::corrective},     {"zigzag", Shape::zigzag},
    {"flat_regular", Shape::flat_regular}, {"flat_expanded", Shape::flat_expanded},
    {"flat_running", Shape::flat_running}};
constexpr std::span<const Word<Shape>> words_of(Shape) { return kShapeNames; }
// "1" to "5" or "A" to "C"; end 0 is "0".
std::string end_label(Shape shape, int end);

}  // namespace plimsoll::waves
