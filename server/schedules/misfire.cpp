#include "server/schedules/misfire.hpp"

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

}  // namespace plimsoll::schedules
