#pragma once

#include "engine/waves/report/report.hpp"

#include <mutex>

namespace plimsoll::waves {

// Adds to a symbol's report how often chance series match its counts and the best of each pattern.
// Surrogates may be added in any order and from several threads; they are numbered from
// settings.first_surrogate.
class ChanceJudge {
  public:
    // The report must come from a search with these settings, of a series with at least two bars.
    ChanceJudge(SymbolReport& report, const Settings& settings);

    void add(std::uint32_t from, std::uint32_t to, const Watch& watch = {});
    // The same for a surrogate searched elsewhere: its number and the result.
    void make(std::uint32_t number, Series& surrogate) const;
    void note(std::uint32_t number, const std::array<double, kKinds>& scores, double highest);
    // Writes the report. Call after all surrogates have been added and none was stopped.
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
