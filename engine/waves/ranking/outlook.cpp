#include "engine/waves/ranking/outlook.hpp"

#include <cmath>

namespace plimsoll::waves {
namespace {

// On the side that the pattern sees: rising targets are above.
struct Aim {
    double price;
    std::string_view basis;
};

bool five_waves(const Pattern& pattern) { return pattern.waves == 5; }

std::vector<Aim> aims(const Pattern& pattern, const Path& p, int waves) {
    const auto& price = p.price;
    const auto& length = p.length;
    if (five_waves(pattern) && waves == 3)
        return {{price[3] - 0.236 * length[3], "wave 4 = 0.236 x wave 3"},
                {price[3] - 0.382 * length[3], "wave 4 = 0.382 x wave 3"},
                {price[3] - 0.5 * length[3], "wave 4 = 0.5 x wave 3"}};
    if (five_waves(pattern) && waves == 4)
        return {{price[4] + 0.618 * length[1], "wave 5 = 0.618 x wave 1"},
                {price[4] + length[1], "wave 5 = wave 1"},
                {price[4] + 1.618 * length[1], "wave 5 = 1.618 x wave 1"},
                {price[4] + 0.618 * (price[3] - price[0]), "wave 5 = 0.618 x waves 1 to 3"}};
    if (five_waves(pattern)) {
        const double whole = price[5] - price[0];
        return {{price[5] - 0.382 * whole, "0.382 retracement of the five waves"},
                {price[5] - 0.5 * whole, "0.5 retracement of the five waves"},
                {price[5] - 0.618 * whole, "0.618 retracement of the five waves"}};
    }
    if (waves == 2)
        return {{price[2] + 0.618 * length[1], "wave C = 0.618 x wave A"},
                {price[2] + length[1], "wave C = wave A"},
                {price[2] + 1.618 * length[1], "wave C = 1.618 x wave A"},
                {price[2] + 2.618 * length[1], "wave C = 2.618 x wave A"}};
    const double whole = std::abs(price[3] - price[0]);
    return {{price[3] - 0.618 * whole, "0.618 retracement of the correction"},
            {price[3] - whole, "full retracement of the correction"},
            {price[3] - 1.618 * whole, "1.618 x the correction"}};
}

std::string_view expectation(const Pattern& pattern, int waves) {
    if (five_waves(pattern))
        return waves == 3   ? "wave 4 is in progress"
               : waves == 4 ? "wave 5 is in progress"
                            : "five waves are complete: expect a correction";
    return waves == 2 ? "wave C is in progress"
                      : "the correction is complete: expect the trend to resume";
}

}  // namespace

Outlook outlook(const Pattern& pattern, const Path& path, int waves, bool rising, double last,
                std::int32_t end) {
    const double sign = rising ? 1 : -1;
    // Odd ends are peaks: the next move goes down, and the count is invalid above them. Wave 4
    // under way is the exception: it must not enter the range of wave 1.
    const bool peak = waves % 2 == 1;
    const bool fourth = five_waves(pattern) && waves == 3;
    const double limit = fourth ? path.price[1] : path.price[waves];

    Outlook out;
    out.expects = expectation(pattern, waves);
    out.upward = peak != rising;
    out.invalidation = sign * limit;
    for (std::int32_t bar = path.at[waves] + 1; bar < end && !out.invalidated; ++bar)
        out.invalidated =
            peak && !fourth ? path.bars[bar].high > limit : path.bars[bar].low < limit;
    const double risk = std::abs(last - limit);
    const bool recent = end - 1 - path.at[waves] <= path.at[waves] - path.at[0];
    for (const Aim& aim : aims(pattern, path, waves)) {
        if (sign * aim.price <= 0) continue;  // no price
        Target target{sign * aim.price, aim.basis};
        for (std::int32_t bar = path.at[waves] + 1; bar < end && target.reached < 0; ++bar)
            if (peak ? path.bars[bar].low <= aim.price : path.bars[bar].high >= aim.price)
                target.reached = bar;
        const bool ahead = target.reached < 0;
        if (ahead && risk > 0 && !out.invalidated && !fourth)
            target.risk_multiple = std::abs(aim.price - last) / risk;
        out.live = out.live || (ahead && recent && !out.invalidated);
        out.targets.push_back(target);
    }
    return out;
}

}  // namespace plimsoll::waves
