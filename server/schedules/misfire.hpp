#pragma once

#include "server/schedules/schedule.hpp"
#include "server/schedules/times.hpp"

namespace plimsoll::schedules {

// A due time that was not answered for longer than this is missed: no server was there. More than
// a server that dies with a claim holds it.
constexpr std::int64_t kMissedAfter = 120;  // seconds

// How the earliest due time that nobody answered is answered, with those that go with it.
struct Step {
    std::int64_t due = 0;
    bool submit = true;                // otherwise it is let go, as missed
    int missed = 0;                    // due times before `due` that are let go with it
    std::optional<std::int64_t> then;  // the due time to answer after it; none: there is none
};

// `next` was due, `now` is not before it; seconds since 1970.
Step next_step(const Cron& cron, const Zone& zone, Misfire misfire, int limit, std::int64_t next,
               std::int64_t now);

}  // namespace plimsoll::schedules
