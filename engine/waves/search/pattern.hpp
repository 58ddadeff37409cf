#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

// How patterns are written down: as data that the search compiles into loops, that scoring reads
// margins from, and that explains to people why a count holds or fails. A pattern is written as if
// it began with a rise; falling ones are found on the mirrored series.
namespace plimsoll::waves {

inline constexpr int kMaxWaves = 5;

// What can be measured once the ends of the first waves are known. End 0 is the start.
enum class Quantity : std::uint8_t {
    length,              // of wave n: the price it covers, positive
    bars,                // of wave n: how long it takes
    price,               // at end n
    bar,                 // index of end n
    breach,              // the first bar that goes beyond the price of end n
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
            case Quantity::shorter_of_1_and_5:
                return 5;
            case Quantity::slope_1_3:
                return 3;
            case Quantity::slope_2_4:
                return 4;
            default:
                return wave;
        }
    }
    constexpr bool operator==(const Term&) const = default;
};

enum class Relation : std::uint8_t { above, at_least };

// left > right, or left >= right.
struct Rule {
    std::string_view name;  // short and stable, for programs
    std::string_view text;  // for people, of a rising pattern
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

// How many waves a finished count has.
constexpr int waves_of(Shape shape) {
    return shape == Shape::impulse || shape == Shape::leading_diagonal ? 5 : 3;
}

inline constexpr int kMaxRules = 24;

struct Pattern {
    Shape shape = Shape::impulse;
    int waves = 0;
    int open_from = 0;  // unfinished counts are reported from so many finished waves on; 0: never
    std::array<Rule, kMaxRules> rules{};
    int rule_count = 0;
};

// A limit on the skipping of swings: a rise may not be undercut on its way, a fall not overshot.
enum class Guard : std::uint8_t {
    none,
    when_skipping,  // the shortest wave is exempt
    always,
};

// Patterns that are searched together because they begin alike.
template <std::size_t N>
struct Family {
    std::array<Pattern, N> patterns;
    Guard rises = Guard::none;  // of waves 1, 3 and 5
    Guard falls = Guard::none;  // of waves 2 and 4
    bool swing_start = false;   // only bars whose low is not above the bar's before
};

template <std::size_t R>
constexpr Pattern make_pattern(Shape shape, int waves, int open_from,
                               const std::array<Rule, R>& rules) {
    static_assert(R <= kMaxRules);
    Pattern pattern{shape, waves, open_from, {}, static_cast<int>(R)};
    std::copy(rules.begin(), rules.end(), pattern.rules.begin());
    return pattern;
}

std::string_view to_string(Shape shape);
// "1" to "5" or "A" to "C"; end 0 is "0".
std::string end_label(Shape shape, int end);

}  // namespace plimsoll::waves
