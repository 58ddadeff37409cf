#pragma once

#include "engine/zones/zone.hpp"
#include "server/schedules/cron.hpp"

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

}  // namespace plimsoll::schedules
