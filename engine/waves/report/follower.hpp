#pragma once

#include "engine/waves/report/report.hpp"
#include "engine/waves/scan/tracker.hpp"

namespace plimsoll::waves {

// Changes of the ranking by one bar.
struct FollowStep {
    std::size_t bar = 0;  // of the series
    double close = 0;
    Effort effort;
    std::vector<Found> added, removed;  // entered and left the ranking with this bar
    std::vector<CountReport> broken;    // ranked or under way, and invalidated by this bar
};

// Keeps the report of a growing symbol up to date, bar by bar. The counts equal those that
// scan_symbol finds in the bars so far, but each bar only searches the starts that it can affect.
class Follower {
  public:
    // `settings` must pass followable(). Visits at most `max_nodes` nodes over all bars.
    Follower(Settings settings, std::uint64_t max_nodes = Tracker::kAnyNodes);

    // Takes bars [from, to) of a series, which follow the bars taken so far, without returning
    // changes or updating the report. invalid_input: a bar is not later than its predecessor;
    // too_large: too many nodes.
    Result<void> take(const Series& series, std::size_t from, std::size_t to);
    Result<FollowStep> add(const Series& series, std::size_t bar);
    std::size_t held() const { return tracker_.held(); }  // counts, for limits
    // Ranked counts, counts under way, and the bars so far.
    const SymbolReport& report() const { return report_; }

  private:
    Settings settings_;
    Tracker tracker_;
    SymbolReport report_;
};

// Checks that the settings support following: whole series, every bar a start, no caps and no
// chance series. The error names the key.
Result<void> followable(const Settings& settings);

}  // namespace plimsoll::waves
