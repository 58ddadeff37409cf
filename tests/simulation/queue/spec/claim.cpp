#include "tests/simulation/queue/spec/queue.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace plimsoll::queue::rules {

namespace {

// A claim's state about one account.
struct Turn {
    int account;
    double vtime;
    double weight;
    bool held;  // this worker holds a lease with tasks of it
    int candidates = 0;
    double furthest = 0;  // virtual end of its last candidate
};

struct Candidate {
    Ready* task;
    int account;
    int place;      // within the account, from 1
    double before;  // seconds of the account's candidates ahead of it
    double start;   // virtual
    int turn;
    bool ahead = false;  // of the first account that the claim leaves waiting
};

int divided_up(int number, int by) { return (number + by - 1) / by; }

// How many tasks of each of `count` accounts a claim of `tasks` examines: twice the equal share, so
// that an account with short tasks keeps up with one that has long ones; a quarter more if many
// share.
int room_of(int tasks, int count) {
    if (count == 1) return tasks;
    const int looked_at = count == kAccountsPerClaim ? divided_up(5 * tasks, 4 * count)
                                                     : divided_up(2 * tasks, count);
    return std::max(tasks / kAccountsPerClaim, looked_at);
}

}  // namespace

int aged_priority(int priority, Moment since, Moment now) {
    const Moment waited = now - since;
    const auto minutes = waited >= 0 ? waited / 60'000 : -((-waited + 59'999) / 60'000);
    return static_cast<int>(std::min<Moment>(kHighestPriority, priority + minutes));
}

