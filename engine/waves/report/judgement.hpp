#pragma once

#include "engine/waves/report/report.hpp"

#include <cstdint>
#include <vector>

namespace plimsoll::waves {

// The results of one symbol's surrogates, kept separate so that they can be searched in several
// places. Each place also searched the symbol itself, and so judges the same counts.
struct Judgement {
    std::uint32_t surrogates = 0;  // 0: nothing was judged
    std::vector<Chance> counts;    // of the report's ranked counts
    std::vector<Chance> kinds;     // per kind of the report; zeros for a kind without counts
    std::vector<double> best;      // see SymbolReport::chance_best

    Judgement() = default;
    explicit Judgement(const SymbolReport& report);

    // Merges the results of other surrogates of the same symbol.
    void add(const Judgement& other);
};

}  // namespace plimsoll::waves
