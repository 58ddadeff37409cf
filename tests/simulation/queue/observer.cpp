#include "tests/simulation/queue/observer.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace plimsoll::simulation {

using namespace queue::rules;

void Observer::begin(int teams, bool fair) {
    teams_ = teams;
    fair_ = fair;
    last_fence_ = 0;
    longest_ = quantum_ = 0;
    tasks_.clear();
    workers_.assign(queue_.state.workers.size(), {});
    paused_.assign(queue_.state.accounts.size(), 0);
    keys_.clear();
    competed_.assign(teams, 0);
    held_.assign(queue_.state.accounts.size(), 0);
    vtimes_.assign(teams, 0.0);
    windows_.assign(fair ? teams * teams : 0, {});
}

void Observer::submitted(std::span<const Submit> jobs, std::span<const Submitted> answers,
                         Moment now) {
    tasks_.resize(queue_.state.jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (answers[i].outcome != Submitted::created) continue;
        const int team = queue_.state.jobs[answers[i].job].team;
        if (jobs[i].key >= 0) {
            for (const auto& k : keys_) {
                expect(k.team != team || k.key != jobs[i].key || k.until <= now,
                       "I12: one idempotency key made two jobs");
            }
            keys_.push_back({team, jobs[i].key, now + kKeyTime});
        }
        if (jobs[i].unique_key >= 0) {
            int unfinished = 0;
            for (const auto& j : queue_.state.jobs) {
                unfinished += !j.dropped && j.team == team && j.unique_key == jobs[i].unique_key &&
                              !has_ended(j.state);
            }
            expect(unfinished <= 1, "I12: two unfinished jobs have one unique key");
        }
        for (const auto& task : jobs[i].tasks)
            longest_ = std::max(longest_, static_cast<double>(task.seconds));
    }
}

void Observer::registered(int worker, int epoch, std::span<const Ran> ran, Moment now) {
    expect(epoch > workers_[worker].epoch, "I5: an epoch was given twice");
    workers_[worker] = {epoch, now};
    for (const auto& r : ran) {
        ++tasks_[r.job].deaths[r.task];
        check_known(r);
    }
}

// A task whose lease was not completed, and that runs again, has a death on its record.
void Observer::check_known(const Ran& ran) const {
    const auto& state = queue_.state;
    const bool failed = std::ranges::any_of(state.attempts, [&](const Attempt& a) {
        return a.fence == ran.fence && a.job == ran.job && a.task == ran.task &&
               a.outcome != Outcome::retry;
    });
    if (!failed || ran.task == state.jobs[ran.job].merge_task()) return;
    const auto knows = [&](const Run& run) {
        expect(run.job != ran.job || run.task != ran.task || run.crashes > 0,
               "a death that was heard of late is forgotten");
    };
    for (const auto& lane : state.lanes) std::ranges::for_each(lane.ready, knows);
    for (const auto& lease : state.leases) std::ranges::for_each(lease.tasks, knows);
}

void Observer::beaten(int worker, bool alive, Moment now) {
    if (alive) workers_[worker].seen_at = now;
}

void Observer::before_claim(int worker) {
    for (int t = 0; fair_ && t < teams_; ++t)
        competed_[t] = static_cast<char>(competes(t * kClasses));
    std::ranges::fill(held_, 0);
    for (const auto& lease : queue_.state.leases) {
        if (lease.worker != worker) continue;
        for (const auto& task : lease.tasks) held_[task.account] = 1;
    }
}

bool Observer::competes(int account) const {
    return queue_.state.accounts[account].is_open() &&
           vtimes_[account / kClasses] < std::numeric_limits<double>::infinity();
}

