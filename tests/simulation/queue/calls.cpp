#include "tests/simulation/queue/history.hpp"

#include <algorithm>
#include <sstream>

namespace plimsoll::simulation {

using namespace queue::rules;

namespace {

std::string text(std::string_view word) { return '"' + std::string(word) + '"'; }

template <class Range, class Write>
std::string list(const Range& range, Write write) {
    std::string told = "[";
    for (const auto& element : range) told += (told.size() > 1 ? "," : "") + write(element);
    return told + ']';
}

std::string number(double value) {
    std::ostringstream out;
    out.precision(17);
    out << value;
    return out.str();
}

std::string maybe(const std::optional<Moment>& moment) {
    return moment ? std::to_string(*moment) : "null";
}

}  // namespace

void Simulator::submit_again() {
    if (last_submit_.empty() || queue_.state.jobs.size() >= 14) return;
    const auto answers = queue_.enqueue(last_submit_, now_);
    observer_.submitted(last_submit_, answers, now_);
    called(
        "enqueue",
        [&] {
            return list(last_submit_, [](const Submit& s) {
                return '[' + std::to_string(s.lane) + ',' + (s.merge ? "true" : "false") + ',' +
                       maybe(s.run_at) + ',' + maybe(s.deadline) + ',' + maybe(s.timeout) + ',' +
                       std::to_string(s.key) + ',' + std::to_string(s.fingerprint) + ',' +
                       std::to_string(s.unique_key) + ',' +
                       list(s.tasks,
                            [](const Task& t) {
                                return '[' + std::to_string(t.items) + ',' + number(t.seconds) +
                                       ']';
                            }) +
                       ']';
            });
        },
        [&] {
            constexpr const char* kOutcomes[] = {"created", "replayed", "key_conflict",
                                                 "unique_conflict"};
            return list(answers, [&](const Submitted& s) {
                return '[' + text(kOutcomes[s.outcome]) + ',' + std::to_string(s.job) + ']';
            });
        });
}

Claimed Simulator::call_claim(int worker, int epoch) {
    observer_.before_claim(worker);
    const auto claim = queue_.claim(worker, epoch, claim_seconds_, claim_tasks_, now_);
    observer_.claimed(worker, epoch, claim_seconds_, claim_tasks_, claim);
    called(
        "claim",
        [&] {
            return '[' + std::to_string(worker) + ',' + std::to_string(epoch) + ',' +
                   number(claim_seconds_) + ',' + std::to_string(claim_tasks_) + ']';
        },
        [&] {
            if (!claim.registered) return text("unregistered");
            return list(claim.tasks, [&](const Held& t) {
                return '[' + std::to_string(claim.fence) + ',' + std::to_string(t.job) + ',' +
                       std::to_string(t.task) + ',' + std::to_string(t.attempt) + ']';
            });
        });
    return claim;
}

void Simulator::call_complete(const Known& lease, std::span<const Completion> tasks) {
    if (std::ranges::find(tasks, Outcome::died, &Completion::outcome) != tasks.end())
        observer_.interrupted();
    const auto verdicts = queue_.complete(lease.worker, lease.epoch, lease.fence, tasks, now_);
    observer_.completed(lease.worker, lease.epoch, lease.fence, tasks, verdicts, now_);
    called(
        "complete",
        [&] {
            constexpr const char* kOutcomes[] = {"done", "retry", "final", "died"};
            return '[' + std::to_string(lease.worker) + ',' + std::to_string(lease.epoch) + ',' +
                   std::to_string(lease.fence) + ',' +
                   list(tasks,
                        [&](const Completion& c) {
                            const auto& job = queue_.state.jobs[c.job];
                            const int items =
                                c.task < job.merge_task() ? job.tasks[c.task].items : 0;
                            return '[' + std::to_string(c.job) + ',' + std::to_string(c.task) +
                                   ',' + text(kOutcomes[static_cast<int>(c.outcome)]) + ',' +
                                   number(c.seconds) + ',' + std::to_string(c.items_ok) + ',' +
                                   std::to_string(items - c.items_ok) + ',' + maybe(c.delay) +
                                   (c.report ? ",true]" : ",false]");
                        }) +
                   ']';
        },
        [&] {
            constexpr const char* kVerdicts[] = {"accepted", "cancelled", "replayed", "stale"};
            return list(verdicts, [&](Verdict v) { return text(kVerdicts[static_cast<int>(v)]); });
        });
}

void Simulator::release(int worker) {
    auto& p = processes_[worker];
    if (fair_ || p.stalled || p.leases.empty()) return beat(worker);
    // One that it has not started: the last.
    const Known lease = p.leases.back();
    const Completion tasks[] = {
        {lease.tasks.back().job, lease.tasks.back().task, Outcome::done, 0, 0, {}}};
    p.leases.back().tasks.pop_back();
    if (p.leases.back().tasks.empty()) p.leases.pop_back();
    const int count = queue_.release(worker, lease.epoch, lease.fence, tasks, now_);
    called(
        "release",
        [&] {
            return '[' + std::to_string(worker) + ',' + std::to_string(lease.epoch) + ',' +
                   std::to_string(lease.fence) + ',' +
                   list(tasks,
                        [](const Completion& c) {
                            return '[' + std::to_string(c.job) + ',' + std::to_string(c.task) + ']';
                        }) +
                   ']';
        },
        [&] { return std::to_string(count); });
}

void Simulator::beat(int worker) {
    auto& p = processes_[worker];
    if (p.stalled) return promote();
    Few<std::int64_t, 8> fences;
    for (const auto& lease : p.leases) fences.push_back(lease.fence);
    const auto beat = queue_.heartbeat(worker, p.epoch, fences, now_);
    observer_.beaten(worker, beat.alive, now_);
    called(
        "heartbeat",
        [&] {
            return '[' + std::to_string(worker) + ',' + std::to_string(p.epoch) + ',' +
                   list(fences, [](std::int64_t f) { return std::to_string(f); }) + ']';
        },
        [&] {
            return '[' + std::string(beat.alive ? "true" : "false") + ',' +
                   list(beat.stale, [](std::int64_t f) { return std::to_string(f); }) + ',' +
                   list(beat.cancelled, [](int job) { return std::to_string(job); }) + ']';
        });
    if (!beat.alive) return start_process(worker, false);
    std::erase_if(p.leases, [&](const Known& lease) {
        if (std::ranges::find(beat.stale, lease.fence) == beat.stale.end()) return false;
        ghosts_.push_back(lease);
        return true;
    });
}

// The process registers again, or died and the device gets a new one, which says what that was
// running; the old one may still say something.
void Simulator::start_process(int worker, bool died) {
    auto& p = processes_[worker];
    Few<Ran, 8> ran;
    if (died && !p.leases.empty() && chance_.percent(80)) {
        const auto& lease = p.leases[chance_.below(static_cast<int>(p.leases.size()))];
        const int count = chance_.between(1, static_cast<int>(lease.tasks.size()));
        for (int i = 0; i < count; ++i)
            ran.push_back({lease.fence, lease.tasks[i].job, lease.tasks[i].task});
    }
    if (std::ranges::find(queue_.state.leases, worker, &Lease::worker) != queue_.state.leases.end())
        observer_.interrupted();
    const auto reported = died ? std::optional<std::span<const Ran>>(ran) : std::nullopt;
    ghosts_.insert(ghosts_.end(), p.leases.begin(), p.leases.end());
    p.leases.clear();
    p.stalled = false;
    p.epoch = queue_.register_worker(worker, p.device_class, p.memory, p.speed, reported, now_);
    observer_.registered(worker, p.epoch, ran, now_);
    called(
        "register",
        [&] {
            return '[' + std::to_string(worker) + ',' + std::to_string(p.device_class) + ',' +
                   std::to_string(p.memory) + ',' + number(p.speed) + ',' +
                   (died ? list(ran,
                                [](const Ran& r) {
                                    return '[' + std::to_string(r.fence) + ',' +
                                           std::to_string(r.job) + ',' + std::to_string(r.task) +
                                           ']';
                                })
                         : "null") +
                   ']';
        },
        [&] { return std::to_string(p.epoch); });
}

void Simulator::retire(int worker) {
    auto& p = processes_[worker];
    if (fair_ || p.stalled) return beat(worker);
    const bool retired = queue_.retire(worker, p.epoch, now_);
    called(
        "retire",
        [&] { return '[' + std::to_string(worker) + ',' + std::to_string(p.epoch) + ']'; },
        [&] { return std::string(retired ? "true" : "false"); });
    if (!retired) return;
    ghosts_.insert(ghosts_.end(), p.leases.begin(), p.leases.end());
    p.leases.clear();
}

void Simulator::expire() {
    const auto leases = queue_.state.leases.size();
    const auto worker = queue_.expire_leases(now_);
    if (queue_.state.leases.size() < leases) observer_.interrupted();
    called(
        "expire", [] { return std::string("[]"); },
        [&] { return worker ? std::to_string(*worker) : "null"; });
}

void Simulator::promote() {
    const int rows = queue_.promote_due(now_);
    called("promote", [] { return std::string("[]"); }, [&] { return std::to_string(rows); });
}

namespace {
constexpr const char* kStops[] = {"not_found", "finished", "cancelling",
                                  "cancelled", "failed",   "passed"};
}

void Simulator::end_overdue() {
    const auto ended = queue_.end_overdue(now_);
    if (ended && (ended->outcome == Stop::failed || ended->outcome == Stop::cancelling))
        observer_.stopped(ended->job);
    called(
        "end_overdue", [] { return std::string("[]"); },
        [&] {
            return ended ? '[' + std::to_string(ended->job) + ',' +
                               text(kStops[static_cast<int>(ended->outcome)]) + ']'
                         : "null";
        });
}

void Simulator::cancel() {
    if (queue_.state.jobs.empty()) return submit();
    const int job = chance_.below(static_cast<int>(queue_.state.jobs.size()));
    const int team = chance_.percent(95) ? queue_.state.jobs[job].team : chance_.below(teams_);
    const auto answer = queue_.cancel(team, job, now_);
    if (answer == Stop::cancelled || answer == Stop::cancelling) observer_.stopped(job);
    called(
        "cancel", [&] { return '[' + std::to_string(team) + ',' + std::to_string(job) + ']'; },
        [&] { return text(kStops[static_cast<int>(answer)]); });
}

void Simulator::redrive() {
    if (queue_.state.jobs.empty()) return submit();
    const int job = chance_.below(static_cast<int>(queue_.state.jobs.size()));
    const int team = queue_.state.jobs[job].team;
    const auto answer = queue_.redrive(team, job, now_);
    if (answer == Redrive::redriven) observer_.redriven(job);
    called(
        "redrive", [&] { return '[' + std::to_string(team) + ',' + std::to_string(job) + ']'; },
        [&] {
            constexpr const char* kAnswers[] = {"redriven", "unfinished", "complete", "not_unique",
                                                "not_found"};
            return text(kAnswers[static_cast<int>(answer)]);
        });
}

void Simulator::set_account() {
    const int account = chance_.below(static_cast<int>(queue_.state.accounts.size()));
    std::optional<int> cap;
    std::optional<bool> pause;
    if (chance_.percent(50))
        cap = chance_.between(0, 2) + (chance_.percent(30) ? 10 : 0);
    else
        pause = !queue_.state.accounts[account].paused;
    queue_.set_account(account, {}, cap, pause);
    if (pause) observer_.paused(account, *pause);
    called(
        "set_account",
        [&] {
            return '[' + std::to_string(account) + ",null," +
                   (cap ? std::to_string(*cap) : "null") + ',' +
                   (pause ? *pause ? "true" : "false" : "null") + ']';
        },
        [] { return std::string("null"); });
}

void Simulator::drop_days() {
    while (queue_.drop_day(1, now_)) {
    }
    called("drop_days", [] { return std::string("[1]"); }, [] { return std::string("null"); });
}

}  // namespace plimsoll::simulation
