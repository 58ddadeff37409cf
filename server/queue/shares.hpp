#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>

// Shares, usage, limits and holds. README.md states the rules.
namespace plimsoll::queue {

// Device-seconds are normalized to a device of speed 1.
struct SecondsQuota {
    double seconds = 0;  // that may be charged in a period
    std::string period;  // hour, day, week or month, by the calendar in UTC
};

// Set by a system admin.
struct ShareTerms {
    double weight = 1;
    std::optional<int> cap;  // devices in use at once; none: unlimited
    std::optional<SecondsQuota> quota;
};

// A team's share of a device class.
struct Share {
    TeamId team;
    std::string team_name;
    std::string device_class;
    ShareTerms terms;
    int slots = 0;            // devices with a lease on the team's tasks
    std::int64_t ready = 0;   // tasks that could be claimed
    double used_seconds = 0;  // decayed with the half-life of the class
    double used_share = 0;    // of the usage of all teams, decayed, 0 … 1
    double fair_share = 0;    // by weight, among the teams with recent usage or ready tasks
    double quota_used = 0;    // in this period
    std::optional<Timestamp> quota_renews_at;
    bool quota_exhausted = false;  // its next task exceeds what is left
    bool paused = false;
};

struct ClassOverview {
    std::string device_class;
    double half_life_seconds = 0;    // half-life of past usage
    double entry_limit_seconds = 0;  // largest delay of a returning heavy user
    std::int64_t devices = 0;
    std::int64_t ready = 0;
    std::int64_t running = 0;
    std::int64_t waiting = 0;  // for a start time or a retry, counted up to 10,000
};

// Limits on a team's jobs that have not started, and on submits per minute (a token bucket that
// holds one minute's worth); none: unlimited.
struct TeamLimits {
    std::optional<int> queued_jobs;
    std::optional<int> jobs_per_minute;
};

struct TeamLimit {
    TeamId team;
    TeamLimits limits;
    std::int64_t queued = 0;  // queued jobs; 0 if not limited
};

// A hold: nothing is claimed for a team or by devices.
struct Hold {
    std::int64_t id = 0;
    std::string scope;    // team, device_class, node or device
    std::string subject;  // the team's number, the class, the node, the worker's number
    std::string team_name;
    std::string node;
    std::string device;
    std::string mode;  // pause or drain
    std::string reason;
    bool by_admin = false;
    std::string by_name;
    Timestamp at;
    std::int64_t running = 0;  // tasks that still run there
};

struct NewHold {
    std::string scope;
    std::optional<TeamId> team;
    std::string device_class;
    std::string node;
    std::string device;  // of the node; empty: all
    std::string mode;
    std::string reason;
    bool by_admin = false;
};

// Something that keeps vacuum from removing dead rows, so that the queue's tables grow; or, for
// replication_log, keeps PostgreSQL from removing its write-ahead log.
struct VacuumHolder {
    static constexpr double kReportAfterSeconds = 60;  // seconds; shorter ones are normal

    std::string holder;  // session, replication_slot, prepared_transaction or replication_log
    std::string detail;  // identifies it
    Timestamp since;     // first seen
    double seconds = 0;  // last time it was still there
};

// Why a submit exceeds the team's quota.
struct OverQuota {
    std::string quota;  // queued_jobs, jobs_per_minute or device_seconds
    double used = 0;
    double limit = 0;
    double needed = 0;  // needed by this job and those before it in the call; not for queued_jobs
    // For device_seconds.
    std::string device_class;
    std::string period;
    std::optional<Timestamp> renews_at;  // for jobs_per_minute: when the submit would be accepted
};

// Describes the holder and how to resolve it.
std::string describe(const VacuumHolder& holder);

// The refusal as a sentence.
std::string describe(const OverQuota& refusal);

}  // namespace plimsoll::queue
