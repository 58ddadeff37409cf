#pragma once

#include "engine/waves/scoring/standard_score.hpp"
#include "engine/waves/search/plan.hpp"

namespace plimsoll::waves {

// The parts of a standard score that are known after the first `waves` waves.
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

// Whether the wave under way can still become valid: it breaks no rule that extending it cannot
// satisfy.
inline bool may_go_on(const Pattern& pattern, Path path, int waves, std::int32_t end) {
    const int next = waves + 1;
    std::int32_t farthest = path.at[waves] + 1;
    for (std::int32_t bar = farthest; bar < end; ++bar) {
        const bool farther = next % 2 == 1 ? path.bars[bar].high > path.bars[farthest].high
                                           : path.bars[bar].low < path.bars[farthest].low;
        if (farther) farthest = bar;
    }
    path.end(next, farthest);
    for (int i = 0; i < pattern.rule_count; ++i) {
        const Rule& rule = pattern.rules[i];
        if (rule.depth() == next && plan::final_when_broken(rule) && !holds(rule, path))
            return false;
    }
    return true;
}

}  // namespace plimsoll::waves