void Observer::claimed(int worker, int epoch, double seconds, int tasks, const Claimed& claim) {
    const auto& state = queue_.state;
    if (claim.tasks.empty()) return;
    expect(epoch == workers_[worker].epoch, "I2: a process that was replaced got a lease");
    expect(claim.fence > last_fence_, "I5: fences do not grow");
    last_fence_ = claim.fence;
    expect(static_cast<int>(claim.tasks.size()) <= tasks, "a claim gave more tasks than asked for");
    Few<int, 8> accounts;
    for (const auto& task : claim.tasks) {
        expect(!paused_[task.account], "I13: a paused account got a device");
        tasks_[task.job].owner[task.task] = claim.fence;
        if (std::ranges::find(accounts, task.account) == accounts.end())
            accounts.push_back(task.account);
    }
    for (const int account : accounts) {
        if (held_[account]) continue;
        int devices = 0;
        for (int w = 0; w < static_cast<int>(state.workers.size()); ++w) {
            devices += std::ranges::any_of(state.leases, [&](const Lease& lease) {
                return lease.worker == w && std::ranges::any_of(lease.tasks, [&](const Held& t) {
                           return t.account == account;
                       });
            });
        }
        expect(devices <= state.accounts[account].cap,
               "I3: an account holds more devices than its cap");
    }
    if (!fair_ || state.workers[worker].device_class != kDevices) return;
    const double quantum =
        std::min(seconds * static_cast<double>(state.workers[worker].speed) / kAccountsPerClaim,
                 std::max(1, tasks / kAccountsPerClaim) * longest_);
    quantum_ = std::max(quantum_, quantum);
    Few<double, 8> service(teams_, 0.0);
    for (const auto& task : claim.tasks) {
        service[task.account / kClasses] +=
            static_cast<double>(task.seconds) / state.accounts[task.account].weight;
    }
    // Leads do not add up from claim to claim.
    for (int i = 0; i < teams_; ++i) {
        const auto& served = state.accounts[i * kClasses];
        for (int j = 0; j < teams_ && service[i] > 0; ++j) {
            if (!competed_[j] || !competes(j * kClasses)) continue;
            expect(served.vtime - state.accounts[j * kClasses].vtime <=
                       (quantum + longest_) / served.weight + 1e-9,
                   "I8: a claim put an account further ahead of one that waits than a quantum");
        }
    }
    for (int i = 0; i < teams_; ++i) {
        for (int j = 0; j < i; ++j) {
            auto& window = windows_[i * teams_ + j];
            if (!window.open || !competed_[i] || !competed_[j] || !competes(i * kClasses) ||
                !competes(j * kClasses))
                continue;
            window.difference += service[i] - service[j];
            window.lowest = std::min(window.lowest, window.difference);
            window.highest = std::max(window.highest, window.difference);
            const double per_weight =
                1 / state.accounts[i * kClasses].weight + 1 / state.accounts[j * kClasses].weight;
            if (window.highest - window.lowest > (quantum_ + longest_) * per_weight + 1e-9) {
                throw Violation("I8: one account got ahead of another that waited: teams " +
                                std::to_string(i) + " and " + std::to_string(j) + " differ by " +
                                std::to_string(window.highest - window.lowest) + ", quantum " +
                                std::to_string(quantum_) + ", longest task " +
                                std::to_string(longest_));
            }
        }
    }
}

void Observer::check_windows() {
    for (int t = 0; t < teams_; ++t) {
        const double vtime = queue_.state.accounts[t * kClasses].vtime;
        vtimes_[t] = vtime < vtimes_[t] ? std::numeric_limits<double>::infinity() : vtime;
        competed_[t] = static_cast<char>(competes(t * kClasses));
    }
    for (int i = 0; i < teams_; ++i) {
        for (int j = 0; j < i; ++j) {
            auto& window = windows_[i * teams_ + j];
            const bool open = competed_[i] && competed_[j];
            if (open != window.open) window = {0, 0, 0, open};
        }
    }
}

void Observer::completed(int worker, int epoch, std::int64_t fence,
                         std::span<const Completion> tasks, std::span<const Verdict> verdicts,
                         Moment now) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (verdicts[i] != Verdict::accepted) continue;
        auto& books = tasks_[tasks[i].job];
        expect(books.owner[tasks[i].task] == fence,
               "I2: recorded with a fence that is not the current one");
        expect(workers_[worker].epoch == epoch, "I2: recorded for a process that was replaced");
        expect(workers_[worker].seen_at > now - kLeaseTime, "I2: recorded after the lease ended");
        expect(!books.stopped, "I6: recorded after the cancel was answered");
        books.deaths[tasks[i].task] += tasks[i].outcome == Outcome::died;
        if (tasks[i].outcome == Outcome::done)
            expect(++books.done[tasks[i].task] == 1, "I1: recorded twice");
    }
}

void Observer::redriven(int job) {
    tasks_[job].stopped = false;
    tasks_[job].done[queue_.state.jobs[job].merge_task()] = 0;
}

