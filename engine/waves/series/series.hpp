#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::waves {

// The bars of one symbol, oldest first. Prices are positive and finite, every high is at least the
// low of its bar. All columns have one length; `open` and `close` serve charts and surrogates, the
// counts themselves stand on lows and highs.
struct Series {
    std::string symbol;
    std::vector<std::int64_t> time;  // seconds since 1970 UTC, strictly rising; empty: no dates
    std::vector<double> open, high, low, close;
    bool close_only = false;  // then the other prices equal the close

    std::size_t size() const { return close.size(); }
};

}  // namespace plimsoll::waves
