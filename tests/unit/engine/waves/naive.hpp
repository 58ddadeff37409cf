#pragma once

#include "engine/waves/ranking/found.hpp"

#include <compare>
#include <string>
#include <vector>

// An independent search: waves are walked bar by bar, every combination is built, and only then
// judged by rules that are written out once more. Slow and plain on purpose.
namespace plimsoll::waves::testing {

struct NaiveCount {
    std::string rule;
    std::vector<int> pivots;
    auto operator<=>(const NaiveCount&) const = default;
};

// All valid counts of the series, each once, in order.
std::vector<NaiveCount> naive_compatible(const std::vector<double>& lows,
                                         const std::vector<double>& highs, int up_to);
std::vector<NaiveCount> naive_standard(const std::vector<double>& lows,
                                       const std::vector<double>& highs, int up_to);

}  // namespace plimsoll::waves::testing
