#pragma once

#include "engine/waves/report/report.hpp"

#include <cstdint>
#include <vector>

namespace plimsoll::waves {

// What surrogates say of one symbol: an own thing, so that its surrogates can be searched in
// several places. Every one of these searched the symbol itself, too, and so judges the same
// counts.
struct Judgement {
    std::uint32_t surrogates = 0;  // 0: nothing was judged
    std::vector<Chance> counts;    // of the report's ranked counts
    std::vector<Chance> kinds;     // of the report's kinds; zeros where there is no count of it
    std::vector<double> best;      // see SymbolReport::chance_best

    Judgement() = default;
    explicit Judgement(const SymbolReport& report);

    // Of other surrogates of the same symbol.
    void add(const Judgement& other);
};

}  // namespace plimsoll::waves
