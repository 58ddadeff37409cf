#pragma once

#include "server/base/time.hpp"
#include "server/queue/shares.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::queue {

// A model that a job's tasks need, as its lane names it.
struct NeededModel {
    std::string name;
    std::string hash;  // its first characters
    std::string form;

    bool operator==(const NeededModel&) const = default;
};

// What no connected device of a class has that a job needs.
struct Lacks {
    std::vector<NeededModel> models;
    std::vector<NeededModel> instead;  // of the same names, which they have
    std::vector<std::string> nodes;    // where one of the models was within the last hour
    std::optional<std::int64_t> memory_mib;
};

// The model of a capability: "model finbert 0123456789ab bf16", or "measure …" for a measurement of
// it. None: it is another ability.
std::optional<NeededModel> model_of_capability(std::string_view capability);

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
    std::optional<Lacks> lacks;      // where nothing fits
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
