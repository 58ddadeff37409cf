#pragma once

#include "engine/waves/series/series.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace plimsoll::waves::testing {

enum class Kind { ohlc, close_only, coarse };  // coarse: prices of few digits, many of them equal

// A random walk. std::mt19937_64 gives the same numbers everywhere, but std's distributions do not,
// so normal values are sums of twelve uniform ones.
inline Series random_series(std::uint64_t seed, std::size_t bars, Kind kind = Kind::ohlc) {
    std::mt19937_64 bits(seed);
    const auto uniform = [&] { return static_cast<double>(bits() >> 11) / 9007199254740992.0; };
    const auto normal = [&] {
        double sum = -6;
        for (int i = 0; i < 12; ++i) sum += uniform();
        return sum;
    };
    const auto rounded = [&](double price) {
        const double digits = kind == Kind::coarse ? 1 : 1e4;
        return std::round(price * digits) / digits;
    };
    Series series;
    series.symbol = "random";
    series.close_only = kind == Kind::close_only;
    double price = 100;
    for (std::size_t i = 0; i < bars; ++i) {
        const double open = price * std::exp(0.004 * normal());
        double low = open;
        double high = open;
        price = open;
        for (int k = 0; k < 6; ++k) {
            price *= std::exp(0.006 * normal());
            low = std::min(low, price);
            high = std::max(high, price);
        }
        const bool flat = kind == Kind::close_only;
        series.close.push_back(rounded(price));
        series.open.push_back(flat ? rounded(price) : rounded(open));
        series.low.push_back(flat ? rounded(price) : rounded(low));
        series.high.push_back(flat ? rounded(price) : rounded(high));
        series.time.push_back(static_cast<std::int64_t>(i) * 86400);
    }
    return series;
}

}  // namespace plimsoll::waves::testing
