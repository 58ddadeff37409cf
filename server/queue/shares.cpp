#include "server/queue/shares.hpp"

#include <cstdio>

namespace plimsoll::queue {
namespace {

std::string rounded(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value < 100 ? "%.3g" : "%.0f", value);
    return text;
}

std::string name_of(const VacuumHolder& holder) {
    if (holder.holder.starts_with("replication_")) return "The replication slot " + holder.detail;
    if (holder.holder == "prepared_transaction") return "The prepared transaction " + holder.detail;
    return "A PostgreSQL session, " + holder.detail + ",";
}

}  // namespace

std::string describe(const VacuumHolder& holder) {
    const auto minutes = std::to_string(static_cast<std::int64_t>(holder.seconds) / 60) + " min";
    if (holder.holder == "replication_log") {
        return name_of(holder) + " has not been read for " + minutes +
               ". Until it is read or dropped, PostgreSQL retains its write-ahead log and the disk "
               "fills up.";
    }
    return name_of(holder) + " has kept an old snapshot for " + minutes +
           ". Until it ends, vacuum cannot remove dead rows and the queue's tables grow.";
}

std::string describe(const OverQuota& refusal) {
    if (refusal.quota == "queued_jobs") {
        return "The team may have " + rounded(refusal.limit) +
               " jobs that have not started, and has reached that limit.";
    }
    if (refusal.quota == "jobs_per_minute")
        return "The team may submit at most " + rounded(refusal.limit) + " jobs per minute.";
    const auto quota = rounded(refusal.limit) + " device-seconds of class " + refusal.device_class +
                       " in a " + refusal.period;
    if (refusal.needed > refusal.limit) {
        return "The job is estimated to take " + rounded(refusal.needed) +
               " device-seconds; the team may use " + quota + ".";
    }
    return "The job is estimated to take " + rounded(refusal.needed) +
           " device-seconds; the team has used " + rounded(refusal.used) + " of " + quota + ".";
}

}  // namespace plimsoll::queue
