#pragma once

#include "server/schedules/schedule.hpp"
#include "server/schedules/times.hpp"

namespace plimsoll::schedules {

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
