#include "server/postgres/jobs/submit.hpp"

#include "engine/base/json.hpp"
#include "server/postgres/jobs/enqueue.hpp"
#include "server/postgres/jobs/share_rows.hpp"
#include "server/postgres/pool/scope.hpp"

#include <algorithm>

namespace plimsoll::postgres {
namespace {

using Jobs = std::vector<const queue::NewJob*>;

// Thousands of jobs in a statement take longer than a call may.
constexpr std::chrono::seconds kBundleTimeout{30};
constexpr std::size_t kJobsPerStatement = 500;

Jobs pointers(const std::vector<queue::NewJob>& jobs) {
    Jobs all;
    all.reserve(jobs.size());
    for (const auto& job : jobs) all.push_back(&job);
    return all;
}

// For a bundle that was not stored: the failing jobs, and the others.
Stored conflicts(std::size_t jobs, const std::string& list) {
    Stored answers(jobs, fail(Errc::cancelled,
                              "Not stored, because another job of the bundle cannot be stored."));
    for (const auto& conflict : json::parse(list)) {
        auto& answer = answers.at(conflict.at("ord").get<std::size_t>() - 1);
        if (conflict.at("outcome") == "unique_conflict") {
            const auto holder = std::stoll(conflict.at("job_id").get<std::string>());
            answer = queue::Submitted{JobId{holder}, false, true};
        } else if (conflict.at("outcome") == "over_quota") {
            answer =
                queue::Submitted{{}, false, false, to_over_quota(conflict.at("refusal").dump())};
        } else {
            answer = fail(idempotency_mismatch());
        }
    }
    return answers;
}

// In bytes. A caller waits for the commit in progress and for its own.
constexpr RoundLimits kLimits{.calls = 1000,
                              .weight = 32 << 20,
                              .waiting_calls = 10'000,
                              .waiting_weight = 256 << 20,
                              .patience = 2 * kCallTimeout + std::chrono::seconds(1),
                              .gather = std::chrono::milliseconds(2)};

// Database cost of a job's and a task's rows in addition to their texts, so that 20,000 tasks fill
// a commit.
constexpr std::size_t kJobBytes = 1024;
constexpr std::size_t kTaskBytes = kLimits.weight / 20'000;

Result<queue::Submitted> to_answer(const Row& row, queue::NewJob& job) {
    auto submitted = to_submitted(row);
    if (submitted && row.get<std::string_view>("outcome") == "created") {
        submitted->made =
            queue::stored(std::move(job), submitted->id, row.get<Timestamp>("created_at"));
    }
    return submitted;
}

}  // namespace

awaitable<Result<Stored>> store_whole(Pool& pool, std::vector<queue::NewJob> jobs) {
    const auto all = pointers(jobs);
    auto replies = co_await pool.run(enqueue(all, true), kBundleTimeout);
    if (!replies && replies.error().code == Errc::conflict && !replies.error().where.empty())
        co_return conflicts(jobs.size(), replies.error().where);
    if (!replies) co_return fail(std::move(replies.error()));
    Stored answers;
    for (const Row row : (*replies)[kEnqueued]) answers.push_back(to_submitted(row));
    co_return answers;
}

awaitable<Stored> store_each(Pool& pool, std::vector<queue::NewJob> jobs) {
    const auto all = pointers(jobs);
    Stored answers;
    for (std::size_t first = 0, step = kJobsPerStatement; first < all.size();) {
        const auto count = std::min(step, all.size() - first);
        const auto replies =
            co_await pool.run(enqueue(std::span(all).subspan(first, count)), kBundleTimeout);
        if (!replies && count > 1 && may_be_one_jobs_fault(replies.error().code)) {
            step = 1;  // only the failing job is refused
            continue;
        }
        if (replies)
            for (const Row row : (*replies)[kEnqueued]) answers.push_back(to_submitted(row));
        else
            answers.insert(answers.end(), count, fail(replies.error()));
        first += count;
        if (first % kJobsPerStatement == 0) step = kJobsPerStatement;
    }
    co_return answers;
}

bool may_be_one_jobs_fault(Errc code) {
    return code != Errc::unavailable && code != Errc::timeout && code != Errc::cancelled;
}

Error idempotency_mismatch() {
    return {Errc::conflict, "The idempotency key was used with another request.", {}};
}

Result<queue::Submitted> to_submitted(const Row& row) {
    const auto outcome = row.get<std::string>("outcome");
    if (outcome == "key_conflict") return fail(idempotency_mismatch());
    if (outcome == "over_quota")
        return queue::Submitted{{}, false, false, to_over_quota(row.get<std::string>("refusal"))};
    return queue::Submitted{row.get<JobId>("job_id"), outcome == "replayed",
                            outcome == "unique_conflict"};
}

GroupCommit::GroupCommit(asio::any_io_executor executor, Pool& pool)
    : Rounds(std::move(executor), kLimits), pool_(pool) {}

std::size_t GroupCommit::weigh(const queue::NewJob& job) const {
    std::size_t bytes = kJobBytes + job.plan.args.size();
    for (const jobs::TaskSpec& task : job.plan.tasks) bytes += kTaskBytes + task.input.size();
    return bytes;
}

awaitable<void> GroupCommit::run(Round round) {
    std::vector<const queue::NewJob*> jobs;
    for (const auto& call : round) jobs.push_back(&call->asked);
    auto replies = co_await pool_.run(enqueue(jobs), kCallTimeout);
    if (!replies && round.size() > 1 && may_be_one_jobs_fault(replies.error().code)) {
        for (const auto& call : round) co_await run({call});
        co_return;
    }
    for (std::size_t i = 0; i < round.size(); ++i) {
        answer(*round[i],
               replies ? to_answer((*replies)[kEnqueued][static_cast<int>(i)], round[i]->asked)
                       : fail(replies.error()));
    }
}

}  // namespace plimsoll::postgres
