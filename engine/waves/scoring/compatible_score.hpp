#pragma once

#include "engine/waves/scoring/parts.hpp"
#include "engine/waves/search/path.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::waves {

// The scores of the pipeline that this engine replaces: steps around Fibonacci ratios. A valid
// count has 1 for the rules and 0.95 for complexity, so only the ratios distinguish counts.
namespace compatible {

inline double distance(double ratio) {
    constexpr std::array kTargets = {0.382, 0.5, 0.618, 1.0, 1.272, 1.618, 2.618};
    double nearest = std::abs(ratio - kTargets[0]);
    for (double target : kTargets) nearest = std::min(nearest, std::abs(ratio - target));
    return nearest;
}

inline double retracement(double ratio) {  // of wave 1 by wave 2
    const double d =
        std::min({std::abs(ratio - 0.382), std::abs(ratio - 0.5), std::abs(ratio - 0.618)});
    return d < 0.05 ? 1 : d < 0.15 ? 0.8 : d < 0.25 ? 0.5 : 0.2;
}

inline double extension(double ratio) {  // of wave 3 over wave 1
    if (ratio < 1) return 0;
    const double d = std::abs(ratio - 1.618);
    return d < 0.1 ? 1 : d < 0.3 ? 0.8 : d < 0.5 ? 0.6 : 0.4;
}

inline double fifth(const Path& path) {
    const auto near = [](double d) { return d < 0.1 ? 1 : std::max(0.3, 1 - d); };
    return std::max(near(std::abs(path.length[5] / path.length[1] - 1)),
                    near(std::abs(path.length[5] / path.length[3] - 0.618)));
}

inline double time_of(int wave, const Path& path) {
    return std::max(0.3, 1 - distance(path.duration(wave) / static_cast<double>(path.duration(1))));
}
inline double time(const Path& path) { return (time_of(2, path) + time_of(3, path)) / 2; }

inline constexpr double kMaxOfThree = 0.9;
inline double third_of_three(const Path& path) {  // wave C against A
    const double ratio = path.length[3] / path.length[1];
    const double d = std::min(std::abs(ratio - 1), std::abs(ratio - 0.618));
    return d < 0.1 ? kMaxOfThree : d < 0.2 ? 0.7 : 0.5;
}

}  // namespace compatible

class CompatibleScore {
  public:
    static constexpr int kHead = 3;   // after this wave most of a five-wave score is known
    static constexpr int kEarly = 2;  // after this wave may_beat_early() is called

    explicit CompatibleScore(const Weights& weights) {
        double sum = 0;
        for (Part part : {Part::fibonacci, Part::time, Part::rules, Part::complexity})
            sum += weights[part];
        if (sum <= 0) return;
        fibonacci_ = weights[Part::fibonacci] / sum;
        time_ = weights[Part::time] / sum;
        constant_ = weights[Part::rules] / sum + weights[Part::complexity] / sum * 0.95;
    }

    // Weights of the ratios, of the times, and of the constant parts: for sums computed elsewhere.
    std::array<double, 3> factors() const { return {fibonacci_, time_, constant_}; }

    // Whether a count that extends this path of kEarly waves may score more than that. Sums like
    // complete(), with upper bounds for unknown parts, so that rounding keeps the order. Durations,
    // the most expensive part, are only computed if lengths do not decide.
    template <Shape S>
    bool may_beat_early(const Path& path, double score) const {
        const double fibonacci =
            S == Shape::corrective
                ? compatible::kMaxOfThree
                : (compatible::retracement(path.length[2] / path.length[1]) + 1 + 1) / 3;
        return sum(fibonacci, 1) > score &&
               sum(fibonacci, (compatible::time_of(2, path) + 1) / 2) > score;
    }
    // The same for a path of kHead waves, to which complete() then refers.
    template <Shape S>
    bool may_beat(const Path& path, double score) {
        ratios_ = compatible::retracement(path.length[2] / path.length[1]) +
                  compatible::extension(path.length[3] / path.length[1]);
        if (sum((ratios_ + 1) / 3, 1) <= score) return false;
        times_ = compatible::time(path);
        return bound<S>() > score;
    }
    // Sets the head, a path of kHead waves; bound() and complete() then refer to counts that extend
    // it.
    template <Shape S>
    void head(const Path& path) {
        ratios_ = compatible::retracement(path.length[2] / path.length[1]) +
                  compatible::extension(path.length[3] / path.length[1]);
        times_ = compatible::time(path);
    }
    // Upper bound of the scores of all counts with this head.
    template <Shape S>
    double bound() const {
        return sum((ratios_ + 1) / 3, times_);
    }
    template <Shape S>
    double complete(const Pattern&, const Path& path, double /*needed*/) const {
        if constexpr (S == Shape::corrective)
            return sum(compatible::third_of_three(path), compatible::time(path));
        else
            return sum((ratios_ + compatible::fifth(path)) / 3, times_);
    }

    template <Shape S>
    static Parts parts(const Pattern&, const Path& path) {
        Parts parts;
        parts.set(Part::fibonacci, S == Shape::corrective
                                       ? compatible::third_of_three(path)
                                       : (compatible::retracement(path.length[2] / path.length[1]) +
                                          compatible::extension(path.length[3] / path.length[1]) +
                                          compatible::fifth(path)) /
                                             3);
        parts.set(Part::time, compatible::time(path));
        parts.set(Part::rules, 1);
        parts.set(Part::complexity, 0.95);
        return parts;
    }

  private:
    double sum(double fibonacci, double time) const {
        return std::clamp(fibonacci_ * fibonacci + time_ * time + constant_, 0.0, 1.0);
    }

    double fibonacci_ = 0;
    double time_ = 0;
    double constant_ = 0;
    double ratios_ = 0;
    double times_ = 0;
};

}  // namespace plimsoll::waves
