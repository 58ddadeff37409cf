#pragma once

#include "server/base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::queue {

// A part of a job that runs on one device, with its latest attempt.
struct Task {
    int number = 0;
    std::int64_t first_item = 0;
    std::int64_t items = 0;
    std::string state = {};  // waiting, running, done, failed, cancelled
    int attempt = 0;         // number of the latest attempt; 0: none yet
    std::string node = {};   // of it; empty, as are the next two: none, or no longer known
    std::string device = {};
    std::string device_class = {};
    std::optional<Timestamp> started_at = {};
    std::optional<Timestamp> ended_at = {};
    std::optional<double> seconds = {};
    std::optional<std::int64_t> items_ok = {};
    std::optional<std::int64_t> items_failed = {};
    std::string error = {};  // of the latest attempt that failed; empty once the task is done
};

struct TaskFilter {
    std::string state = {};  // empty, as in the next three: any
    std::string node = {};
    std::string device = {};
    std::string error = {};  // a part of it, ignoring case
    int attempt = 0;         // at least
    int after = -1;          // keyset cursor: tasks after this one
    int limit = 50;
};

// How many tasks one call examines for conditions without an index.
inline constexpr int kTasksExamined = 5'000;

struct FoundTasks {
    std::vector<Task> tasks = {};  // by number
    // The last examined task, if the search ended before the last one.
    std::optional<int> examined_to = {};
};

}  // namespace plimsoll::queue
