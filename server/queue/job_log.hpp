#pragma once

#include "server/base/time.hpp"
#include "server/jobs/task_log.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace plimsoll::queue {

// Keyset cursor of a job's log.
struct LogPlace {
    int task = -1;
    std::int64_t fence = 0;
    int number = 0;
};

// A line of a job's log: what the queue, a worker or its supervisor says about an attempt.
struct JobLogLine {
    enum class Source { queue, worker, supervisor };

    LogPlace place;
    bool merge = false;  // of the task that makes the report
    int attempt = 1;
    Timestamp at;
    jobs::LogLevel level = jobs::LogLevel::info;
    Source source = Source::queue;
    std::string text;
};

struct LogFilter {
    std::optional<int> task = {};
    std::optional<int> attempt = {};
    std::optional<jobs::LogLevel> min = {};
    std::optional<Timestamp> from = {};
    std::optional<Timestamp> to = {};  // not included
    LogPlace after = {};
    int limit = 100;
};

// What the queue knows about an attempt's start and end, from which it writes their lines.
struct AttemptNews {
    std::string what;     // started, ended, said, process_ended
    std::string text;     // the error, what was said, or how the process ended
    std::string outcome;  // as Attempt::outcome
    std::string node;     // empty, as are the next two: no longer known
    std::string device;
    std::string device_class;
    int attempt = 1;
    std::optional<double> seconds = {};
    std::int64_t items_ok = 0;
    std::int64_t items_failed = 0;
};

JobLogLine::Source source_of(const AttemptNews& news);
// One safe line, whoever wrote it: workers parse hostile files.
std::string text_of(const AttemptNews& news);

}  // namespace plimsoll::queue
