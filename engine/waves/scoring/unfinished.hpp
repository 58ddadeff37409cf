#pragma once

#include "engine/waves/scoring/standard_score.hpp"

namespace plimsoll::waves {

// The parts of a standard score that the first `waves` waves of a count already tell.
template <Shape S>
Parts unfinished_parts(const Pattern& pattern, const Path& path, int waves) {
    using namespace standard;
    Parts parts;
    double ratios = closeness(path.length[2] / path.length[1], Targets<S>::second);
    if (waves >= 3) ratios += closeness(path.length[3] / path.length[1], Targets<S>::third);
    if constexpr (S == Shape::impulse || S == Shape::leading_diagonal) {
        if (waves >= 4) {
            ratios += closeness(path.length[4] / path.length[3], Targets<S>::fourth);
            parts.set(Part::alternation, alternation(path));
        }
    }
    parts.set(Part::fibonacci, ratios / (waves - 1));
    parts.set(Part::time, times(path, 2, waves) / (waves - 1));
    double weakest = 0.25;
    for (int i = 0; i < pattern.rule_count; ++i)
        if (has_margin(pattern.rules[i]) && pattern.rules[i].depth() <= waves)
            weakest = std::min(weakest, margin(pattern.rules[i], path));
    parts.set(Part::margins, std::max(0.0, weakest * 4));
    return parts;
}

// Whether the bars since end K leave the wave under way its chance: wave 4 of an impulse must so
// far have stayed above wave 1. That end K itself holds is the caller's business.
template <Shape S, int K>
bool may_go_on(const Path& path, std::int32_t end) {
    if constexpr (S == Shape::impulse && K == 3) {
        for (std::int32_t bar = path.at[3] + 1; bar < end; ++bar)
            if (path.bars[bar].low <= path.price[1]) return false;
    }
    return true;
}

}  // namespace plimsoll::waves
