#pragma once

#include "server/queue/worker_store.hpp"
#include "server/worker/base/timer.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace plimsoll::worker {

// A queue in memory that records every call. A test sets `down` to make every call fail.
class FakeStore final : public queue::WorkerStore {
  public:
    FakeStore(const boost::asio::any_io_executor& executor, Timer& timer)
        : timer_(timer), notified_(executor) {}

    std::optional<Error> down;
    std::deque<std::vector<queue::ClaimedTask>> ready;  // one claim each
    std::deque<std::vector<queue::ClaimedTask>> ready_elsewhere;
    bool lose_answer_elsewhere = false;  // the next one
    std::chrono::milliseconds first_claim_takes{0};
    queue::HeartbeatReply reply;  // to the next heartbeat
    // Decides about a completion; accepted when empty.
    std::function<Result<queue::Acceptance>(const std::vector<queue::TaskReport>&)> judge;

    int registered = 0;
    int registrations_tried = 0;
    std::vector<std::string> capabilities;  // last registered
    int retired = 0;
    int claims = 0;
    std::map<std::int64_t, int> claims_by_epoch;
    int claims_elsewhere = 0;
    int last_max_tasks = 0;
    std::optional<std::int64_t> last_free_memory;
    int completions_tried = 0;
    std::vector<TimePoint> heartbeats;
    std::vector<std::pair<JobId, std::int64_t>> last_items;
    queue::WorkerTelemetry last_telemetry;
    std::map<std::int64_t, std::vector<queue::TaskReport>> recorded;  // by fence
    std::vector<std::int64_t> released;                               // fences
    std::vector<queue::TaskName> released_tasks;
    std::vector<queue::TaskLines> said;                          // about running tasks
    std::vector<std::pair<std::int64_t, queue::Freed>> cleaned;  // by request
    bool calls = false;  // the worker itself, with the next notification

    void notify() { notified_.set(); }

    awaitable<Result<queue::WorkerHandle>> register_worker(queue::WorkerInfo info) override {
        ++registrations_tried;
        if (down) co_return fail(*down);
        capabilities = info.capabilities;
        co_return queue::WorkerHandle{1, ++registered};
    }

    awaitable<Result<void>> report_unusable(queue::WorkerInfo) override {
        co_return Result<void>{};
    }

    awaitable<Result<queue::HeartbeatReply>> heartbeat(
        queue::WorkerHandle, std::vector<std::pair<JobId, std::int64_t>> items,
        queue::WorkerTelemetry telemetry) override {
        if (down) co_return fail(*down);
        heartbeats.push_back(timer_.now());
        last_items = std::move(items);
        last_telemetry = telemetry;
        co_return std::exchange(reply, {});
    }

    awaitable<Result<void>> report_cleanup(queue::WorkerHandle, std::int64_t cleanup,
                                           queue::Freed freed) override {
        if (down) co_return fail(*down);
        cleaned.emplace_back(cleanup, freed);
        co_return Result<void>{};
    }

    awaitable<Result<queue::Claim>> claim(queue::WorkerHandle worker, double, int max_tasks,
                                          std::optional<std::int64_t> free_memory) override {
        if (down) co_return fail(*down);
        ++claims;
        ++claims_by_epoch[worker.epoch];
        last_max_tasks = max_tasks;
        last_free_memory = free_memory;
        const auto takes = std::exchange(first_claim_takes, {});
        if (takes.count() > 0) co_await timer_.sleep_until(timer_.now() + takes);
        if (ready.empty()) co_return queue::Claim{};
        co_return next_of(ready);
    }

    awaitable<Result<queue::Claim>> claim_elsewhere(queue::WorkerHandle, double, int,
                                                    std::optional<std::int64_t>) override {
        if (down) co_return fail(*down);
        ++claims_elsewhere;
        if (ready_elsewhere.empty()) co_return queue::Claim{};
        auto claim = next_of(ready_elsewhere);
        if (std::exchange(lose_answer_elsewhere, false))
            co_return fail(Errc::unavailable, "The answer got lost.");
        co_return claim;
    }

    awaitable<Result<queue::Acceptance>> complete(queue::WorkerHandle, std::int64_t fence,
                                                  std::vector<queue::TaskReport> reports) override {
        ++completions_tried;
        if (down) co_return fail(*down);
        auto verdict = judge ? judge(reports) : queue::Acceptance::accepted;
        if (verdict && *verdict != queue::Acceptance::stale) {
            auto& kept = recorded[fence];
            kept.insert(kept.end(), reports.begin(), reports.end());
        }
        co_return verdict;
    }

    awaitable<Result<void>> record_log(queue::WorkerHandle, std::int64_t,
                                       std::vector<queue::TaskLines> tasks) override {
        if (down) co_return fail(*down);
        said.insert(said.end(), tasks.begin(), tasks.end());
        co_return Result<void>{};
    }

    awaitable<Result<void>> release(queue::WorkerHandle, std::int64_t fence,
                                    std::vector<queue::TaskName> tasks) override {
        if (down) co_return fail(*down);
        released.push_back(fence);
        released_tasks.insert(released_tasks.end(), tasks.begin(), tasks.end());
        co_return Result<void>{};
    }

    awaitable<Result<void>> retire(queue::WorkerHandle) override {
        if (down) co_return fail(*down);
        ++retired;
        co_return Result<void>{};
    }

    awaitable<bool> wake(queue::WorkerHandle, TimePoint deadline) override {
        using namespace boost::asio::experimental::awaitable_operators;
        co_await (notified_.wait() || timer_.sleep_until(deadline));
        co_return std::exchange(calls, false);
    }

  private:
    queue::Claim next_of(std::deque<std::vector<queue::ClaimedTask>>& from) {
        queue::Claim claim;
        claim.fence = ++fence_;
        claim.tasks = std::move(from.front());
        from.pop_front();
        return claim;
    }

    Timer& timer_;
    Event notified_;
    std::int64_t fence_ = 0;
};

}  // namespace plimsoll::worker
