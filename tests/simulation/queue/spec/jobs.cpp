#include "tests/simulation/queue/spec/queue.hpp"

#include <algorithm>
#include <tuple>

namespace plimsoll::queue::rules {

int Queue::add_account(int device_class) {
    Account account;
    account.device_class = device_class;
    state.accounts.push_back(account);
    return static_cast<int>(state.accounts.size()) - 1;
}

int Queue::add_lane(int account, int priority, int memory) {
    const int id = static_cast<int>(state.lanes.size());
    Lane lane;
    lane.account = account;
    lane.priority = priority;
    lane.memory = memory;
    state.lanes.push_back(std::move(lane));
    state.accounts[account].lanes.push_back(id);
    return id;
}

// The job of the key, if it has not expired yet, or -1.
namespace {
const Key* find_key(const State& state, int team, int key, Moment now) {
    for (const auto& k : state.keys)
        if (k.team == team && k.key == key && k.expires_at > now) return &k;
    return nullptr;
}
}  // namespace

Few<Submitted, 4> Queue::enqueue(std::span<const Submit> submits, Moment now) {
    Few<Submitted, 4> answers(submits.size(), Submitted{});
    const int first = static_cast<int>(state.jobs.size());
    // Every job of the call gets an ID, even one that will not be created.
    for (std::size_t i = 0; i < submits.size(); ++i) {
        const auto& s = submits[i];
        auto& answer = answers[i];
        answer.job = first + static_cast<int>(i);
        Job job;
        job.number = state.last_number += kNumbersApart;
        job.team = state.lanes[s.lane].account / kClasses;
        job.lane = s.lane;
        job.priority = state.lanes[s.lane].priority;
        job.merge = s.merge;
        job.created_at = now;
        job.run_at = s.run_at;
        job.deadline = s.deadline;
        job.timeout = s.timeout;
        job.tasks = s.tasks;
        job.tasks_left = job.merge_task();
        job.state = s.run_at.value_or(now) > now ? JobState::scheduled : JobState::queued;
        if (s.key >= 0 && guards_.key) {
            if (const auto* known = find_key(state, job.team, s.key, now)) {
                answer = {known->fingerprint == s.fingerprint ? Submitted::replayed
                                                              : Submitted::key_conflict,
                          known->job};
                if (answer.outcome == Submitted::key_conflict) answer.job = -1;
            }
        }
        if (answer.outcome == Submitted::created && s.unique_key >= 0 && guards_.unique_key) {
            const auto holder = std::ranges::find_if(state.unique_keys, [&](const UniqueKey& k) {
                return k.team == job.team && k.key == s.unique_key;
            });
            if (holder == state.unique_keys.end())
                state.unique_keys.push_back({job.team, s.unique_key, answer.job});
            else if (!state.jobs[holder->job].dropped && !has_ended(state.jobs[holder->job].state))
                answer = {Submitted::unique_conflict, holder->job};
            else
                holder->job = answer.job;
        }
        if (answer.outcome == Submitted::created) {
            job.unique_key = s.unique_key;
            if (s.key >= 0) {
                std::erase_if(state.keys,
                              [&](const Key& k) { return k.team == job.team && k.key == s.key; });
                state.keys.push_back({job.team, s.key, s.fingerprint, answer.job, now + kKeyTime});
            }
        } else {
            job.dropped = true;  // an id without a job
            job.state = JobState::cancelled;
        }
        state.jobs.push_back(std::move(job));
    }
    Few<Run, 16> runs;
    for (std::size_t i = 0; i < submits.size(); ++i) {
        if (answers[i].outcome != Submitted::created) continue;
        const int id = answers[i].job;
        const auto& job = state.jobs[id];
        if (job.deadline) state.overdue.push_back({*job.deadline, id});
        Run run;
        run.job = id;
        run.lane = job.lane;
        if (job.state == JobState::scheduled) {
            Scheduled waits;
            static_cast<Run&>(waits) = run;
            waits.task = -1;
            waits.at = *job.run_at;
            state.scheduled.push_back(waits);
            continue;
        }
        for (run.task = 0; run.task < job.merge_task(); ++run.task) {
            run.seconds = job.tasks[run.task].seconds;
            runs.push_back(run);
        }
    }
    push(runs, now, true);
    return answers;
}

void Queue::set_account(int account, std::optional<double> weight, std::optional<int> cap,
                        std::optional<bool> paused) {
    auto& a = state.accounts[account];
    a.weight = weight.value_or(a.weight);
    a.cap = cap.value_or(a.cap);
    a.paused = paused.value_or(a.paused);
    a.vtime = std::max(a.vtime, state.clock[a.device_class]);
}

// Moves the due tasks of the first class that has any into its lanes.
int Queue::promote_due(Moment now) {
    int device_class = kClasses;
    for (const auto& s : state.scheduled)
        if (s.at <= now)
            device_class =
                std::min(device_class, state.accounts[state.lanes[s.lane].account].device_class);
    if (device_class == kClasses) return 0;
    struct Due {
        Moment at;
        Run run;
    };
    Few<Due, 16> due;
    int rows = 0;
    std::erase_if(state.scheduled, [&](const Scheduled& s) {
        if (s.at > now || state.accounts[state.lanes[s.lane].account].device_class != device_class)
            return false;
        ++rows;
        Run run = s;
        if (s.task >= 0) {
            due.push_back({s.at, run});
            return true;
        }
        auto& job = state.jobs[s.job];
        if (job.state == JobState::scheduled) {
            job.state = JobState::queued;
            ++job.events;
        }
        for (run.task = 0; run.task < job.merge_task(); ++run.task) {
            run.seconds = job.tasks[run.task].seconds;
            due.push_back({s.at, run});
        }
        return true;
    });
    std::ranges::sort(due, {},
                      [](const Due& d) { return std::tuple(d.at, d.run.job, d.run.task); });
    Few<Run, 16> runs;
    for (const auto& d : due) runs.push_back(d.run);
    push(runs, now);
    return rows;
}

Stop Queue::cancel(int team, int job, Moment now) {
    if (job >= static_cast<int>(state.jobs.size()) || state.jobs[job].dropped ||
        state.jobs[job].team != team)
        return Stop::not_found;
    return stop(job, false, now);
}

// Ends a job before its time: immediately if nothing runs, else through its workers, which are
// notified.
Stop Queue::stop(int id, bool overdue, Moment now) {
    auto& job = state.jobs[id];
    if (has_ended(job.state)) return Stop::finished;
    if (job.state == JobState::cancelling) return Stop::cancelling;
    std::erase_if(state.scheduled, [&](const Scheduled& s) { return s.job == id; });
    auto& lane = state.lanes[job.tasks_left == 0 ? merge_lanes_[job.lane] : job.lane];
    const auto before = lane.ready.size();
    drop_if(lane.ready, [&](const Ready& r) { return r.job == id; });
    state.accounts[lane.account].ready -= static_cast<int>(before - lane.ready.size());
    job.stopped = overdue;
    ++job.events;
    if (is_leased(id)) {
        job.state = JobState::cancelling;
        return Stop::cancelling;
    }
    job.state = overdue ? JobState::failed : JobState::cancelled;
    job.finished_at = now;
    return overdue ? Stop::failed : Stop::cancelled;
}

// Stops a job whose deadline or timeout has passed.
std::optional<Ended> Queue::end_overdue(Moment now) {
    const auto due = std::ranges::min_element(state.overdue, {}, &Overdue::at);
    if (due == state.overdue.end() || due->at > now) return {};
    Ended ended{due->job, Stop::passed};
    state.overdue.erase(due);
    const auto& job = state.jobs[ended.job];
    const bool over =
        !job.dropped && ((job.deadline && *job.deadline <= now) ||
                         (job.timeout && job.started_at && *job.started_at + *job.timeout <= now));
    if (over && job.state != JobState::cancelling && !has_ended(job.state))
        ended.outcome = stop(ended.job, true, now);
    return ended;
}

// Runs the unfinished tasks of an ended job again.
Redrive Queue::redrive(int team, int id, Moment now) {
    if (id >= static_cast<int>(state.jobs.size()) || state.jobs[id].dropped ||
        state.jobs[id].team != team)
        return Redrive::not_found;
    auto& job = state.jobs[id];
    if (!has_ended(job.state)) return Redrive::unfinished;
    if ((job.state == JobState::succeeded || job.report != 0) && job.tasks_quarantined == 0)
        return Redrive::complete;
    if (job.unique_key >= 0) {
        const auto holder = std::ranges::find_if(state.unique_keys, [&](const UniqueKey& k) {
            return k.team == team && k.key == job.unique_key;
        });
        if (holder == state.unique_keys.end()) {
            state.unique_keys.push_back({team, job.unique_key, id});
        } else {
            const auto& other = state.jobs[holder->job];
            if (holder->job != id && !other.dropped && !has_ended(other.state))
                return Redrive::not_unique;
            holder->job = id;
        }
    }
    Few<Run, 4> runs;
    for (int t = 0; t < job.merge_task(); ++t) {
        auto& task = job.tasks[t];
        if (task.result.state == Result::done) continue;
        if (task.result.state == Result::quarantined) job.items_failed -= task.items;
        task.result = {};
        Run run;
        run.job = id;
        run.task = t;
        run.lane = job.lane;
        run.seconds = task.seconds;
        runs.push_back(run);
    }
    job.report = 0;
    job.state = JobState::queued;
    job.started_at = job.finished_at = {};
    job.stopped = false;
    job.tasks_left = static_cast<int>(runs.size());
    job.tasks_quarantined = 0;
    if (job.deadline && *job.deadline <= now) job.deadline = {};
    ++job.events;
    if (runs.empty())
        push_merge(id, now);
    else
        push(runs, now);
    return Redrive::redriven;
}

// Drops the oldest day beyond those to keep that has no unfinished job, with all data of its jobs.
std::optional<std::int64_t> Queue::drop_day(int keep_days, Moment now) {
    std::optional<std::int64_t> oldest;
    for (const auto& job : state.jobs) {
        const auto day = job.created_at / kDay;
        if (job.dropped || day >= now / kDay - keep_days || (oldest && day >= *oldest)) continue;
        const bool unfinished =
            guards_.drop && std::ranges::any_of(state.jobs, [&](const Job& j) {
                return !j.dropped && j.created_at / kDay == day && !has_ended(j.state);
            });
        if (!unfinished) oldest = day;
    }
    if (!oldest) return {};
    for (auto& job : state.jobs) {
        if (job.created_at / kDay != *oldest) continue;
        job.dropped = true;
        job.report = 0;
        for (auto& task : job.tasks) task.result = {};
    }
    std::erase_if(state.attempts, [&](const Attempt& a) { return state.jobs[a.job].dropped; });
    return oldest;
}

void Queue::reset() {
    state.clock[kDevices] = state.clock[kHost] = 0;
    state.last_number = state.last_fence = 0;
    state.accounts.clear();
    state.lanes.clear();
    state.workers.clear();
    state.jobs.clear();
    state.leases.clear();
    state.scheduled.clear();
    state.attempts.clear();
    state.keys.clear();
    state.unique_keys.clear();
    state.overdue.clear();
    merge_lanes_.clear();
}

}  // namespace plimsoll::queue::rules
