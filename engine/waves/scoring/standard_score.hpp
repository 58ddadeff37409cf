#pragma once

#include "engine/waves/scoring/parts.hpp"
#include "engine/waves/search/path.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::waves {

// The scores of the standard mode. All are continuous, so that ties are rare: 1 where a ratio hits
// its target, decreasing linearly with the distance.
namespace standard {

// 1 at the nearest target, 0 at a quarter or more from it.
template <std::size_t N>
inline double closeness(double ratio, const std::array<double, N>& targets) {
    double best = 0;
    for (double target : targets)
        best = std::max(best, 1 - std::abs(ratio - target) * (4 / target));
    return best;
}

// Usual ratios (Frost and Prechter, chapter 4): the usual lengths of a wave of this shape relative
// to an earlier one.
template <Shape S>
struct Targets {  // diagonals: each wave about two thirds of the one before it in its direction
    static constexpr std::array second = {0.618, 0.786};
    static constexpr std::array third = {0.618, 0.786, 1.0};
    static constexpr std::array fourth = {0.618, 0.786};
    static constexpr std::array fifth_to_first = {0.382, 0.618};
    static constexpr std::array fifth_to_third = {0.618, 0.786};
};
template <>
struct Targets<Shape::impulse> {
    static constexpr std::array second = {0.382, 0.5, 0.618};
    static constexpr std::array third = {1.0, 1.618, 2.618};
    static constexpr std::array fourth = {0.236, 0.382, 0.5};
    static constexpr std::array fifth_to_first = {0.618, 1.0, 1.618};
    static constexpr std::array fifth_to_third = {0.382, 0.618, 1.0};
};
template <>
struct Targets<Shape::zigzag> {
    static constexpr std::array second = {0.382, 0.5, 0.618};
    static constexpr std::array third = {0.618, 1.0, 1.618};
};
template <>
struct Targets<Shape::flat_regular> {
    static constexpr std::array second = {1.0};
    static constexpr std::array third = {1.0};
};
template <>
struct Targets<Shape::flat_expanded> {
    static constexpr std::array second = {1.236, 1.382};
    static constexpr std::array third = {1.618, 2.618};
};
template <>
struct Targets<Shape::flat_running> {
    static constexpr std::array second = {1.236, 1.382};
    static constexpr std::array third = {0.618, 1.0};
};

inline double time_closeness(double ratio) {
    constexpr std::array kTargets = {0.382, 0.5, 0.618, 1.0, 1.618, 2.618};
    return closeness(ratio, kTargets);
}

// How near the last end lies to the line through end `through` parallel to the line through ends a
// and b: 1 on it, 0 a channel's width away.
inline double channel(const Path& path, int a, int b, int through, int last) {
    const double slope = path.slope(a, b);
    const auto above = [&](int end) {
        return path.price[end] - path.price[a] - slope * (path.at[end] - path.at[a]);
    };
    const double width = above(through);
    return width > 0 ? std::max(0.0, 1 - std::abs(above(last) - width) / width) : 0;
}

// The weakest rule's margin, scaled so that a quarter and more is 1.
inline double margins(const Pattern& pattern, const Path& path) {
    double weakest = 0.25;
    for (int i = 0; i < pattern.rule_count; ++i)
        if (has_margin(pattern.rules[i]))
            weakest = std::min(weakest, margin(pattern.rules[i], path));
    return std::max(0.0, weakest * 4);
}

// Difference between waves 2 and 4 in depth and duration: 0 equal, 1 as different as possible.
inline double alternation(const Path& path) {
    const double depths =
        std::abs(path.length[2] / path.length[1] - path.length[4] / path.length[3]);
    const double second = path.duration(2);
    const double fourth = path.duration(4);
    return (std::min(1.0, depths / 0.382) + std::abs(second - fourth) / std::max(second, fourth)) /
           2;
}

// Sums over waves 2 to 4, then over all waves.
template <Shape S>
double ratios_to_fourth(const Path& path) {
    return closeness(path.length[2] / path.length[1], Targets<S>::second) +
           closeness(path.length[3] / path.length[1], Targets<S>::third) +
           closeness(path.length[4] / path.length[3], Targets<S>::fourth);
}
template <Shape S>
double ratio_of_fifth(const Path& path) {
    return std::max(closeness(path.length[5] / path.length[1], Targets<S>::fifth_to_first),
                    closeness(path.length[5] / path.length[3], Targets<S>::fifth_to_third));
}
inline double times(const Path& path, int from, int to) {
    double sum = 0;
    for (int wave = from; wave <= to; ++wave)
        sum += time_closeness(path.duration(wave) / static_cast<double>(path.duration(1)));
    return sum;
}

template <Shape S>
double fibonacci_of_five(const Path& path) {
    return (ratios_to_fourth<S>(path) + ratio_of_fifth<S>(path)) / 4;
}
template <Shape S>
double fibonacci_of_three(const Path& path) {
    return (closeness(path.length[2] / path.length[1], Targets<S>::second) +
            closeness(path.length[3] / path.length[1], Targets<S>::third)) /
           2;
}

// All parts of a finished count except the margins, the most expensive part.
template <Shape S>
Parts but_margins(const Path& path) {
    Parts parts;
    if constexpr (S == Shape::impulse || S == Shape::leading_diagonal) {
        parts.set(Part::fibonacci, fibonacci_of_five<S>(path));
        parts.set(Part::time, (times(path, 2, 4) + times(path, 5, 5)) / 4);
        parts.set(Part::alternation, alternation(path));
        parts.set(Part::channel, channel(path, 2, 4, 3, 5));
    } else {
        parts.set(Part::fibonacci, fibonacci_of_three<S>(path));
        parts.set(Part::time, times(path, 2, 3) / 2);
        parts.set(Part::channel, channel(path, 0, 2, 1, 3));
    }
    return parts;
}

}  // namespace standard

