#include "server/schedules/times.hpp"

#include <algorithm>
#include <chrono>
#include <deque>

namespace plimsoll::schedules {
namespace {

constexpr std::size_t kDuesAtOnce = 1000;  // due times computed in one go

// The due times from `next` to `now`: how many were missed, the latest of those, and the first that
// was not, which may be in the future.
struct Backlog {
    int missed = 0;
    std::deque<std::int64_t> latest;
    std::optional<std::int64_t> in_time;
};

Backlog look(const Cron& cron, const Zone& zone, std::size_t keep, std::int64_t next,
             std::int64_t now) {
    Backlog backlog;
    std::vector<std::int64_t> dues = {next};
    while (!dues.empty()) {
        for (const auto due : dues) {
            if (due >= now - kMissedAfter) {
                backlog.in_time = due;
                return backlog;
            }
            ++backlog.missed;
            backlog.latest.push_back(due);
            if (backlog.latest.size() > keep) backlog.latest.pop_front();
        }
        dues = next_dues(cron, zone, dues.back(), kDuesAtOnce);
    }
    return backlog;
}

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kHour = 3'600;
constexpr std::int64_t kMinute = 60;
constexpr int kMaxYears = 50;  // between two leap days that are Sundays there are 40 at most

std::int64_t day_of(std::int64_t seconds) { return seconds / kDay - (seconds % kDay < 0 ? 1 : 0); }

Date date_of(std::int64_t day) {
    const std::chrono::sys_days days{std::chrono::days(day)};
    const std::chrono::year_month_day date(days);
    const std::chrono::year_month_day_last last(date.year(), date.month() / std::chrono::last);
    return {static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
            static_cast<int>(static_cast<unsigned>(date.day())),
            static_cast<int>(std::chrono::weekday(days).c_encoding()),
            static_cast<int>(static_cast<unsigned>(last.day()))};
}

// The due times of a day, as clocks count it there, sorted.
class DayTimes {
  public:
    DayTimes(const Cron& cron, const Zone& zone) : cron_(cron), zone_(zone) {}

    std::vector<std::int64_t> of(std::int64_t day) {
        times_.clear();
        for (int hour = 0; hour < 24; ++hour)
            if (cron_.hours()[static_cast<std::size_t>(hour)]) add_hour(day * kDay + hour * kHour);
        std::ranges::sort(times_);
        times_.erase(std::ranges::unique(times_).begin(), times_.end());
        return times_;
    }

  private:
    // Most hours contain no clock change, which two zone look-ups show.
    void add_hour(std::int64_t local) {
        const auto first = zone_.shown(local);
        const auto last = zone_.shown(local + kHour - 1);
        const bool plain = !first.skipped && !last.skipped && !first.instant.again &&
                           !last.instant.again &&
                           last.instant.seconds - first.instant.seconds == kHour - 1;
        for (int minute = 0; minute < 60; ++minute) {
            if (!cron_.minutes()[static_cast<std::size_t>(minute)]) continue;
            if (plain)
                times_.push_back(first.instant.seconds + minute * kMinute);
            else
                add(zone_.shown(local + minute * kMinute));
        }
    }

    void add(const zones::Shown& shown) {
        if (shown.skipped && !cron_.fixed()) return;
        times_.push_back(shown.instant.seconds);
        if (shown.instant.again && !cron_.fixed()) times_.push_back(*shown.instant.again);
    }

    const Cron& cron_;
    const Zone& zone_;
    std::vector<std::int64_t> times_;
};

}  // namespace

Step next_step(const Cron& cron, const Zone& zone, Misfire misfire, int limit, std::int64_t next,
               std::int64_t now) {
    const auto keep = misfire == Misfire::all ? static_cast<std::size_t>(limit) : 1;
    const auto backlog = look(cron, zone, keep, next, now);
    const bool in_time = backlog.in_time && *backlog.in_time <= now;
    if (backlog.missed == 0 || (misfire == Misfire::once && in_time)) {
        // A run that is on time also covers the missed ones.
        const auto due = *backlog.in_time;
        return {due, true, backlog.missed, next_due(cron, zone, due)};
    }
    const auto due = backlog.latest.front();
    const auto let_go = backlog.missed - static_cast<int>(backlog.latest.size());
    const auto then = backlog.latest.size() > 1 ? backlog.latest[1] : backlog.in_time;
    return {due, misfire != Misfire::skip, let_go, then};
}

std::vector<std::int64_t> next_dues(const Cron& cron, const Zone& zone, std::int64_t after,
                                    std::size_t count) {
    std::vector<std::int64_t> found;
    DayTimes times(cron, zone);
    // Where clocks go back over midnight, times of two days alternate: times of a day later than
    // the beginning of the next day are merged with those of the next day.
    std::vector<std::int64_t> pending;
    const auto begin = day_of(after + zone.offset(after)) - 1;
    const auto end = begin + kMaxYears * 366LL;
    const auto take = [&](std::int64_t until) {
        std::ranges::sort(pending);
        pending.erase(std::ranges::unique(pending).begin(), pending.end());
        auto at = pending.begin();
        for (; at != pending.end() && *at <= until && found.size() < count; ++at)
            found.push_back(*at);
        pending.erase(pending.begin(), at);
    };
    for (auto day = begin; day < end && found.size() < count; ++day) {
        const bool counts = cron.on(date_of(day));
        if (!counts && pending.empty()) continue;
        if (counts) {
            for (const auto time : times.of(day))
                if (time > after) pending.push_back(time);
        }
        take(zone.shown((day + 1) * kDay).instant.seconds - 1);  // later days are later
    }
    take(INT64_MAX);
    return found;
}

std::optional<std::int64_t> next_due(const Cron& cron, const Zone& zone, std::int64_t after) {
    const auto found = next_dues(cron, zone, after, 1);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

}  // namespace plimsoll::schedules
