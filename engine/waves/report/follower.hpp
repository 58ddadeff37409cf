#pragma once

#include "engine/waves/report/report.hpp"
#include "engine/waves/scan/tracker.hpp"

namespace plimsoll::waves {

// What a bar changed in the ranking.
struct FollowStep {
    std::size_t bar = 0;  // of the series
    double close = 0;
    Effort effort;
    std::vector<Found> came, went;    // ranked now and not before the bar, and the other way round
    std::vector<CountReport> broken;  // ranked or under way, and wrong since this bar
};

// Keeps the report of a growing symbol up to date, bar by bar: the counts are those that
// scan_symbol finds in the bars so far, and only the starts that a bar can change are searched for
// it.
class Follower {
  public:
    // `settings` as followable() takes them. Looks at `most_nodes` nodes at most, over all bars.
    Follower(Settings settings, std::uint64_t most_nodes = Tracker::kAnyNodes);

    // Bars `from` to `to` of a series, behind those that it took before; what they changed is not
    // told, and the report does not show them yet. invalid_input: they are not later than those
    // before; too_large: more nodes.
    Result<void> take(const Series& series, std::size_t from, std::size_t to);
    Result<FollowStep> add(const Series& series, std::size_t bar);
    std::size_t held() const { return tracker_.held(); }  // counts, for limits
    // Counts, those under way, and the bars so far.
    const SymbolReport& report() const { return report_; }

  private:
    Settings settings_;
    Tracker tracker_;
    SymbolReport report_;
};

// Whether the settings can be followed: series as a whole, every bar a start, no caps and no chance
// series. The error names the key.
Result<void> followable(const Settings& settings);

}  // namespace plimsoll::waves
