#include "tests/simulation/queue/history.hpp"

#include "server/queue/retry.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::simulation {

using namespace queue::rules;

namespace {

constexpr Moment kStart = 1000 * kDay + kDay / 4;

}  // namespace

void Simulator::run(std::uint64_t seed, bool many) {
    chance_ = Chance(seed);
    history_steps_ = history_faults_ = 0;
    set_up(many);
    if (record_ != nullptr) record_->begin(seed, queue_.state, merge_lanes_);
    for (int w = 0; w < static_cast<int>(processes_.size()); ++w)
        start_process(w, chance_.percent(50));
    const int length = chance_.between(50, 90);
    while (history_steps_ < length || history_faults_ < 2) step();
    settle_down();
    if (record_ != nullptr) record_->end();
}

void Simulator::set_up(bool many) {
    queue_.reset();
    now_ = kStart;
    teams_ = many && chance_.percent(2) ? chance_.between(34, 36) : chance_.between(2, 4);
    fair_ = teams_ <= 4 && chance_.percent(40);
    longest_.clear();
    for (int t = 0; t < teams_; ++t)
        longest_.push_back(chance_.percent(50) ? 16 : chance_.between(1, 4));
    merge_lanes_.clear();
    for (int t = 0; t < teams_; ++t) {
        const int account = queue_.add_account(kDevices);
        const int host = queue_.add_account(kHost);
        const int low = queue_.add_lane(account, 0, 10);
        const int high = queue_.add_lane(account, 3, 10);
        const int big = queue_.add_lane(account, 0, 15);
        const int merge_low = queue_.add_lane(host, 0, 0);
        const int merge_high = queue_.add_lane(host, 3, 0);
        for (const auto& [lane, merge] :
             {std::pair{low, merge_low}, {high, merge_high}, {big, merge_low}}) {
            queue_.merge_in(lane, merge);
        }
        merge_lanes_.insert(merge_lanes_.end(), {merge_low, merge_high, merge_low, -1, -1});
    }
    processes_.clear();
    processes_.resize(4);
    processes_[1].speed = 2;
    for (auto& p : processes_) p.memory = 20;
    if (!fair_) processes_[2].memory = 12;
    processes_[3].device_class = kHost;
    queue_.state.workers.assign(processes_.size(), {});
    ghosts_.clear();
    last_submit_.clear();
    last_completion_.tasks.clear();
    next_job_moment_ = 0;
    claim_seconds_ = chance_.percent(50) ? 0.25 : 1e6;
    claim_tasks_ = 1 << chance_.between(0, 6);
    observer_.begin(teams_, fair_);
    for (int t = 0; t < teams_; ++t) {
        if (!chance_.percent(60)) continue;
        constexpr double kWeights[] = {1, 2, 3, 4};
        const double weight = kWeights[chance_.below(4)];
        const int cap = fair_ || chance_.percent(50) ? kNoLimit : chance_.between(1, 2);
        auto& account = queue_.state.accounts[t * kClasses];
        account.weight = weight;
        account.cap = cap;
    }
}

int Simulator::some_worker() { return chance_.below(static_cast<int>(processes_.size())); }

