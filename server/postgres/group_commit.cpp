#include "server/postgres/group_commit.hpp"

#include "server/postgres/enqueue.hpp"
#include "server/postgres/scope.hpp"

#include <deque>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::postgres {
namespace {

// Of one commit.
constexpr std::size_t kMostJobs = 1000;
constexpr std::size_t kMostTasks = 20'000;
constexpr std::size_t kMostBytes = 32 << 20;

// Of everything that waits; more is refused.
constexpr std::size_t kMostWaitingJobs = 10'000;
constexpr std::size_t kMostWaitingBytes = 256 << 20;

// A caller waits for the commit that is under way and for its own.
constexpr std::chrono::milliseconds kPatience = 2 * kCallTimeout + std::chrono::seconds(1);

std::size_t bytes_of(const queue::NewJob& job) {
    std::size_t bytes = 1024 + job.plan.args.size();
    for (const jobs::TaskSpec& task : job.plan.tasks) bytes += task.input.size() + 64;
    return bytes;
}

// Whether the failure may be one job's fault, so that the others deserve a try of their own.
bool may_be_one_jobs_fault(Errc code) {
    return code != Errc::unavailable && code != Errc::timeout && code != Errc::cancelled;
}

Result<queue::Submitted> answer(const Row& row) {
    const auto outcome = row.get<std::string>("outcome");
    if (outcome == "key_conflict") {
        return fail(Errc::conflict, "The idempotency key was used with another request.");
    }
    return queue::Submitted{JobId{row.get<std::int64_t>("job_id")}, outcome == "replayed"};
}

}  // namespace

struct GroupCommit::State : std::enable_shared_from_this<State> {
    struct Waiting {
        Waiting(const asio::any_io_executor& executor, queue::NewJob submitted)
            : job(std::move(submitted)), bytes(bytes_of(job)), done(executor) {}
        queue::NewJob job;
        std::size_t bytes;
        std::optional<Result<queue::Submitted>> result;
        asio::steady_timer done;
    };
    using Group = std::vector<std::shared_ptr<Waiting>>;

    State(asio::any_io_executor e, Pool& p) : executor(std::move(e)), pool(p) {}

    asio::awaitable<void> commit_all() {
        const auto self = shared_from_this();
        while (!waiting.empty()) co_await commit(next_group());
        committing = false;
    }

    Group next_group() {
        Group group;
        std::size_t tasks = 0;
        std::size_t bytes = 0;
        while (!waiting.empty() && group.size() < kMostJobs) {
            const auto& next = waiting.front();
            tasks += next->job.plan.tasks.size();
            bytes += next->bytes;
            if (!group.empty() && (tasks > kMostTasks || bytes > kMostBytes)) break;
            waiting_bytes -= next->bytes;
            group.push_back(next);
            waiting.pop_front();
        }
        return group;
    }

    asio::awaitable<void> commit(Group group) {
        std::vector<const queue::NewJob*> jobs;
        for (const auto& member : group) jobs.push_back(&member->job);
        auto rows = co_await pool.run(enqueue(jobs), kCallTimeout);
        if (!rows && group.size() > 1 && may_be_one_jobs_fault(rows.error().code)) {
            for (const auto& member : group) co_await commit({member});
            co_return;
        }
        for (std::size_t i = 0; i < group.size(); ++i) {
            group[i]->result = rows ? answer((*rows)[static_cast<int>(i)]) : fail(rows.error());
            group[i]->done.cancel();
        }
    }

    asio::any_io_executor executor;
    Pool& pool;
    std::deque<std::shared_ptr<Waiting>> waiting;
    std::size_t waiting_bytes = 0;
    bool committing = false;
};

GroupCommit::GroupCommit(asio::any_io_executor executor, Pool& pool)
    : state_(std::make_shared<State>(std::move(executor), pool)) {}

asio::awaitable<Result<queue::Submitted>> GroupCommit::submit(queue::NewJob job) {
    const auto state = state_;
    auto self = std::make_shared<State::Waiting>(state->executor, std::move(job));
    if (state->waiting.size() >= kMostWaitingJobs ||
        state->waiting_bytes + self->bytes > kMostWaitingBytes) {
        co_return fail(Errc::unavailable, "Too many jobs are being submitted.");
    }
    state->waiting.push_back(self);
    state->waiting_bytes += self->bytes;
    self->done.expires_after(kPatience);
    if (!std::exchange(state->committing, true)) {
        asio::co_spawn(state->executor, state->commit_all(), asio::detached);
    }
    co_await self->done.async_wait(asio::as_tuple(asio::use_awaitable));
    if (self->result) co_return std::move(*self->result);
    if (std::erase(state->waiting, self) > 0) {
        state->waiting_bytes -= self->bytes;
        co_return fail(Errc::unavailable, "The job was not stored: the database is too busy.");
    }
    co_return fail(Errc::timeout, "The database did not answer in time.");
}

}  // namespace plimsoll::postgres