// See CompatibleScore for the interface.
class StandardScore {
  public:
    static constexpr int kHead = 4;
    static constexpr int kEarly = 0;  // never: it costs more than it saves

    explicit StandardScore(const Weights& weights) : weights_(weights) {}

    template <Shape S>
    void head(const Path& path) {
        Parts best;
        best.set(Part::fibonacci, (standard::ratios_to_fourth<S>(path) + 1) / 4);
        best.set(Part::time, (standard::times(path, 2, 4) + 1) / 4);
        best.set(Part::alternation, standard::alternation(path));
        best.set(Part::channel, 1);
        best.set(Part::margins, 1);
        bound_ = total(best, weights_);
    }
    template <Shape S>
    double bound() const {
        return bound_;
    }
    template <Shape S>
    bool may_beat(const Path& path, double score) {
        head<S>(path);
        return bound_ > score;
    }
    // Negative if the score is below `needed`, which is often decided before all parts are known.
    template <Shape S>
    double complete(const Pattern& pattern, const Path& path, double needed) const {
        Parts best;
        best.set(Part::channel, 1);
        best.set(Part::margins, 1);
        best.set(Part::time, 1);
        if constexpr (S == Shape::impulse || S == Shape::leading_diagonal) {
            best.set(Part::alternation, 1);
            best.set(Part::fibonacci, standard::fibonacci_of_five<S>(path));
        } else {
            best.set(Part::fibonacci, standard::fibonacci_of_three<S>(path));
        }
        if (total_of(best) < needed) return -1;
        best = standard::but_margins<S>(path);
        best.set(Part::margins, 1);
        if (total_of(best) < needed) return -1;
        best.set(Part::margins, standard::margins(pattern, path));
        return total_of(best);
    }
    double total_of(const Parts& parts) const { return total(parts, weights_); }

    template <Shape S>
    static Parts parts(const Pattern& pattern, const Path& path) {
        Parts parts = standard::but_margins<S>(path);
        parts.set(Part::margins, standard::margins(pattern, path));
        return parts;
    }

  private:
    Weights weights_;
    double bound_ = 0;
};

}  // namespace plimsoll::waves
