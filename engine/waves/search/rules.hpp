#pragma once

#include "engine/waves/search/pattern.hpp"

// The rules of the patterns, each defined once. Texts describe a rising pattern: for a falling one,
// swap "above" and "below".
namespace plimsoll::waves::rules {

constexpr Term length(int wave, double factor = 1, double divisor = 1) {
    return {Quantity::length, wave, factor, divisor};
}
constexpr Term bars(int wave, double factor = 1) { return {Quantity::bars, wave, factor}; }
constexpr Term price(int end) { return {Quantity::price, end}; }
constexpr Term bar(int end) { return {Quantity::bar, end}; }
constexpr Term breach(int end) { return {Quantity::breach, end}; }
constexpr Relation kAbove = Relation::above;
constexpr Relation kAtLeast = Relation::at_least;

// Five waves. The cardinal rules (2 holds the start of 1, 3 is not the shortest, 4 stays out of 1)
// are Elliott's, as in Frost and Prechter, "Elliott Wave Principle" (1978); the proportions keep
// waves of one count within one degree.
constexpr Rule k2HoldsStart{"wave_2_holds_start", "Wave 2 ends above the start of wave 1", price(2),
                            kAbove, price(0)};
constexpr Rule k2Deep{"wave_2_deep_enough", "Wave 2 retraces at least 20 % of wave 1", length(2),
                      kAtLeast, length(1, 0.2)};
constexpr Rule k2Long{"wave_2_lasts", "Wave 2 lasts more than a ninth of wave 1", bars(2, 9),
                      kAbove, bars(1)};
constexpr Rule k3Beyond1{"wave_3_beyond_1", "Wave 3 ends above the end of wave 1", price(3), kAbove,
                         price(1)};
constexpr Rule k3Third{"wave_3_third_of_1", "Wave 3 is at least a third of wave 1", length(3),
                       kAtLeast, length(1, 1, 3)};
constexpr Rule k3Over2{"wave_3_longer_than_2", "Wave 3 is longer than wave 2", length(3), kAbove,
                       length(2)};
constexpr Rule k3Long{"wave_3_lasts", "Wave 3 lasts more than a seventh of wave 1", bars(3, 7),
                      kAbove, bars(1)};
constexpr Rule k2Holds{"end_2_holds", "No bar between ends 2 and 4 lies below end 2", breach(2),
                       kAtLeast, bar(4)};
constexpr Rule k4Clear{"wave_4_clear_of_1", "Wave 4 ends above the end of wave 1", price(4), kAbove,
                       price(1)};
constexpr Rule k4Overlaps{"wave_4_overlaps_1", "Wave 4 ends below the end of wave 1", price(1),
                          kAbove, price(4)};
constexpr Rule k4Deep{"wave_4_third_of_2", "Wave 4 is longer than a third of wave 2", length(4),
                      kAbove, length(2, 1, 3)};
constexpr Rule k4Shallow{"wave_4_shorter_than_2", "Wave 4 is shorter than wave 2", length(2),
                         kAbove, length(4)};
constexpr Rule kConverge{"lines_converge",
                         "The line through ends 2 and 4 is steeper than that through 1 and 3",
                         Term{Quantity::slope_2_4}, kAbove, Term{Quantity::slope_1_3}};
constexpr Rule k4Holds{"end_4_holds", "No bar between ends 4 and 5 lies below end 4", breach(4),
                       kAtLeast, bar(5)};
constexpr Rule k5Beyond3{"wave_5_beyond_3", "Wave 5 ends above the end of wave 3", price(5), kAbove,
                         price(3)};
constexpr Rule k5Under2x1{"wave_5_under_2x_1", "Wave 5 is shorter than twice wave 1", length(1, 2),
                          kAbove, length(5)};
constexpr Rule k5Under26x1{"wave_5_under_2.618x_1", "Wave 5 is shorter than 2.618 times wave 1",
                           length(1, 2.618), kAbove, length(5)};
constexpr Rule k3NotShortest{"wave_3_not_shortest", "Wave 3 is not the shortest of 1, 3 and 5",
                             length(3), kAtLeast, Term{Quantity::shorter_of_1_and_5}};
constexpr Rule k5Over07x1{"wave_5_over_0.7x_1", "Wave 5 is longer than 0.7 times wave 1", length(5),
                          kAbove, length(1, 0.70)};
constexpr Rule k5Under3{"wave_5_shorter_than_3", "Wave 5 is shorter than wave 3", length(3), kAbove,
                        length(5)};

// Three waves: A, B, C are waves 1, 2, 3.
constexpr Rule kBHoldsStart{"b_holds_start", "Wave B ends above the start of A", price(2), kAbove,
                            price(0)};
constexpr Rule kBUnderA{"b_shorter_than_a", "Wave B is shorter than A", length(1), kAbove,
                        length(2)};
constexpr Rule kBTime{"b_time", "Wave B lasts less than ten times as long as A", bars(1, 10),
                      kAbove, bars(2)};
constexpr Rule kBUnder618{"b_under_0.618", "Wave B retraces less than 61.8 % of A",
                          length(1, 0.618), kAbove, length(2)};
constexpr Rule kBOver35{"b_over_0.35", "Wave B retraces more than 35 % of A", length(2), kAbove,
                        length(1, 0.35)};
constexpr Rule kBUnder786{"b_under_0.786", "Wave B retraces less than 78.6 % of A",
                          length(1, 0.786), kAbove, length(2)};
constexpr Rule kBOver236{"b_over_0.236", "Wave B retraces more than 23.6 % of A", length(2), kAbove,
                         length(1, 0.236)};
constexpr Rule kBFrom90{"b_from_0.9", "Wave B retraces at least 90 % of A", length(2), kAtLeast,
                        length(1, 0.9)};
constexpr Rule kBTo105{"b_to_1.05", "Wave B retraces at most 105 % of A", length(1, 1.05), kAtLeast,
                       length(2)};
constexpr Rule kBOver105{"b_over_1.05", "Wave B retraces more than 105 % of A", length(2), kAbove,
                         length(1, 1.05)};
constexpr Rule kBTo1382{"b_to_1.382", "Wave B retraces at most 138.2 % of A", length(1, 1.382),
                        kAtLeast, length(2)};
constexpr Rule kCBeyondA{"c_beyond_a", "Wave C ends above the end of A", price(3), kAbove,
                         price(1)};
constexpr Rule kCShortOfA{"c_short_of_a", "Wave C ends at or below the end of A", price(1),
                          kAtLeast, price(3)};
constexpr Rule kCOver06{"c_over_0.6", "Wave C is longer than 0.6 times A", length(3), kAbove,
                        length(1, 0.6)};
constexpr Rule kCUnder261{"c_under_2.61", "Wave C is shorter than 2.61 times A", length(1, 2.61),
                          kAbove, length(3)};
constexpr Rule kCFrom618{"c_from_0.618", "Wave C is at least 0.618 times A", length(3), kAtLeast,
                         length(1, 0.618)};
constexpr Rule kCTo1382{"c_to_1.382", "Wave C is at most 1.382 times A", length(1, 1.382), kAtLeast,
                        length(3)};
constexpr Rule kCTo2618{"c_to_2.618", "Wave C is at most 2.618 times A", length(1, 2.618), kAtLeast,
                        length(3)};
constexpr Rule kCTime{"c_time", "Wave C lasts less than ten times A", bars(1, 10), kAbove, bars(3)};

}  // namespace plimsoll::waves::rules
