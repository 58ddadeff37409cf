#include "tests/simulation/queue/spec/queue.hpp"

#include <algorithm>
#include <limits>

namespace plimsoll::queue::rules {

bool Queue::is_leased(int job) const {
    for (const auto& lease : state.leases) {
        for (const auto& task : lease.tasks)
            if (task.job == job) return true;
    }
    return false;
}

bool Queue::holds(int worker, int account) const {
    for (const auto& lease : state.leases) {
        if (lease.worker != worker) continue;
        for (const auto& task : lease.tasks)
            if (task.account == account) return true;
    }
    return false;
}

Lease* Queue::find_lease(std::int64_t fence) {
    const auto found = std::ranges::find(state.leases, fence, &Lease::fence);
    return found == state.leases.end() ? nullptr : &*found;
}

// Removes tasks from a lease, records their outcomes, and queues again those that must run again.
Few<Fate, 8> Queue::settle(Lease& given, std::span<const Settled> settled, Moment now) {
    const auto fence = given.fence;
    const int worker = given.worker;
    const auto& w = state.workers[worker];
    const Few<Held, 8> lease_tasks = given.tasks;
    Few<Held, 8> tasks;
    Few<bool, 8> leaves(lease_tasks.size(), false);
    for (const auto& s : settled) {
        tasks.push_back(lease_tasks[s.place]);
        leaves[s.place] = true;
    }
    if (settled.size() == lease_tasks.size()) {
        state.leases.erase(state.leases.begin() + (&given - state.leases.data()));
    } else {
        given.tasks.clear();
        for (std::size_t i = 0; i < lease_tasks.size(); ++i)
            if (!leaves[i]) given.tasks.push_back(lease_tasks[i]);
    }

    Few<Fate, 8> fates;
    Few<double, 8> costs;
    for (std::size_t i = 0; i < settled.size(); ++i) {
        const auto& s = settled[i];
        const auto& task = tasks[i];
        Fate fate = Fate::quarantined;
        float cost = s.seconds * w.speed;
        switch (s.outcome) {
            case Outcome::done: fate = Fate::done; break;
            case Outcome::released:
                fate = Fate::ready;
                cost = 0;
                break;
            case Outcome::lost: cost = task.seconds; [[fallthrough]];
            case Outcome::died:
                if (!s.measured) cost = task.seconds;
                fate =
                    task.crashes + 1 >= kDeaths && guards_.poison ? Fate::quarantined : Fate::ready;
                break;
            case Outcome::retry:
                fate = task.attempt >= kMaxAttempts ? Fate::quarantined
                       : s.delay.value_or(0) > 0    ? Fate::scheduled
                                                    : Fate::ready;
                break;
            case Outcome::final: break;
        }
        if (guards_.cancel && state.jobs[task.job].state == JobState::cancelling)
            fate = Fate::dropped;
        fates.push_back(fate);
        costs.push_back(static_cast<double>(cost));
        auto& job = state.jobs[task.job];
        if (task.task < job.merge_task() && (fate == Fate::done || fate == Fate::quarantined)) {
            job.tasks[task.task].result = {fate == Fate::done ? Result::done : Result::quarantined,
                                           fence};
        }
        if (fate != Fate::dropped && s.outcome != Outcome::done && s.outcome != Outcome::released)
            state.attempts.push_back({task.job, task.task, fence, worker, s.outcome});
    }

    settle_accounts(w.device_class, worker, lease_tasks, tasks, costs);
    Few<int, 8> jobs;
    for (const auto& task : tasks)
        if (std::ranges::find(jobs, task.job) == jobs.end()) jobs.push_back(task.job);
    std::ranges::sort(jobs);
    // Reports of whole jobs count only if the call ends a lease all of whose tasks are done.
    bool reported = settled.size() == lease_tasks.size();
    for (std::size_t i = 0; i < settled.size(); ++i) {
        reported = reported && settled[i].report && fates[i] == Fate::done &&
                   settled[i].place == static_cast<int>(i);
    }
    Few<int, 8> merging;
    for (const int job : jobs)
        if (settle_job(job, fence, tasks, settled, fates, costs, reported, now))
            merging.push_back(job);

    Few<Run, 8> again;
    for (std::size_t i = 0; i < settled.size(); ++i) {
        Run run = tasks[i];
        if (fates[i] == Fate::scheduled) {
            ++run.attempt;
            Scheduled waits;
            static_cast<Run&>(waits) = run;
            waits.at = now + *settled[i].delay;
            state.scheduled.push_back(waits);
        } else if (fates[i] == Fate::ready) {
            const auto outcome = settled[i].outcome;
            run.attempt += outcome != Outcome::released && outcome != Outcome::lost;
            run.crashes +=
                outcome == Outcome::died || (outcome == Outcome::lost && !guards_.silence);
            again.push_back(run);
        }
    }
    push(again, now);
    for (const int job : merging) push_merge(job, now);
    return fates;
}

// Charges become the measured time, and a slot is returned with the last lease of an account on its
// worker.
void Queue::settle_accounts(int device_class, int worker, const Few<Held, 8>& lease_tasks,
                            std::span<const Held> tasks, std::span<const double> costs) {
    const double clock = state.clock[device_class];
    double lowest = std::numeric_limits<double>::infinity();
    Few<int, 8> accounts;
    for (const auto& task : lease_tasks)
        if (std::ranges::find(accounts, task.account) == accounts.end())
            accounts.push_back(task.account);
    for (const int id : accounts) {
        auto& a = state.accounts[id];
        double correction = 0;
        for (std::size_t i = 0; i < tasks.size(); ++i)
            if (tasks[i].account == id)
                correction += costs[i] - static_cast<double>(tasks[i].seconds);
        const bool gone = guards_.slot_return && !holds(worker, id);
        const bool opens = a.ready > 0 && a.slots >= a.cap && a.slots - gone < a.cap;
        a.vtime += correction / a.weight;
        if (opens) a.vtime = std::max(a.vtime, clock);
        a.slots -= gone;
        if (a.is_open()) lowest = std::min(lowest, a.vtime);
    }
    if (lowest < clock) state.clock[device_class] = lowest;
}

// Adds settled tasks to the job's counts and ends it when nothing is left to run; returns whether
// it must be merged.
bool Queue::settle_job(int id, std::int64_t fence, std::span<const Held> tasks,
                       std::span<const Settled> settled, std::span<const Fate> fates,
                       std::span<const double> costs, bool reported, Moment now) {
    auto& job = state.jobs[id];
    int ended = 0;
    int bad = 0;
    int again = 0;
    bool any_bad = false;
    bool merged = false;
    bool unmerged = false;
    bool report = false;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (tasks[i].job != id) continue;
        const bool is_merge = tasks[i].task == job.merge_task();
        const bool over = fates[i] == Fate::done || fates[i] == Fate::quarantined;
        any_bad = any_bad || fates[i] == Fate::quarantined;
        report = report || fates[i] == Fate::done;
        if (is_merge) {
            merged = merged || fates[i] == Fate::done;
            unmerged = unmerged || fates[i] == Fate::quarantined;
        } else if (over) {
            ++ended;
            bad += fates[i] == Fate::quarantined;
            const int items = job.tasks[tasks[i].task].items;
            const int ok = fates[i] == Fate::done ? settled[i].items_ok : 0;
            job.items_ok += ok;
            job.items_failed += items - ok;
        }
        again += (fates[i] == Fate::ready || fates[i] == Fate::scheduled) &&
                 settled[i].outcome != Outcome::released;
        job.charged += costs[i];
    }
    const bool last = ended > 0 && (job.tasks_left == ended || !guards_.merge_once);
    const bool all_bad = job.tasks_quarantined + bad == job.merge_task();
    const bool brought =
        reported && (guards_.whole ? ended > 1 && ended == job.merge_task() : ended > 0);
    const bool whole = (merged || brought || (last && !job.merge && !all_bad)) &&
                       job.state != JobState::cancelling;
    const bool merging =
        last && job.merge && !all_bad && !brought && job.state != JobState::cancelling;
    if (job.state == JobState::cancelling) {
        if (!is_leased(id)) job.state = job.stopped ? JobState::failed : JobState::cancelled;
    } else if (whole && (job.items_ok > 0 || job.items_failed == 0)) {
        job.state = JobState::succeeded;
    } else if (whole || unmerged || (last && all_bad)) {
        job.state = JobState::failed;
    }
    job.tasks_left -= ended;
    job.tasks_quarantined += bad;
    job.retries += again;
    job.events += (again > 0) + any_bad + has_ended(job.state);
    if (has_ended(job.state)) job.finished_at = now;
    if (whole && report) job.report = fence;
    return merging;
}

