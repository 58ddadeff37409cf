#pragma once

#include "engine/waves/search/rules.hpp"

// All patterns of both modes. Patterns of one family that begin with the same rules in the same
// order share that part of the search.
namespace plimsoll::waves {

// The rules of the pipeline that this engine replaces, including their quirks: rises are never
// checked for being undercut, falls only when they skip swings, and every bar may be a start.
namespace compatible {
using namespace rules;

inline constexpr auto kFive =
    std::to_array<Rule>({k2HoldsStart, k2Deep, k2Long, k3Beyond1, k3Third, k3Over2, k3Long, k2Holds,
                         k4Deep, k4Clear, k4Holds, k5Under2x1, k5Beyond3, k3NotShortest});
inline constexpr auto kDiagonal = std::to_array<Rule>(
    {k2HoldsStart, k2Deep, k2Long, k3Beyond1, k3Third, k3Over2, k3Long, k2Holds, k4Deep, k4Overlaps,
     kConverge, k4Holds, k5Under2x1, k5Beyond3, k3NotShortest, k5Over07x1, k5Under3});
inline constexpr auto kThree =
    std::to_array<Rule>({kBHoldsStart, kBUnderA, kBTime, kBUnder618, kBOver35, kCBeyondA, kCOver06,
                         kCUnder261, kCTime});

inline constexpr Family<2> kRising{{make_pattern(Shape::impulse, 5, 0, kFive),
                                    make_pattern(Shape::leading_diagonal, 5, 0, kDiagonal)},
                                   Guard::none,
                                   Guard::when_skipping};
inline constexpr Family<2> kFalling{
    {make_pattern(Shape::impulse, 5, 0, kFive), make_pattern(Shape::corrective, 3, 0, kThree)},
    Guard::when_skipping,
    Guard::none};
}  // namespace compatible

// The standard mode: the same in both directions, starts at lows for rising and at highs for
// falling patterns, and no wave may be undercut or overshot on its way.
namespace standard {
using namespace rules;

inline constexpr auto kImpulse =
    std::to_array<Rule>({k2HoldsStart, k2Deep, k2Long, k3Beyond1, k3Third, k3Over2, k3Long, k2Holds,
                         k4Deep, k4Clear, k4Holds, k5Under26x1, k5Beyond3, k3NotShortest});
inline constexpr auto kDiagonal = std::to_array<Rule>(
    {k2HoldsStart, k2Deep, k2Long, k3Beyond1, k3Third, k3Over2, k3Long, k2Holds, k4Deep, k4Overlaps,
     k4Shallow, kConverge, k4Holds, k5Beyond3, k5Under3, k3NotShortest});
inline constexpr auto kZigzag = std::to_array<Rule>(
    {kBHoldsStart, kBTime, kBUnder786, kBOver236, kCBeyondA, kCFrom618, kCTo2618, kCTime});
inline constexpr auto kRegular =
    std::to_array<Rule>({kBTime, kBTo105, kBFrom90, kCBeyondA, kCTo1382, kCTime});
inline constexpr auto kExpanded =
    std::to_array<Rule>({kBTime, kBTo1382, kBOver105, kCBeyondA, kCTo2618, kCTime});
inline constexpr auto kRunning =
    std::to_array<Rule>({kBTime, kBTo1382, kBOver105, kCShortOfA, kCFrom618, kCTime});

inline constexpr Family<6> kPatterns{
    {make_pattern(Shape::impulse, 5, 3, kImpulse),
     make_pattern(Shape::leading_diagonal, 5, 4, kDiagonal),
     make_pattern(Shape::zigzag, 3, 2, kZigzag), make_pattern(Shape::flat_regular, 3, 2, kRegular),
     make_pattern(Shape::flat_expanded, 3, 2, kExpanded),
     make_pattern(Shape::flat_running, 3, 0, kRunning)},
    Guard::always,
    Guard::always,
    true};
}  // namespace standard

}  // namespace plimsoll::waves
