#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What teams may use, what they used, and what is stopped. The rules stand in README.md.
namespace plimsoll::queue {

// Device-seconds are normalised: of a device of speed 1.
struct SecondsQuota {
    double seconds = 0;  // that may be charged in a period
    std::string period;  // hour, day, week or month, by the calendar in UTC
};

// What an administrator sets.
struct ShareTerms {
    double weight = 1;
    std::optional<int> cap;  // devices at once; none: all
    std::optional<SecondsQuota> quota;
};

// A team's share of a device class.
struct Share {
    TeamId team;
    std::string team_name;
    std::string device_class;
    ShareTerms terms;
    int slots = 0;            // devices that hold work of the team
    std::int64_t ready = 0;   // tasks that could be claimed
    double used_seconds = 0;  // faded
    double used_share = 0;    // of what all teams used, faded, 0 … 1
    double fair_share = 0;    // by weight, among the teams that used some lately or want to
    double quota_used = 0;    // in this period
    std::optional<Timestamp> quota_renews_at;
    bool quota_exhausted = false;  // its next task does not fit
    bool paused = false;
};

struct ClassOverview {
    std::string device_class;
    double half_life_seconds = 0;    // in which use counts half
    double entry_limit_seconds = 0;  // how much later a heavy user starts at most
    std::int64_t devices = 0;
    std::int64_t ready = 0;
    std::int64_t running = 0;
    std::int64_t waiting = 0;  // for a start time or the next attempt, 10,000 at most
};

// How many jobs of a team may wait for their start, and how many it may submit in a minute, or in
// one after silence; none: any number.
struct TeamLimits {
    std::optional<int> queued_jobs;
    std::optional<int> jobs_per_minute;
};

struct TeamLimit {
    TeamId team;
    TeamLimits limits;
    std::int64_t queued = 0;  // jobs that wait; 0 where their number is not limited
};

// Why nothing is claimed for a team or by devices, and who said so.
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
    std::string device;  // of the node; empty: all of them
    std::string mode;
    std::string reason;
    bool by_admin = false;
};

// What keeps vacuum from removing dead rows, so that the tables of the queue grow; or, of
// replication_log, PostgreSQL from removing its log.
struct VacuumHolder {
    static constexpr double kWorthTelling = 60;  // seconds; shorter ones are everyday life

    std::string holder;  // session, replication_slot, prepared_transaction or replication_log
    std::string detail;  // which one
    Timestamp since;     // first seen
    double seconds = 0;  // since then, when it was looked
};

// Why a submit was refused.
struct OverQuota {
    std::string quota;  // queued_jobs, jobs_per_minute or device_seconds
    double used = 0;
    double limit = 0;
    double needed = 0;  // by the job, and those before it in a call; not of queued_jobs
    // Of device_seconds.
    std::string device_class;
    std::string period;
    std::optional<Timestamp> renews_at;  // of jobs_per_minute, when it would be taken
};

// What it is and what helps, for people.
std::string describe(const VacuumHolder& holder);

// The refusal as a sentence for people.
std::string describe(const OverQuota& refusal);

}  // namespace plimsoll::queue
