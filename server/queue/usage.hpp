#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Usage as charged. Counted a few seconds after a task ends, and kept longer than the jobs.
namespace plimsoll::queue {

struct UsageQuery {
    std::optional<TeamId> team;  // none: all
    Timestamp from;              // hours that begin then or later,
    Timestamp to;                // and before then
    // hour, day or month (at most one of them), team, user, kind, model; summed over all others.
    std::vector<std::string> by;
    int limit = 0;  // rows
};

// Members that were not grouped by are empty.
struct Usage {
    std::optional<Timestamp> start;  // of the hour, day or month, in UTC
    std::optional<TeamId> team;
    std::string team_name;
    std::optional<UserId> user;
    std::string user_name;  // also empty if the user no longer exists
    std::string kind;
    std::string model;  // as Requirement::model names it; also empty for jobs that need none
    double device_seconds =
        0;  // measured, normalized to a device of speed 1; including failed attempts
    std::int64_t tasks = 0;  // done
    std::int64_t items = 0;  // done
    std::int64_t jobs = 0;   // that used a device for the first time
};

}  // namespace plimsoll::queue
