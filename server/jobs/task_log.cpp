#include "server/jobs/task_log.hpp"

#include "engine/text/utf8.hpp"

#include <algorithm>

namespace plimsoll::jobs {
namespace {

// What breaks a line, moves a terminal's cursor, or reorders the text around it.
bool is_unsafe(char32_t code) {
    const auto within = [code](char32_t from, char32_t to) { return code >= from && code <= to; };
    return code < 0x20 || within(0x7f, 0x9f) || code == 0x61c || within(0x200e, 0x200f) ||
           within(0x2028, 0x202e) || within(0x2066, 0x2069) || code == 0xfeff;
}

}  // namespace

std::string to_log_text(std::string_view text, std::size_t max) {
    std::string line;
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (count++ == max) return line + "…";
        const auto decoded = text::decode_utf8(text, at);
        text::append_utf8(line, is_unsafe(decoded.code_point) ? U' ' : decoded.code_point);
        at += decoded.length;
    }
    return line;
}

std::string failed_summary(const std::map<std::string, std::int64_t, std::less<>>& by_code,
                           std::int64_t all, std::string_view items) {
    std::int64_t failed = 0;
    std::string reasons;
    for (const auto& [code, count] : by_code) {
        failed += count;
        reasons += (reasons.empty() ? "" : ", ") + code + " (" + std::to_string(count) + ")";
    }
    return std::to_string(failed) + " of " + std::to_string(all) + " " + std::string(items) +
           " failed: " + reasons + ".";
}

bool LogBudget::take(Clock::time_point now) {
    constexpr double kAtOnce = 500;
    constexpr double kPerSecond = 50;
    const std::lock_guard lock(mutex_);
    if (counted_ != Clock::time_point{}) {
        const std::chrono::duration<double> passed = now - counted_;
        left_ = std::min(kAtOnce, left_ + std::max(0.0, passed.count()) * kPerSecond);
    }
    counted_ = now;
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
}

void TaskLog::say(LogLevel level, std::string_view text) {
    const auto now = LogBudget::Clock::now();
    const std::lock_guard lock(mutex_);
    if (std::ssize(lines_) == kMax || (budget_ != nullptr && !budget_->take(now))) {
        ++left_out_;
        return;
    }
    lines_.push_back({static_cast<int>(lines_.size()) + 1, level, now, to_log_text(text)});
}

std::vector<LogLine> TaskLog::unsent() const {
    const std::lock_guard lock(mutex_);
    return unsent_locked();
}

std::vector<LogLine> TaskLog::unsent_locked() const {
    return {lines_.begin() + sent_, lines_.end()};
}

void TaskLog::mark_sent(int number) {
    const std::lock_guard lock(mutex_);
    sent_ = std::max(sent_, number);
}

std::vector<LogLine> TaskLog::last() const {
    const std::lock_guard lock(mutex_);
    auto lines = unsent_locked();
    if (left_out_ > 0) {
        lines.push_back({kMax + 1, LogLevel::warning, LogBudget::Clock::now(),
                         "Lines left out: " + std::to_string(left_out_) + "."});
    }
    return lines;
}

}  // namespace plimsoll::jobs