void Observer::check() {
    check_places();
    check_accounts();
    check_jobs();
    if (fair_) check_windows();
}

// I4 and I9: every task stands in one place.
void Observer::check_places() {
    const auto& state = queue_.state;
    places_.assign(state.jobs.size() * 8, 0);
    const auto stands = [&](int job, int task) { ++places_[job * 8 + task]; };
    for (const auto& lane : state.lanes) {
        auto last = lane.head;
        for (const auto& ready : lane.ready) {
            expect(ready.number > last, "I9: a ready task is behind its lane's head");
            last = ready.number;
            expect(ready.crashes < kDeaths, "a task killed more than three workers");
            expect(ready.crashes <= tasks_[ready.job].deaths[ready.task],
                   "a worker that was not heard of counts as a death");
            expect(ready.attempt <= kMaxAttempts + 2, "I7: a task is tried without end");
            stands(ready.job, ready.task);
        }
    }
    for (const auto& lease : state.leases) {
        expect(lease.epoch == state.workers[lease.worker].epoch,
               "I2: a lease of a process that was replaced");
        for (const auto& task : lease.tasks) stands(task.job, task.task);
    }
    for (const auto& waits : state.scheduled) {
        if (waits.task >= 0)
            stands(waits.job, waits.task);
        else
            for (int t = 0; t < state.jobs[waits.job].merge_task(); ++t) stands(waits.job, t);
    }
}

void Observer::check_accounts() const {
    const auto& state = queue_.state;
    Few<int, 64> slots(state.accounts.size(), 0);
    for (std::size_t l = 0; l < state.leases.size(); ++l) {
        for (std::size_t t = 0; t < state.leases[l].tasks.size(); ++t) {
            // Counted at the first task of the account on this worker.
            const auto account = state.leases[l].tasks[t].account;
            const auto first = [&] {
                for (std::size_t m = 0; m <= l; ++m) {
                    if (state.leases[m].worker != state.leases[l].worker) continue;
                    const auto end = m == l ? t : state.leases[m].tasks.size();
                    for (std::size_t u = 0; u < end; ++u)
                        if (state.leases[m].tasks[u].account == account) return false;
                }
                return true;
            };
            slots[account] += first();
        }
    }
    for (std::size_t i = 0; i < state.accounts.size(); ++i) {
        const auto& a = state.accounts[i];
        int ready = 0;
        for (const int id : a.lanes) ready += static_cast<int>(state.lanes[id].ready.size());
        expect(a.ready == ready, "an account miscounts its ready tasks");
        expect(a.slots == slots[i], "I3: an account miscounts its devices");
        expect(!a.is_open() || a.vtime >= state.clock[a.device_class],
               "the clock is ahead of an account that could run");
    }
}

void Observer::check_jobs() {
    const auto& state = queue_.state;
    for (std::size_t id = 0; id < state.jobs.size(); ++id) {
        const auto& job = state.jobs[id];
        if (job.dropped) {
            expect(has_ended(job.state), "I14: an unfinished job was dropped");
            continue;
        }
        const bool ended = has_ended(job.state);
        const bool stopping = job.state == JobState::cancelling;
        int left = 0;
        int bad = 0;
        for (int t = 0; t < job.merge_task(); ++t) {
            const auto result = job.tasks[t].result.state;
            const int open = places_[id * 8 + t];
            left += result == queue::rules::Result::none;
            bad += result == queue::rules::Result::quarantined;
            const int stands = open + (result != queue::rules::Result::none);
            expect(ended      ? open == 0
                   : stopping ? stands <= 1
                              : stands == 1,
                   "I4: a task is lost, or in two places");
        }
        expect(left == job.tasks_left && bad == job.tasks_quarantined, "a job miscounts its tasks");
        const int merges = places_[id * 8 + job.merge_task()];
        expect(ended      ? merges == 0
               : stopping ? merges <= 1
                          : merges == (left == 0),
               "I4: not one merge task, after the last task");
        expect(job.report > 0
                   ? job.state == (job.items_ok > 0 || job.items_failed == 0 ? JobState::succeeded
                                                                             : JobState::failed)
                   : job.state != JobState::succeeded,
               "a job has a report if it succeeded, or every item failed");
        expect(ended == job.finished_at.has_value(), "a job has an end if it ended");
    }
}

}  // namespace plimsoll::simulation
