#include "server/http/endpoints/jobs/run_at_once.hpp"

#include "server/base/gzip.hpp"
#include "server/base/log.hpp"
#include "server/http/endpoints/jobs/job_spec.hpp"
#include "server/http/messages/limits.hpp"

#include <algorithm>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::http::endpoints {

using SteadyClock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kLargestRows = 4 * 1024 * 1024;  // of one task

constexpr std::chrono::seconds kLongestCancel{30};

std::string why_ended(const queue::Job& job) {
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

}  // namespace

awaitable<AtOnce> RunAtOnce::run(queue::NewJob job, const jobs::Contract& kind,
                                 std::chrono::milliseconds max) const {
    const auto start = SteadyClock::now();
    const auto end = start + max;
    const auto plan = job.plan;  // what a row needs whose task does not end
    const auto team = job.team;
    const auto submitter = job.submitter;
    auto submitted = need(co_await store_.submit(std::move(job)));
    if (submitted.over_quota) throw Refused(over_quota(*submitted.over_quota, clock_.now()));
    queue::Job made;
    made.id = submitted.id;
    made.team = team;
    auto last = need(co_await ended(std::move(made), start, end));
    std::string missing;
    if (queue::is_final(last.state)) {
        missing = why_ended(last);
    } else {
        missing = co_await why_unfinished(last, kind, max);  // a cancelled job waits for nothing
        (void)co_await store_.cancel(team, submitter, last.id);
    }
    auto lines = need(co_await rows(last, plan, kind, missing));
    co_return AtOnce{std::move(last), std::move(lines)};
}

awaitable<Result<queue::Job>> RunAtOnce::ended(queue::Job job, SteadyClock::time_point since,
                                               SteadyClock::time_point end) const {
    for (;;) {
        // It rarely ends immediately: the first check can wait.
        const auto wake = std::min(end, SteadyClock::now() + limits::kSignalWait);
        co_await signals_.changed_since(job.id, since, wake);
        since = SteadyClock::now();
        auto found = co_await store_.get(job.team, job.id);
        if (!found || queue::is_final(found->state)) co_return found;
        if (draining_.begun() || SteadyClock::now() >= end) co_return found;
    }
}

awaitable<std::string> RunAtOnce::why_unfinished(const queue::Job& job, const jobs::Contract& kind,
                                                 std::chrono::milliseconds max) const {
    if (draining_.begun()) co_return "The server is stopping.";
    auto text = "The job did not finish within " + std::to_string(max.count() / 1000) + " s.";
    const auto wait = co_await store_.wait(job.team, job.id);
    if (wait && *wait) {
        const auto missing = queue::missing_capability(**wait, kind);
        text += ' ' + queue::describe(**wait, missing);
    }
    co_return text;
}

awaitable<Result<std::string>> RunAtOnce::rows(const queue::Job& job, const jobs::Plan& plan,
                                               const jobs::Contract& kind,
                                               std::string_view missing) const {
    std::vector<queue::ChunkInfo> chunks;
    if (queue::is_final(job.state)) {
        CO_TRY(chunks, co_await store_.result_chunks(job.team, job.id));
    }
    std::string lines;
    for (std::size_t task = 0; task < plan.tasks.size(); ++task) {
        const auto seq = static_cast<int>(task);
        const auto chunk = std::ranges::find(chunks, seq, &queue::ChunkInfo::seq);
        if (chunk == chunks.end() || !chunk->error.empty()) {
            const auto why = chunk == chunks.end() ? missing : std::string_view(chunk->error);
            CO_TRY(const auto failed, kind.failed_rows(plan.args, plan.tasks[task].input, why));
            lines += chunk == chunks.end() ? as_unfinished(failed) : failed;
            continue;
        }
        CO_TRY(const auto packed, co_await store_.result_chunk(job.team, job.id, seq));
        CO_TRY(const auto done, gunzip(packed, kLargestRows));
        lines += done;
    }
    co_return lines;
}

awaitable<void> RunAtOnce::remove(TeamId team, UserId by, JobId id) const {
    auto removed = co_await store_.remove(team, by, id);
    if (!removed && removed.error().code == Errc::conflict) {  // its worker has yet to let go of it
        queue::Job job;
        job.id = id;
        job.team = team;
        const auto now = SteadyClock::now();
        (void)co_await ended(std::move(job), now, now + kLongestCancel);
        removed = co_await store_.remove(team, by, id);
    }
    if (!removed) {
        log::warn("a job of this call could not be deleted and is kept",
                  {{"job", to_public(id)}, {"why", removed.error().message}});
    }
}

awaitable<void> RunAtOnce::forget(const queue::Job& job, UserId by) const {
    boost::asio::co_spawn(co_await boost::asio::this_coro::executor, remove(job.team, by, job.id),
                          boost::asio::detached);
}

}  // namespace plimsoll::http::endpoints
