#pragma once

#include "engine/waves/search/bar_table.hpp"
#include "engine/waves/search/pattern.hpp"

#include <array>
#include <span>

namespace plimsoll::waves {

// The known ends of a count, on the pattern's side of the series.
struct Path {
    const Bar* bars = nullptr;
    std::array<std::int32_t, kMaxWaves + 1> at{};  // bar indices; 0 is the start
    std::array<double, kMaxWaves + 1> price{};
    std::array<double, kMaxWaves + 1> length{};  // of wave n; 0 is unused

    void start(std::int32_t bar) {
        at[0] = bar;
        price[0] = bars[bar].low;
    }
    void end(int wave, std::int32_t bar) {
        at[wave] = bar;
        if (wave % 2 == 1) {
            price[wave] = bars[bar].high;
            length[wave] = price[wave] - price[wave - 1];
        } else {
            price[wave] = bars[bar].low;
            length[wave] = price[wave - 1] - price[wave];
        }
    }
    std::int32_t duration(int wave) const { return at[wave] - at[wave - 1]; }
    std::int32_t breach(int wave) const {
        const Bar& bar = bars[at[wave]];
        return wave % 2 == 1 ? bar.overshoot : bar.undercut;
    }
    double slope(int from, int to) const {
        return (price[to] - price[from]) / static_cast<double>(at[to] - at[from]);
    }
};

// A path over given ends, the start first. Ends that do not alternate between rise and fall give
// negative lengths, which fail every rule.
inline Path make_path(std::span<const Bar> bars, std::span<const std::int32_t> ends) {
    Path path{.bars = bars.data()};
    path.start(ends.front());
    for (std::size_t wave = 1; wave < ends.size(); ++wave)
        path.end(static_cast<int>(wave), ends[wave]);
    return path;
}

[[gnu::always_inline]] inline double measure(const Term& term, const Path& path) {
    double value = 0;
    switch (term.quantity) {
        case Quantity::length: value = path.length[term.wave]; break;
        case Quantity::bars: value = path.duration(term.wave); break;
        case Quantity::price: value = path.price[term.wave]; break;
        case Quantity::bar: value = path.at[term.wave]; break;
        case Quantity::breach: value = path.breach(term.wave); break;
        case Quantity::shorter_of_1_and_5:
            value = path.length[1] < path.length[5] ? path.length[1] : path.length[5];
            break;
        case Quantity::slope_1_3: value = path.slope(1, 3); break;
        case Quantity::slope_2_4: value = path.slope(2, 4); break;
    }
    if (term.factor != 1) value *= term.factor;
    if (term.divisor != 1) value /= term.divisor;
    return value;
}

[[gnu::always_inline]] inline bool holds(const Rule& rule, const Path& path) {
    const double left = measure(rule.left, path);
    const double right = measure(rule.right, path);
    return rule.relation == Relation::above ? left > right : left >= right;
}

// The distance of a rule from its limit, 0 at the limit and negative when broken: relative to the
// larger side for lengths and times, to the length of wave 1 for prices, to the steeper line for
// slopes. Between -1 and 1 except for prices.
double margin(const Rule& rule, const Path& path);

// Rules about the order of bars have no meaningful margin.
constexpr bool has_margin(const Rule& rule) {
    return rule.left.quantity != Quantity::bar && rule.left.quantity != Quantity::breach;
}

}  // namespace plimsoll::waves
