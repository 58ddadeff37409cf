#pragma once

#include "engine/waves/report/report.hpp"

#include <cstdint>
#include <mutex>
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
