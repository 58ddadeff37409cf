#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::schedules {

using ScheduleId = Id<struct ScheduleTag>;

inline std::string to_public(ScheduleId id) { return public_id("sched", id.value); }

// What to do about due times missed while no server was running.
enum class Misfire {
    skip,  // skipped
    once,  // one run replaces all of them
    all    // one run each, the latest ones up to the limit
};
// What to do at a due time while an earlier job of the schedule has not ended.
enum class Overlap {
    allow,   // both run
    skip,    // the new one is skipped
    cancel,  // the earlier one is cancelled
    queue    // the new one is submitted when the earlier one has ended; at most ten wait
};

std::string_view to_string(Misfire misfire);
std::string_view to_string(Overlap overlap);
// For validated text.
Misfire parse_misfire(std::string_view text);
Overlap parse_overlap(std::string_view text);

// The user-defined part of a schedule.
struct Settings {
    std::string name;  // unique in its team
    std::string spec;  // JSON text of the job
    std::string cron;
    std::string time_zone;  // as Zone::named takes it
    Misfire misfire = Misfire::once;
    int misfire_limit = 10;  // of Misfire::all
    Overlap overlap = Overlap::skip;
};

struct Schedule {
    ScheduleId id;
    Settings settings;
    UserId user;  // the user who last saved it; its jobs belong to that user
    std::string user_name;
    std::optional<Timestamp> paused_at;
    std::optional<Timestamp> next_at;  // none: paused, or never due again
    int version = 1;                   // incremented by every change by a user
    Timestamp created_at;
    Timestamp updated_at;
};

// The outcome of a due time.
struct Run {
    Timestamp due_at;
    std::optional<UserId> by_user;  // who triggered it; none: it was due
    std::string by_user_name;
    std::string outcome;  // submitted, waiting, skipped, missed, failed
    std::optional<JobId> job;
    std::string job_state;  // empty: the job has been deleted
    std::string reason;     // why there is no job; empty otherwise
    int missed = 0;         // earlier due times skipped with this one
    Timestamp decided_at;
};

}  // namespace plimsoll::schedules
