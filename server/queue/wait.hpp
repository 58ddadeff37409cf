#pragma once

#include "server/base/time.hpp"
#include "server/jobs/kind.hpp"
#include "server/queue/shares.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::queue {

// What a job needs and no connected device of the class has.
struct Lacks {
    std::vector<std::string> missing;  // capabilities
    std::vector<std::string> instead;  // of the same sorts and names, which they have
    std::vector<std::string> nodes;    // that are away, and had one of the missing
    std::optional<std::int64_t> memory_mib;
};

// Why an unfinished job is not running now.
struct Wait {
    std::string kind;  // the job's
    // running, scheduled, retrying, paused, quota, no_device, no_fit, draining, cap, memory,
    // own_jobs, busy.
    std::string reason;
    std::optional<Timestamp> until;  // if it is scheduled, retrying or beyond the quota
    std::int64_t tasks_ahead = 0;    // of the team's own, if that is the reason
    std::string device_class;        // cpu, gpu, host
    std::optional<Share> share;      // the team's, of that class
    std::optional<Hold> hold;        // the hold that stops the job
    std::optional<Lacks> lacks;      // where nothing fits
    // Predicted start: the earliest if no other team gets a device, the latest if every waiting
    // team gets its share. None if unpredictable.
    std::optional<Timestamp> earliest_start_at;
    std::optional<Timestamp> latest_start_at;
};

// At most this many tasks ahead are counted.
constexpr std::int64_t kMaxTasksAhead = 10'000;

// What the job lacks, in the words of its kind. None: nothing, or the kind has no words for it.
std::optional<jobs::MissingCapability> missing_capability(const Wait& wait,
                                                          const jobs::Contract& kind);

// The reason as a sentence.
std::string describe(const Wait& wait, const std::optional<jobs::MissingCapability>& missing);

}  // namespace plimsoll::queue
