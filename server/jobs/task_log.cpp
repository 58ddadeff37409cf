#include "server/jobs/task_log.hpp"

#include <algorithm>

namespace plimsoll::jobs {
namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 0;  // 0: invalid UTF-8
};

Character first_of(std::string_view text) {
    const auto byte = [text](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto lead = byte(0);
    const std::size_t bytes = lead < 0x80                    ? 1
                              : lead >= 0xc2 && lead < 0xe0  ? 2
                              : lead >= 0xe0 && lead < 0xf0  ? 3
                              : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                             : 0;
    if (bytes == 0) return {};
    std::uint32_t code = bytes == 1 ? lead : lead & (0xffU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) return {};
        code = (code << 6U) | (byte(i) & 0x3fU);
    }
    constexpr std::uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
    const bool valid =
        code >= kLeast[bytes - 1] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return valid ? Character{code, bytes} : Character{};
}

// What breaks a line, moves a terminal's cursor, or reorders the text around it.
bool is_unsafe(std::uint32_t code) {
    const auto within = [code](std::uint32_t from, std::uint32_t to) {
        return code >= from && code <= to;
    };
    return code < 0x20 || within(0x7f, 0x9f) || code == 0x61c || within(0x200e, 0x200f) ||
           within(0x2028, 0x202e) || within(0x2066, 0x2069) || code == 0xfeff;
}

}  // namespace

std::string to_log_text(std::string_view text, std::size_t most) {
    std::string line;
    std::size_t count = 0;
    while (!text.empty()) {
        if (count++ == most) return line + "…";
        const auto character = first_of(text);
        const auto bytes = std::max<std::size_t>(1, character.bytes);
        if (character.bytes == 0) {
            line += "\xef\xbf\xbd";
        } else if (is_unsafe(character.code)) {
            line += ' ';
        } else {
            line += text.substr(0, bytes);
        }
        text.remove_prefix(bytes);
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
    if (std::ssize(lines_) == kMost || (budget_ != nullptr && !budget_->take(now))) {
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
        lines.push_back({kMost + 1, LogLevel::warning, LogBudget::Clock::now(),
                         "Further lines left out: " + std::to_string(left_out_) + "."});
    }
    return lines;
}

}  // namespace plimsoll::jobs
