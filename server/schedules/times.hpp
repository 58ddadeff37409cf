#pragma once

#include "engine/zones/zone.hpp"
#include "server/schedules/cron.hpp"
#include "server/schedules/schedule.hpp"

#include <cstdint>
#include <optional>
#include <vector>

// When a cron expression is due in a time zone, in seconds since 1970 UTC. The rule for clock
// changes is that of Debian's cron:
// - A skipped hour: an expression with fixed hours and minutes is due immediately when clocks go
//   forward, and once only, however many of its times were skipped. One whose minutes or hours
//   begin with "*" is not due: that time did not happen.
// - A repeated hour: fixed hours and minutes are due the first time only; "*" both times, so that
//   "every 15 minutes" stays true.

namespace plimsoll::schedules {

using zones::Zone;

// The first due time after `after`. None: there is none within 50 years, as on February 30.
std::optional<std::int64_t> next_due(const Cron& cron, const Zone& zone, std::int64_t after);

// The next ones, in order; fewer if there are no more.
std::vector<std::int64_t> next_dues(const Cron& cron, const Zone& zone, std::int64_t after,
                                    std::size_t count);

// A due time not handled for longer than this was missed because no server was running. Longer than
// the claim of a server that dies.
constexpr std::int64_t kMissedAfter = 120;  // seconds

// How to handle the earliest open due time, together with those it covers.
struct Step {
    std::int64_t due = 0;
    bool submit = true;                // otherwise it is skipped as missed
    int missed = 0;                    // due times before `due` that are skipped with it
    std::optional<std::int64_t> then;  // the due time to handle after it; none: there is none
};

// `next` was due, `now` is not before it; seconds since 1970.
Step next_step(const Cron& cron, const Zone& zone, Misfire misfire, int limit, std::int64_t next,
               std::int64_t now);

}  // namespace plimsoll::schedules
