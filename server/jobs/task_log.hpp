#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::jobs {

enum class LogLevel { info = 1, warning, error };

// The text of a log line: one line, without control characters or directional formatting, in valid
// UTF-8, and cut after `max` characters. What comes from a record or a driver cannot forge a line.
std::string to_log_text(std::string_view text, std::size_t max = 300);

// "3 of 100 texts failed: empty_text (2), too_long (1)." `items`: what the kind calls them.
std::string failed_summary(const std::map<std::string, std::int64_t, std::less<>>& by_code,
                           std::int64_t all, std::string_view items);

// How fast all tasks of a worker together may write to their logs: 500 lines at once, then 50 a
// second. Thread-safe.
class LogBudget {
  public:
    using Clock = std::chrono::steady_clock;
    bool take(Clock::time_point now);

  private:
    std::mutex mutex_;
    double left_ = 500;
    Clock::time_point counted_{};
};

struct LogLine {
    int number = 1;  // within the attempt
    LogLevel level = LogLevel::info;
    std::chrono::steady_clock::time_point at{};
    std::string text;
};

// What a worker says about an attempt at a task, for people who ask what happened: the model it
// loaded, why records failed, what it went without. Never the text of a record, and never a line
// for each. The first 50 lines are kept, and the number of the others. Written by the computing
// thread, read by any.
class TaskLog {
  public:
    static constexpr int kMax = 50;

    // A budget shared with other tasks; it outlives this. Call before the first line.
    void limit_by(LogBudget* budget) { budget_ = budget; }
    void say(LogLevel level, std::string_view text);

    // Lines that are not marked as sent, oldest first.
    std::vector<LogLine> unsent() const;
    void mark_sent(int number);
    // The same at the end of the attempt, with a line that counts those left out.
    std::vector<LogLine> last() const;

  private:
    std::vector<LogLine> unsent_locked() const;

    mutable std::mutex mutex_;
    LogBudget* budget_ = nullptr;
    std::vector<LogLine> lines_;
    int sent_ = 0;
    int left_out_ = 0;
};

}  // namespace plimsoll::jobs
