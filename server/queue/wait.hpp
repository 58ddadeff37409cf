#pragma once

#include "server/base/time.hpp"
#include "server/queue/shares.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace plimsoll::queue {

// Why an unfinished job is not running now.
struct Wait {
    // running, scheduled, retrying, paused, quota, no_device, no_fit, draining, cap, own_jobs,
    // busy.
    std::string reason;
    std::optional<Timestamp> until;  // if it is scheduled, retrying or beyond the quota
    std::int64_t tasks_ahead = 0;    // of the team's own, if that is the reason
    std::string device_class;        // cpu, gpu, host
    std::optional<Share> share;      // the team's, of that class
    std::optional<Hold> hold;        // the hold that stops the job
    // Predicted start: the earliest if no other team gets a device, the latest if every waiting
    // team gets its share. None if unpredictable.
    std::optional<Timestamp> earliest_start_at;
    std::optional<Timestamp> latest_start_at;
};

// At most this many tasks ahead are counted.
constexpr std::int64_t kMostTasksAhead = 10'000;

// The reason as a sentence.
std::string describe(const Wait& wait);

}  // namespace plimsoll::queue
