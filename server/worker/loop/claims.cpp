#include "server/base/log.hpp"
#include "server/worker/loop/inputs.hpp"
#include "server/worker/loop/worker.hpp"

#include <algorithm>

#include <boost/asio/experimental/awaitable_operators.hpp>

// Claiming: what a worker claims, and when.
namespace plimsoll::worker {

using namespace boost::asio::experimental::awaitable_operators;

namespace {

// One claim's tasks run, another's wait: the device never idles for a round trip, and little is
// held back from other workers.
constexpr std::size_t kMaxClaims = 2;

// A claim and its record cost the database about the same for one task and for ten. Where tasks
// arrive while others are worked off, nobody waits for the result before sending the next: claims
// are then made so far apart that they and the records take a quarter of the time.
constexpr int kGatherFactor = 4;
constexpr std::size_t kSeveral = 4;

}  // namespace

// Whether somebody waits for the tasks of a claim, and it got all that there was: what comes later
// is announced. The next claim then waits for that, or for their end, and does not take the
// processor from them. For other tasks that would make claims smaller, and more.
bool Worker::took_all_urgent(const queue::Claim& claim) const {
    double seconds = 0;
    for (const auto& task : claim.tasks) seconds += task.estimated_seconds;
    return claim.tasks.size() < kSeveral && 2 * seconds < pace_.work() && !claim.elsewhere &&
           std::ranges::all_of(
               claim.tasks, [](const auto& task) { return task.priority >= kUrgentPriority; });
}

bool Worker::wants_work() const {
    return !must_register_ && !renewing_ && !device_silent_ && !has_suspect(outstanding_) &&
           count_claims(outstanding_) < kMaxClaims && !is_helping(outstanding_) &&
           pace_.claims_ahead_of(estimated_seconds(outstanding_));
}

// Call when tasks have become ready.
void Worker::gather() {
    if (outstanding_.empty() || !claimed_several_) return;
    const auto apart = std::min<TimePoint::duration>(options_.gather,
                                                     kGatherFactor * (claim_took_ + record_took_));
    claim_from_ = claimed_at_ + apart;
}

// Only a worker without any work, and not with every notification.
bool Worker::may_help() const {
    return !info_.helps.empty() && outstanding_.empty() && !draining_ && !renewing_ &&
           !must_register_ && timer_.now() >= help_from_;
}

// Read again after each batch and with every poll, because other programs share the device. Tasks
// run one at a time, so what the running one holds now is free again when the next one begins: the
// offer is rather too small.
std::optional<std::int64_t> Worker::free_memory() {
    if (timer_.now() < free_memory_until_) return free_memory_;
    const auto memory = device_.memory();
    free_memory_.reset();
    if (memory) {
        telemetry_.free_memory = static_cast<std::int64_t>(memory->free);
        free_memory_ = std::max<std::int64_t>(0, *telemetry_.free_memory - options_.memory_reserve);
        telemetry_.offered_memory = free_memory_;
    }
    if (outstanding_.empty()) free_memory_until_ = timer_.now() + options_.memory_max_age;
    return free_memory_;
}

// From its own class or, if that has none, from another.
awaitable<Result<queue::Claim>> Worker::claim_for(queue::WorkerHandle as) {
    auto claim = co_await store_.claim(as, pace_.work(), pace_.tasks(), free_memory());
    if (!claim || claim->fence != 0 || !may_help()) co_return claim;
    auto help =
        co_await store_.claim_elsewhere(as, options_.claim_seconds, pace_.tasks(), free_memory());
    if (!help) {
        // Nothing may be claimed alongside a cross-class lease, and there may be one whose reply
        // was lost. A new epoch has none.
        if (!is_gone(help.error())) co_await store_.retire(as);
        if (as.epoch == handle_.epoch && !must_register_) lose_leases();
        co_return help;
    }
    help->elsewhere = true;
    if (help->fence == 0) help_from_ = timer_.now() + options_.cross_class_poll;
    co_return help;
}

awaitable<void> Worker::claims() {
    while (!draining_) {
        if (!wants_work()) {
            co_await for_claims_.wait();
            continue;
        }
        const auto start_at = timer_.now();
        if (start_at < claim_from_) {
            co_await (timer_.sleep_until(claim_from_) || for_claims_.wait());
            continue;
        }
        const auto as = handle_;
        claiming_ = true;
        auto claim = co_await claim_for(as);
        claiming_ = false;
        if (claim) {
            outage_.ends();
            retry_.reset();
            if (claim->fence != 0) {
                claimed_at_ = start_at;
                claim_took_ = timer_.now() - start_at;
                const bool all = took_all_urgent(*claim);
                start(as, std::move(*claim));
                if (all && !draining_) co_await for_claims_.wait();
            } else if (!draining_) {
                co_await for_claims_.wait();
            }
        } else if (is_gone(claim.error())) {
            if (as.epoch == handle_.epoch && !must_register_) lose_leases();
        } else {
            // If only the reply was lost, the queue reclaims the lease: no heartbeat names that
            // lease.
            if (!outage_.begins_with(claim.error()))
                log::error("claim refused", {{"reason", claim.error().message}});
            co_await (timer_.sleep_until(timer_.now() + retry_.next()) || for_claims_.wait());
        }
    }
    if (over()) wake_all();  // only the claim in progress was still awaited
}

void Worker::start(queue::WorkerHandle as, queue::Claim claim) {
    // Registered again during the claim: its lease belongs to the old epoch and expires.
    if (must_register_ || as.epoch != handle_.epoch) return;
    divide_chunks(claim.tasks);
    claimed_several_ =
        claim.tasks.size() >= kSeveral && std::ranges::none_of(claim.tasks, [](const auto& task) {
            return task.priority >= kUrgentPriority;
        });
    for (const bool urgent : {true, false}) {
        auto batch = std::make_shared<Batch>();
        batch->worker = as;
        batch->fence = claim.fence;
        batch->claimed = SystemClock().now();
        batch->elsewhere = claim.elsewhere;
        batch->urgent = urgent;
        for (auto& task : claim.tasks) {
            if ((task.priority >= kUrgentPriority) != urgent) continue;
            batch->slots.push_back(std::make_unique<TaskSlot>());
            batch->slots.back()->log.limit_by(&log_budget_);
            batch->slots.back()->progress.set_total(task.items);
            batch->slots.back()->task = std::move(task);
        }
        if (batch->slots.empty()) continue;
        outstanding_.push_back(batch);
        device_.submit(std::move(batch));
    }
    free_memory_until_ = {};
    ++telemetry_.claims;
}

}  // namespace plimsoll::worker