void Queue::push_merge(int id, Moment now) {
    const auto& job = state.jobs[id];
    Run merge;
    merge.job = id;
    merge.task = job.merge_task();
    merge.lane = merge_lanes_[job.lane];
    merge.seconds = merge_seconds(job.merge_task());
    push({&merge, 1}, now);
}

// Puts tasks at the end of their lanes. An account that had none starts at the clock: idle accounts
// accumulate no credit. by_job: the tasks of new jobs, whose numbers follow their job's.
void Queue::push(std::span<const Run> tasks, Moment now, bool by_job) {
    for (const auto& run : tasks) {
        auto& lane = state.lanes[run.lane];
        auto& account = state.accounts[lane.account];
        const auto number =
            by_job ? state.jobs[run.job].number + run.task : state.last_number += kNumbersApart;
        if (lane.ready.empty()) lane.head = number - 1;
        if (account.ready == 0 && guards_.no_credit)
            account.vtime = std::max(account.vtime, state.clock[account.device_class]);
        ++account.ready;
        Ready ready;
        static_cast<Run&>(ready) = run;
        ready.number = number;
        ready.since = now;
        lane.ready.push_back(ready);
    }
}

// Records the outcomes of tasks.
Few<Verdict, 8> Queue::complete(int worker, int epoch, std::int64_t fence,
                                std::span<const Completion> tasks, Moment now) {
    const auto& w = state.workers[worker];
    Few<Verdict, 8> verdicts(tasks.size(), Verdict::stale);
    auto* lease = find_lease(fence);
    const bool in_time = is_alive(w, epoch, now) || (!guards_.lease_time && w.epoch == epoch);
    const bool valid =
        lease != nullptr && lease->worker == worker && lease->epoch == epoch && in_time;
    Few<Settled, 8> settled;
    Few<std::size_t, 8> places;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (!guards_.fence && !valid) {  // reported by anyone
            for (auto& other : state.leases) {
                for (std::size_t p = 0; p < other.tasks.size(); ++p) {
                    if (other.tasks[p].job != tasks[i].job || other.tasks[p].task != tasks[i].task)
                        continue;
                    const Settled one{static_cast<int>(p), tasks[i].outcome, tasks[i].seconds,
                                      tasks[i].items_ok,   tasks[i].delay,   true,
                                      tasks[i].report};
                    settle(other, {&one, 1}, now);
                    verdicts[i] = Verdict::accepted;
                    return verdicts;
                }
            }
        }
        if (!valid) continue;
        for (std::size_t p = 0; p < lease->tasks.size(); ++p) {
            if (lease->tasks[p].job == tasks[i].job && lease->tasks[p].task == tasks[i].task) {
                settled.push_back({static_cast<int>(p), tasks[i].outcome, tasks[i].seconds,
                                   tasks[i].items_ok, tasks[i].delay, true, tasks[i].report});
                places.push_back(i);
            }
        }
    }
    if (!settled.empty()) {
        const auto fates = settle(*lease, settled, now);
        for (std::size_t i = 0; i < places.size(); ++i) {
            verdicts[places[i]] =
                fates[i] == Fate::dropped ? Verdict::cancelled : Verdict::accepted;
        }
    }
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (std::ranges::find(places, i) != places.end()) continue;
        // Not in the lease: recorded by it before, or not its own.
        const auto& job = state.jobs[tasks[i].job];
        const bool is_merge = tasks[i].task == job.merge_task();
        const bool recorded = (!is_merge && job.tasks[tasks[i].task].result.state != Result::none &&
                               job.tasks[tasks[i].task].result.fence == fence) ||
                              (is_merge && job.report == fence) ||
                              std::ranges::any_of(state.attempts, [&](const Attempt& a) {
                                  // A death that was noticed before it was reported is known, too.
                                  return a.job == tasks[i].job && a.task == tasks[i].task &&
                                         a.fence == fence &&
                                         ends_lease(a.outcome) == ends_lease(tasks[i].outcome);
                              });
        if (recorded) verdicts[i] = Verdict::replayed;
    }
    return verdicts;
}

// Returns tasks that were not started; returns how many the lease still held.
int Queue::release(int worker, int epoch, std::int64_t fence, std::span<const Completion> tasks,
                   Moment now) {
    auto* lease = find_lease(fence);
    if (lease == nullptr || lease->worker != worker || lease->epoch != epoch) return 0;
    Few<Settled, 8> settled;
    for (std::size_t p = 0; p < lease->tasks.size(); ++p) {
        for (const auto& task : tasks)
            if (task.job == lease->tasks[p].job && task.task == lease->tasks[p].task)
                settled.push_back({static_cast<int>(p), Outcome::released, 0, 0, {}});
    }
    if (!settled.empty()) settle(*lease, settled, now);
    return static_cast<int>(settled.size());
}

}  // namespace plimsoll::queue::rules
