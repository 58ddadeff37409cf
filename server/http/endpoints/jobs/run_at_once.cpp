#include "server/http/endpoints/jobs/run_at_once.hpp"

#include "server/base/gzip.hpp"
#include "server/base/log.hpp"
#include "server/http/endpoints/jobs/job_spec.hpp"
#include "server/http/messages/limits.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::http::endpoints {

using SteadyClock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kLargestRows = 4 * 1024 * 1024;  // of one task

constexpr std::chrono::seconds kLongestCancel{30};
constexpr std::chrono::seconds kForgetTogether{1};

std::string why_ended(const queue::Ended& job) {
    return job.error.empty() ? "The job was cancelled." : job.error;
}

// A kind makes rows without results as it does for a quarantined task.
std::string as_unfinished(std::string_view rows) {
    std::string lines;
    while (!rows.empty()) {
        const auto end = rows.find('\n');
        auto row = nlohmann::json::parse(rows.substr(0, end));
        row["error_code"] = "unfinished";
        lines += row.dump() + '\n';
        rows.remove_prefix(end + 1);
    }
    return lines;
}

// The job was there.
template <class T>
Result<T> unless_lost(Result<T> found) {
    if (found || found.error().code != Errc::not_found) return found;
    return fail(Errc::unavailable, "The database crashed and lost the job: send it again.");
}

}  // namespace

awaitable<AtOnce> RunAtOnce::run(queue::NewJob job, const jobs::Contract& kind,
                                 std::chrono::milliseconds max, bool keep) const {
    const auto start = SteadyClock::now();
    const auto end = start + max;
    const auto plan = job.plan;  // what a row needs whose task does not end
    const auto team = job.team;
    const auto submitter = job.submitter;
    job.at_once = true;
    auto submitted = need(co_await store_.submit(std::move(job)));
    if (submitted.over_quota) throw Refused(over_quota(*submitted.over_quota, clock_.now()));
    auto found = need(unless_lost(co_await ended(team, submitted.id, start, end)));
    std::string missing;
    if (queue::is_final(found.state)) {
        missing = why_ended(found);
    } else {  // a cancelled job waits for nothing
        missing = co_await why_unfinished(team, found.id, kind, max);
        (void)co_await store_.cancel(team, submitter, found.id);
    }
    if (keep) need(unless_lost(co_await store_.keep(team, found.id)));  // the response names it
    co_return AtOnce{found.id, need(rows(found, plan, kind, missing))};
}

awaitable<Result<queue::Ended>> RunAtOnce::ended(TeamId team, JobId id,
                                                 SteadyClock::time_point since,
                                                 SteadyClock::time_point end) const {
    for (;;) {
        // It rarely ends immediately: the first check can wait.
        const auto wake = std::min(end, SteadyClock::now() + limits::kSignalWait);
        co_await signals_.changed_since(id, since, wake);
        since = SteadyClock::now();
        auto found = co_await store_.ended(team, id);
        if (!found || queue::is_final(found->state)) co_return found;
        if (draining_.begun() || SteadyClock::now() >= end) co_return found;
    }
}

awaitable<std::string> RunAtOnce::why_unfinished(TeamId team, JobId id, const jobs::Contract& kind,
                                                 std::chrono::milliseconds max) const {
    if (draining_.begun()) co_return "The server is stopping.";
    auto text = "The job did not finish within " + std::to_string(max.count() / 1000) + " s.";
    const auto wait = co_await store_.wait(team, id);
    if (wait && *wait) {
        const auto missing = queue::missing_capability(**wait, kind);
        text += ' ' + queue::describe(**wait, missing);
    }
    co_return text;
}

Result<std::string> RunAtOnce::rows(const queue::Ended& ended, const jobs::Plan& plan,
                                    const jobs::Contract& kind, std::string_view missing) {
    std::string lines;
    for (std::size_t task = 0; task < plan.tasks.size(); ++task) {
        const auto seq = static_cast<int>(task);
        const auto found = std::ranges::find(ended.tasks, seq, &queue::EndedTask::seq);
        if (found == ended.tasks.end() || !found->error.empty()) {
            const auto why = found == ended.tasks.end() ? missing : std::string_view(found->error);
            TRY(const auto failed, kind.failed_rows(plan.args, plan.tasks[task].input, why));
            lines += found == ended.tasks.end() ? as_unfinished(failed) : failed;
            continue;
        }
        TRY(const auto done, gunzip(found->content, kLargestRows));
        lines += done;
    }
    return lines;
}

awaitable<void> RunAtOnce::forget(TeamId team, JobId id, UserId by) {
    const bool first = forgotten_.empty();
    forgotten_[{team, by}].push_back(id);
    if (!first) co_return;
    boost::asio::co_spawn(co_await boost::asio::this_coro::executor, remove_forgotten(),
                          boost::asio::detached);
}

awaitable<void> RunAtOnce::remove_forgotten() {
    const auto held = draining_.hold();
    boost::asio::steady_timer pause(co_await boost::asio::this_coro::executor, kForgetTogether);
    if (!draining_.begun()) co_await pause.async_wait(boost::asio::use_awaitable);
    for (auto& [whose, ids] : std::exchange(forgotten_, {}))
        co_await remove(whose.first, whose.second, std::move(ids));
}

awaitable<void> RunAtOnce::remove(TeamId team, UserId by, std::vector<JobId> ids) const {
    auto left = co_await store_.remove_finished(team, by, ids);
    if (left && !left->empty()) {  // their workers have yet to let go of them
        const auto now = SteadyClock::now();
        for (const auto id : *left) (void)co_await ended(team, id, now, now + kLongestCancel);
        left = co_await store_.remove_finished(team, by, *left);
    }
    if (left && left->empty()) co_return;
    const auto& kept = left ? *left : ids;
    log::warn("jobs of scoring calls could not be deleted and are kept",
              {{"jobs", to_public(kept.front()) + (kept.size() > 1 ? ", …" : "")},
               {"why", left ? "they did not end" : left.error().message}});
}

}  // namespace plimsoll::http::endpoints
