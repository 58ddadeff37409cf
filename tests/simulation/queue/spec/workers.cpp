#include "tests/simulation/queue/spec/queue.hpp"

#include <algorithm>

namespace plimsoll::queue::rules {

bool Queue::is_alive(const Worker& worker, int epoch, Moment now) const {
    return worker.epoch == epoch && worker.epoch > 0 && worker.state == WorkerState::active &&
           worker.seen_at > now - kLeaseTime;
}

void Queue::end_leases(int worker, std::span<const std::int64_t> except, Moment until,
                       Outcome outcome, Moment now) {
    Few<std::int64_t, 8> fences;
    for (const auto& lease : state.leases) {
        if (lease.worker == worker && lease.claimed_at <= until &&
            std::ranges::find(except, lease.fence) == except.end()) {
            fences.push_back(lease.fence);
        }
    }
    for (const auto fence : fences) {
        auto* lease = find_lease(fence);
        Few<Settled, 8> all;
        for (std::size_t p = 0; p < lease->tasks.size(); ++p)
            all.push_back({static_cast<int>(p), outcome, 0, 0, {}});
        settle(*lease, all, now);
    }
}

// Ends the leases of a worker that died while it was running these tasks. What it had not begun
// returns to the queue first. A task whose lease ended without a word died then: its next runs know
// of it.
void Queue::end_as_died(int worker, std::span<const Ran> died, Moment now) {
    Few<std::int64_t, 8> fences;
    for (const auto& task : died) fences.push_back(task.fence);
    end_leases(worker, fences, now, Outcome::released, now);
    fences.clear();
    for (const auto& lease : state.leases)
        if (lease.worker == worker) fences.push_back(lease.fence);
    for (const auto fence : fences) {
        Few<Settled, 8> ran, others;
        for (const auto& task : find_lease(fence)->tasks) {
            const bool begun =
                std::ranges::find(died, Ran{fence, task.job, task.task}) != died.end();
            const auto place = static_cast<int>(ran.size() + others.size());
            if (begun)
                ran.push_back({static_cast<int>(ran.size()), Outcome::died, 0, 0, {}, false});
            else
                others.push_back({place, Outcome::released, 0, 0, {}});
        }
        if (!others.empty()) settle(*find_lease(fence), others, now);
        if (!ran.empty()) settle(*find_lease(fence), ran, now);
    }
    if (!guards_.late_death) return;
    Few<Ran, 8> late;
    for (auto& attempt : state.attempts) {
        if (attempt.worker != worker || attempt.outcome != Outcome::lost ||
            std::ranges::find(died, Ran{attempt.fence, attempt.job, attempt.task}) == died.end())
            continue;
        attempt.outcome = Outcome::died;
        late.push_back({attempt.fence, attempt.job, attempt.task});
    }
    const auto count = [&](Run& run) {
        const bool known = std::ranges::any_of(
            late, [&](const Ran& r) { return r.job == run.job && r.task == run.task; });
        if (known) run.crashes = std::min(run.crashes + 1, kDeaths - 1);
    };
    for (auto& lane : state.lanes) {
        for (auto& run : lane.ready)
            if (run.task < state.jobs[run.job].merge_task()) count(run);
    }
    for (auto& run : state.scheduled) count(run);
    for (auto& lease : state.leases)
        for (auto& run : lease.tasks) count(run);
}

// The same device gets a new epoch; tasks that its old process still held run elsewhere
// immediately.
int Queue::register_worker(int worker, int device_class, int memory, float speed,
                           std::optional<std::span<const Ran>> died, Moment now) {
    auto& w = state.workers[worker];
    if (w.epoch > 0) {
        if (died)
            end_as_died(worker, *died, now);
        else
            end_leases(worker, {}, now, Outcome::lost, now);
    }
    w.device_class = device_class;
    w.memory = memory;
    w.speed = speed;
    w.state = WorkerState::active;
    w.seen_at = now;
    return ++w.epoch;
}

bool Queue::retire(int worker, int epoch, Moment now) {
    if (!is_alive(state.workers[worker], epoch, now)) return false;
    state.workers[worker].state = WorkerState::retired;
    end_leases(worker, {}, now, Outcome::released, now);
    return true;
}

Beat Queue::heartbeat(int worker, int epoch, std::span<const std::int64_t> fences, Moment now) {
    auto& w = state.workers[worker];
    Beat beat;
    if (!is_alive(w, epoch, now)) {
        beat.stale.assign(fences.begin(), fences.end());
        return beat;
    }
    beat.alive = true;
    w.seen_at = std::max(w.seen_at, now);
    // A claim whose reply was lost: the worker is alive but does not know about the lease. No reply
    // is in transit for as long as a lease lasts.
    end_leases(worker, fences, now - kLeaseTime, Outcome::released, now);
    for (const auto fence : fences) {
        const auto* lease = find_lease(fence);
        if (lease == nullptr || lease->worker != worker || lease->epoch != epoch)
            beat.stale.push_back(fence);
        if (lease == nullptr || lease->worker != worker) continue;
        for (const auto& task : lease->tasks) {
            if (state.jobs[task.job].state == JobState::cancelling &&
                std::ranges::find(beat.cancelled, task.job) == beat.cancelled.end()) {
                beat.cancelled.push_back(task.job);
            }
        }
    }
    std::ranges::sort(beat.cancelled);
    return beat;
}

// Ends the leases of the first worker whose heartbeats stopped.
std::optional<int> Queue::expire_leases(Moment now) {
    for (int id = 0; id < static_cast<int>(state.workers.size()); ++id) {
        auto& w = state.workers[id];
        if (w.epoch == 0 || w.state != WorkerState::active || w.seen_at > now - kLeaseTime)
            continue;
        w.state = WorkerState::lost;
        if (guards_.expiry)
            end_leases(id, {}, now, Outcome::lost, now);
        else
            std::erase_if(state.leases, [&](const Lease& lease) { return lease.worker == id; });
        return id;
    }
    return {};
}

}  // namespace plimsoll::queue::rules
