#pragma once

#include "server/base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace plimsoll::queue {

// Why a job that has not ended does not run just now.
struct Wait {
    // running, scheduled, retrying, paused, no_device, no_fit, draining, cap, own_jobs or busy.
    std::string reason;
    std::optional<Timestamp> until;  // when it is scheduled or retrying
    std::int64_t tasks_ahead = 0;    // of the team's own, when these are the reason
    std::string device_class;        // cpu, gpu, host
};

// At most so many tasks ahead are counted.
constexpr std::int64_t kMostTasksAhead = 10'000;

// The reason as a sentence for people.
std::string describe(const Wait& wait);

}  // namespace plimsoll::queue