// A task that killed a process goes to another device, for up to a minute, while there is one that
// could run it.
bool Queue::defers_to_other_worker(int worker, const Ready& task, Moment now) const {
    if (task.since <= now - 60'000) return false;
    const bool died_here = std::ranges::any_of(state.attempts, [&](const Attempt& a) {
        return a.job == task.job && a.task == task.task && a.worker == worker &&
               a.outcome == Outcome::died;
    });
    if (!died_here) return false;
    for (int other = 0; other < static_cast<int>(state.workers.size()); ++other) {
        const auto& w = state.workers[other];
        if (other != worker && w.device_class == state.workers[worker].device_class &&
            w.state == WorkerState::active && w.seen_at > now - kLeaseTime &&
            fits(state.lanes[task.lane], w)) {
            return true;
        }
    }
    return false;
}

// Start-time fair queueing within a quantum, among at most 32 accounts, or as many as it takes to
// examine a claim's tasks: what starts before the first account that is left waiting goes in the
// order of its virtual start, and then each account, in turn, may get ahead of that one by a 32nd
// of the claim. The tasks stand account by account. Within an account: by aged priority, then the
// lane whose head is furthest behind.
Claimed Queue::claim(int worker, int epoch, double seconds, int tasks, Moment now) {
    const auto& w = state.workers[worker];
    Claimed claimed;
    if (!is_alive(w, epoch, now) && !(!guards_.epoch && w.epoch > 0 && is_alive(w, w.epoch, now))) {
        claimed.registered = false;
        return claimed;
    }
    const double work = seconds * static_cast<double>(w.speed);
    const double clock = state.clock[w.device_class];

    Few<int, 16> held;
    for (const auto& lease : state.leases) {
        if (lease.worker != worker) continue;
        for (const auto& task : lease.tasks)
            if (std::ranges::find(held, task.account) == held.end()) held.push_back(task.account);
    }
    const auto is_held = [&](int account) {
        return std::ranges::find(held, account) != held.end();
    };

    Few<Turn, 24> turns;
    for (int i = 0; i < static_cast<int>(state.accounts.size()); ++i) {
        const auto& a = state.accounts[i];
        if (a.device_class != w.device_class || a.ready == 0 || (guards_.pause && a.paused))
            continue;
        const bool in_turn = (a.slots < a.cap || !guards_.cap) && a.vtime >= clock;
        // At its cap, but this device is one of its slots.
        const bool again = a.slots >= a.cap && a.slots > 0 && is_held(i);
        if (!again && !(in_turn && std::ranges::any_of(a.lanes, [&](int id) {
                            return !state.lanes[id].ready.empty() && fits(state.lanes[id], w);
                        }))) {
            continue;
        }
        turns.push_back({i, a.vtime, a.weight, is_held(i)});
    }
    if (turns.empty()) return claimed;
    const auto fence =
        guards_.fence_grows
            ? ++state.last_fence
            : (state.last_fence = static_cast<std::int64_t>(state.leases.size()) + 1);
    std::ranges::sort(turns, [](const Turn& a, const Turn& b) {
        return a.vtime != b.vtime ? a.vtime < b.vtime : a.account < b.account;
    });

    double horizon = std::numeric_limits<double>::infinity();
    const int most = std::clamp(tasks, kAccountsPerClaim, kMostAccounts);
    const int room = room_of(tasks, std::min(static_cast<int>(turns.size()), kAccountsPerClaim));
    Few<Candidate, 64> candidates;
    int examined = 0;
    for (int t = 0; t < static_cast<int>(turns.size()); ++t) {
        auto& turn = turns[t];
        if (t == most || (t >= kAccountsPerClaim && examined >= tasks)) {
            horizon = std::min(horizon, turn.vtime);
            turns.resize(t);
            break;
        }
        auto& account = state.accounts[turn.account];
        Few<int, 4> lines;
        int lowest = kHighestPriority;
        int highest = -kHighestPriority;
        for (const int id : account.lanes) {
            const auto& lane = state.lanes[id];
            if (lane.ready.empty() || !fits(lane, w)) continue;
            lines.push_back(id);
            lowest = std::min(lowest, lane.priority);
            highest = std::max(highest, lane.priority);
        }
        const auto urgency = [&](int id) {
            const auto& lane = state.lanes[id];
            return lowest < highest ? aged_priority(lane.priority, lane.ready.front().since, now)
                                    : lane.priority;
        };
        const auto rank = [&](int id) {
            return std::tuple(-urgency(id), state.lanes[id].head, id);
        };
        std::ranges::sort(lines, {}, rank);
        int left = room;
        double before = 0;
        for (const int id : lines) {
            auto& lane = state.lanes[id];
            const int looked_at =
                std::min<int>(std::max(left, 0), static_cast<int>(lane.ready.size()));
            examined += looked_at;
            for (int i = 0; i < looked_at; ++i) {
                auto& task = lane.ready[i];
                if (task.crashes > 0 && defers_to_other_worker(worker, task, now)) break;
                candidates.push_back({&task, turn.account, ++turn.candidates, before,
                                      turn.vtime + before / turn.weight, t});
                before += static_cast<double>(task.seconds);
                turn.furthest = turn.vtime + before / turn.weight;
            }
            left -= static_cast<int>(lane.ready.size());
        }
        // Its position if this claim leaves some of its tasks waiting.
        if (turn.candidates >= room && account.ready > turn.candidates)
            horizon = std::min(horizon, turn.furthest);
    }

    const int count = static_cast<int>(turns.size());
    const int quantum_tasks = std::max(1, tasks / kAccountsPerClaim);
    double longest = 0;
    for (const auto& c : candidates)
        longest = std::max(longest, static_cast<double>(c.task->seconds));
    const double quantum = std::min(work / kAccountsPerClaim, quantum_tasks * longest);
    drop_if(candidates, [&](Candidate& c) {
        c.ahead = c.start >= horizon;
        if (!c.ahead) return false;
        const bool too_far = guards_.quantum && c.start >= horizon + quantum / turns[c.turn].weight;
        return too_far || c.place > quantum_tasks || c.before >= work / kAccountsPerClaim;
    });
    std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
        if (a.ahead != b.ahead) return b.ahead;
        if (a.ahead) return std::tie(a.turn, a.place) < std::tie(b.turn, b.place);
        return std::tie(a.start, a.account, a.place) < std::tie(b.start, b.account, b.place);
    });

    double work_before = 0;
    bool suspects = false;
    int picked = 0;
    for (const auto& c : candidates) {
        if (picked >= tasks || work_before >= work) break;
        suspects = suspects || c.task->crashes > 0;
        // A task that killed a worker runs alone: tasks running with it would be quarantined
        // together after the next death.
        if (suspects && !(picked == 0 && held.empty())) break;
        ++picked;
        work_before += static_cast<double>(c.task->seconds);
    }
    candidates.resize(picked);
    std::ranges::sort(candidates, {},
                      [](const Candidate& c) { return std::pair(c.turn, c.place); });
    Few<double, 16> charges(count, 0.0);
    for (const auto& c : candidates) {
        Held task;
        static_cast<Run&>(task) = static_cast<const Run&>(*c.task);
        task.account = c.account;
        claimed.tasks.push_back(task);
        charges[c.turn] += static_cast<double>(c.task->seconds);
    }
    if (claimed.tasks.empty()) return claimed;
    claimed.fence = fence;

    const auto furthest_number = state.last_number + kNumbersApart - 1;
    for (const auto& task : claimed.tasks) {
        auto& lane = state.lanes[task.lane];
        const auto& first = lane.ready.front();  // candidates of a lane are taken from its front
        lane.head = guards_.cursor ? first.number : furthest_number;
        lane.ready.erase(lane.ready.begin());
    }
    double last_served = 0;
    bool any = false;
    for (int t = 0; t < count; ++t) {
        int taken = 0;
        for (const auto& task : claimed.tasks) taken += task.account == turns[t].account;
        if (taken == 0) continue;
        auto& account = state.accounts[turns[t].account];
        account.ready -= taken;
        account.slots += !turns[t].held;
        if (guards_.charge)
            account.vtime = turns[t].vtime + charges[t] / (guards_.weight ? account.weight : 1);
        last_served = any ? std::max(last_served, account.vtime) : account.vtime;
        any = true;
    }
    state.leases.push_back(
        {fence, worker, epoch, now, {claimed.tasks.begin(), claimed.tasks.end()}});
    follow_furthest_behind(w.device_class, last_served);
    for (const auto& task : claimed.tasks) start(task.job, now);
    return claimed;
}

// The clock follows the account that is furthest behind; when nobody waits, the one served last.
void Queue::follow_furthest_behind(int device_class, double last_served) {
    auto& clock = state.clock[device_class];
    double behind = std::numeric_limits<double>::infinity();
    for (const auto& a : state.accounts)
        if (a.device_class == device_class && a.is_open() && a.vtime >= clock)
            behind = std::min(behind, a.vtime);
    clock =
        std::max(clock, behind < std::numeric_limits<double>::infinity() ? behind : last_served);
}

void Queue::start(int job, Moment now) {
    auto& j = state.jobs[job];
    if (j.state != JobState::queued) return;
    j.state = JobState::running;
    j.started_at = now;
    ++j.events;
    if (j.timeout) state.overdue.push_back({now + *j.timeout, job});
}

}  // namespace plimsoll::queue::rules