void Simulator::step() {
    const int w = some_worker();
    const int roll = chance_.below(200);
    // What goes well …
    if (roll < 26) return submit();
    if (roll < 74) return claim(w, false);
    if (roll < 118) return complete(w);
    if (roll < 136) return beat(w);
    if (roll < 150) return pass(chance_.between(100, 4'000));
    if (roll < 155) return expire();
    if (roll < 162) return promote();
    if (roll < 165) return end_overdue();
    if (roll < 169) return cancel();
    if (roll < 173) return redrive();
    if (roll < 176) return fair_ ? beat(w) : set_account();
    if (roll < 178) return release(w);
    if (roll < 180) return drop_days();
    // … and what does not.
    fault();
    if (roll < 185) return claim(w, true);
    if (roll < 188) return complete_again();
    if (roll < 191) return complete_late();
    if (roll < 192) return claim_late();
    if (roll < 194) return start_process(w, true);
    if (roll < 196) {
        processes_[w].stalled = !processes_[w].stalled;
        return expire();
    }
    if (roll < 197) return retire(w);
    if (roll < 198) return submit_again();
    // No heartbeats arrive for a while.
    constexpr Moment kSilences[] = {16'000,  16'000,  16'000, 70'000,
                                    130'000, 700'000, kDay,   3 * kDay};
    pass(kSilences[chance_.below(chance_.percent(10) ? 8 : 6)]);
}

void Simulator::submit() {
    if (queue_.state.jobs.size() >= 12) return claim(some_worker(), false);
    std::vector<Submit> jobs(chance_.percent(80) ? 1 : 2);
    for (auto& job : jobs) {
        const int team = chance_.below(teams_);
        job.lane = team * 5 + (chance_.percent(60) ? 0 : chance_.below(3));
        job.merge = chance_.percent(70);
        const int tasks = job.merge ? chance_.between(1, 4) : 1;
        for (int t = 0; t < tasks; ++t) {
            job.tasks.push_back(
                {chance_.between(1, 3),
                 static_cast<float>(chance_.between((longest_[team] + 3) / 4, longest_[team])) /
                     64.0F,
                 {}});
        }
        if (chance_.percent(10)) job.run_at = now_ + chance_.between(-1'000, 6'000);
        if (chance_.percent(6))
            job.deadline = now_ + chance_.between(1, 40) * 500 + ++next_job_moment_;
        if (chance_.percent(6)) job.timeout = chance_.between(1, 20) * 500 + ++next_job_moment_;
        if (chance_.percent(30) && jobs.size() == 1) {
            job.key = chance_.below(4);
            job.fingerprint = chance_.below(2);
        } else if (chance_.percent(10)) {
            job.unique_key = chance_.below(2);
        }
    }
    last_submit_ = jobs;
    submit_again();
}

void Simulator::claim(int worker, bool answer_is_lost) {
    auto& p = processes_[worker];
    if (p.stalled) return beat(worker);
    const auto claim = call_claim(worker, p.epoch);
    if (!claim.registered) return start_process(worker, false);
    if (claim.tasks.empty()) return;
    Known known{claim.fence, worker, p.epoch, {claim.tasks.begin(), claim.tasks.end()}};
    (answer_is_lost ? ghosts_ : p.leases).push_back(std::move(known));
}

// A process that was replaced asks for work.
void Simulator::claim_late() {
    const int worker = some_worker();
    const int epoch = processes_[worker].epoch;
    if (epoch < 2) return start_process(worker, true);
    const auto claim = call_claim(worker, epoch - 1);
    if (claim.registered) throw Violation("I2: a process that was replaced may claim");
}

Completion Simulator::outcome_of(const Held& task, float speed) {
    Completion c{task.job, task.task, Outcome::done, task.seconds / speed, 0, {}};
    const int items = task.task < queue_.state.jobs[task.job].merge_task()
                          ? queue_.state.jobs[task.job].tasks[task.task].items
                          : 0;
    c.items_ok = chance_.below(items + 1);
    if (!fair_ && chance_.percent(30))
        c.seconds = static_cast<float>(chance_.between(0, 32)) / 64.0F;
    if (!fair_ && chance_.percent(3)) {
        c.outcome = Outcome::died;
    } else if (chance_.percent(20)) {
        constexpr Errc kErrors[] = {Errc::exhausted, Errc::unavailable, Errc::timeout,
                                    Errc::cancelled, Errc::corrupt};
        const auto error = kErrors[chance_.below(5)];
        const auto pause =
            queue::pause_before_retry(error, task.attempt, chance_.below(100) / 100.0);
        c.outcome = pause ? Outcome::retry : Outcome::final;
        // In eighths of a second, which a real holds exactly; now and then at once.
        if (pause && chance_.percent(80))
            c.delay = static_cast<Moment>(std::round(pause->count() * 8)) * 125;
    }
    return c;
}

void Simulator::complete(int worker) {
    auto& p = processes_[worker];
    if (p.stalled || p.leases.empty()) return claim(worker, false);
    const int index = chance_.below(static_cast<int>(p.leases.size()));
    auto& lease = p.leases[index];
    const int count = chance_.percent(70)
                          ? static_cast<int>(lease.tasks.size())
                          : chance_.between(1, static_cast<int>(lease.tasks.size()));
    std::vector<Completion> tasks;
    for (int i = 0; i < count; ++i) tasks.push_back(outcome_of(lease.tasks[i], p.speed));
    if (tasks.size() > 1 && chance_.percent(20)) std::swap(tasks.front(), tasks.back());
    if (chance_.percent(50))
        for (auto& task : tasks) task.report = true;
    last_completion_ = {lease, tasks};
    const Known known = lease;
    lease.tasks.erase(lease.tasks.begin(), lease.tasks.begin() + count);
    if (lease.tasks.empty()) p.leases.erase(p.leases.begin() + index);
    call_complete(known, tasks);
}

// The answer was lost, and the worker says it once more.
void Simulator::complete_again() {
    if (last_completion_.tasks.empty()) return submit_again();
    const auto again = last_completion_;
    call_complete(again.lease, again.tasks);
}

// A process that was thought dead, or that gave up, finishes what it had.
void Simulator::complete_late() {
    if (ghosts_.empty()) return complete_again();
    const int index = chance_.below(static_cast<int>(ghosts_.size()));
    const Known ghost = ghosts_[index];
    ghosts_.erase(ghosts_.begin() + index);
    std::vector<Completion> tasks;
    for (const auto& task : ghost.tasks)
        tasks.push_back(outcome_of(task, processes_[ghost.worker].speed));
    call_complete(ghost, tasks);
}

// Workers that do not stall send a heartbeat within a short time.
void Simulator::pass(Moment time) {
    now_ += time;
    called("pass", [] { return std::string("[]"); }, [] { return std::string("null"); });
    if (time >= kLeaseTime) return;
    for (int w = 0; w < static_cast<int>(processes_.size()); ++w)
        if (!processes_[w].stalled && chance_.percent(60)) beat(w);
}

// I7: once every fault is over, everything ends.
void Simulator::settle_down() {
    for (int a = 0; a < static_cast<int>(queue_.state.accounts.size()); ++a) {
        const auto& account = queue_.state.accounts[a];
        if (!account.paused && account.cap > 0) continue;
        queue_.set_account(a, {}, std::max(account.cap, 1), false);
        observer_.paused(a, false);
        called(
            "set_account",
            [&] {
                return '[' + std::to_string(a) + ",null," + std::to_string(account.cap) + ",false]";
            },
            [] { return std::string("null"); });
    }
    for (int w = 0; w < static_cast<int>(processes_.size()); ++w)
        start_process(w, chance_.percent(50));
    for (int round = 0; round < 400; ++round) {
        const auto& jobs = queue_.state.jobs;
        if (std::ranges::all_of(jobs, [](const Job& j) { return has_ended(j.state); })) return;
        bool moved = false;
        for (int w = static_cast<int>(processes_.size()) - 1; w >= 0; --w) {
            auto& p = processes_[w];
            const auto held = p.leases.size();
            claim(w, false);
            moved = moved || p.leases.size() > held;
            while (!p.leases.empty()) {
                const Known lease = p.leases.back();
                p.leases.pop_back();
                std::vector<Completion> tasks;
                for (const auto& t : lease.tasks) {
                    const auto& job = jobs[t.job];
                    tasks.push_back({t.job,
                                     t.task,
                                     Outcome::done,
                                     t.seconds / p.speed,
                                     t.task < job.merge_task() ? job.tasks[t.task].items : 0,
                                     {}});
                }
                call_complete(lease, tasks);
            }
        }
        if (moved) continue;
        // Whatever waits, waits for a time to come.
        now_ += 5'000;
        for (int w = 0; w < static_cast<int>(processes_.size()); ++w) beat(w);
        promote();
        end_overdue();
    }
    throw Violation("I7: a job does not end");
}

}  // namespace plimsoll::simulation
