#pragma once

#include "engine/waves/ranking/rank.hpp"

#include <compare>
#include <string>
#include <vector>

// An independent search: it walks waves bar by bar, builds every combination, and only then checks
// it by rules that are written out again. Deliberately slow and plain.
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
