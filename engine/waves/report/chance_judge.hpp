#pragma once

#include "engine/waves/report/report.hpp"

#include <mutex>

namespace plimsoll::waves {

// Adds to the report of one symbol how often chance does as well as its counts and as the best of
// each pattern. The surrogates may be added in pieces, in any order and from several threads; they
// are counted from settings.first_surrogate.
class ChanceJudge {
  public:
    // The report is that of a search with these settings, of a series with at least two bars.
    ChanceJudge(SymbolReport& report, const Settings& settings);

    void add(std::uint32_t from, std::uint32_t to, const Watch& watch = {});
    // The same for who searches surrogates elsewhere: one by its number, and what was found in it.
    void make(std::uint32_t number, Series& surrogate) const;
    void note(std::uint32_t number, const std::array<double, kKinds>& scores, double highest);
    // After all surrogates, none of them stopped: writes the report.
    void finish();

  private:
    SymbolReport& report_;
    const Settings& settings_;
    SurrogateMaker maker_;
    double week_;
    std::vector<Judged> judged_;  // the counts, then the best of each kind
    std::mutex mutex_;
    std::vector<Chance> chances_;
    std::vector<double> best_;
};

}  // namespace plimsoll::waves
