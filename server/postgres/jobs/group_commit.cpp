#include "server/postgres/jobs/group_commit.hpp"

#include "server/postgres/jobs/enqueue.hpp"
#include "server/postgres/jobs/share_rows.hpp"
#include "server/postgres/pool/scope.hpp"

namespace plimsoll::postgres {
namespace {

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

bool may_be_one_jobs_fault(Errc code) {
    return code != Errc::unavailable && code != Errc::timeout && code != Errc::cancelled;
}

Error idempotency_mismatch() {
    return {Errc::conflict, "The idempotency key was used with another request.", {}};
}

Result<queue::Submitted> to_submitted(const Row& row) {
    const auto outcome = row.get<std::string>("outcome");
    if (outcome == "key_conflict") return fail(idempotency_mismatch());
    if (outcome == "over_quota") {
        return queue::Submitted{{}, false, false, to_over_quota(row.get<std::string>("refusal"))};
    }
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

asio::awaitable<void> GroupCommit::run(Round round) {
    std::vector<const queue::NewJob*> jobs;
    for (const auto& call : round) jobs.push_back(&call->asked);
    auto replies = co_await pool_.run(enqueue(jobs), kCallTimeout);
    if (!replies && round.size() > 1 && may_be_one_jobs_fault(replies.error().code)) {
        for (const auto& call : round) co_await run({call});
        co_return;
    }
    for (std::size_t i = 0; i < round.size(); ++i) {
        answer(*round[i], replies ? to_answer(replies->back()[static_cast<int>(i)], round[i]->asked)
                                  : fail(replies.error()));
    }
}

}  // namespace plimsoll::postgres
