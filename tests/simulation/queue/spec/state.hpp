#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <boost/container/small_vector.hpp>

// The contents of the queue's tables, as far as its rules use them. Teams, accounts, lanes, workers
// and jobs are numbered from 0 in order of creation.
namespace plimsoll::queue::rules {

template <class T, std::size_t N>
using Few = boost::container::small_vector<T, N>;

template <class Range, class Predicate>
void drop_if(Range& range, Predicate predicate) {
    range.erase(std::remove_if(range.begin(), range.end(), predicate), range.end());
}

using Moment = std::int64_t;  // milliseconds

constexpr Moment kLeaseTime =
    15'000;  // a worker's leases are valid for this long after it was last seen
constexpr Moment kDay = 86'400'000;
constexpr Moment kKeyTime = 2 * kDay;  // how long an idempotency key is remembered
constexpr int kAccountsPerClaim = 32;  // that may share a claim, each with a backlog
constexpr int kMostAccounts = 128;     // with fewer tasks each
constexpr int kDeaths = 3;             // of workers, after which a task is quarantined
constexpr int kMaxAttempts = 20;       // limit, regardless of the workers
constexpr int kHighestPriority = 10;
constexpr int kNoLimit = 1'000'000;

// Device classes, in lock order.
enum DeviceClass : int { kDevices, kHost, kClasses };

enum class JobState { scheduled, queued, running, cancelling, succeeded, failed, cancelled };
// From a worker: done, retry, final, and died, for a task that costs the process, or did, as its
// successor says. From the queue: released, and lost, if the worker was not heard of again.
enum class Outcome { done, retry, final, died, released, lost };
inline bool ends_lease(Outcome outcome) {
    return outcome == Outcome::died || outcome == Outcome::lost;
}
enum class Fate { done, quarantined, ready, scheduled, dropped };
enum class Verdict { accepted, cancelled, replayed, stale };

// Estimate of a merge of this many aggregates; the measured time is charged.
constexpr float merge_seconds(int tasks) { return static_cast<float>(0.001 + 0.0002 * tasks); }

inline bool has_ended(JobState state) { return state >= JobState::succeeded; }

// A waiting or running task. task == tasks_total of its job: the job's merge task.
struct Run {
    int job = 0;
    int task = 0;
    int lane = 0;
    float seconds = 0;  // estimate, normalized device-seconds
    int attempt = 1;
    int crashes = 0;  // workers that died on it; more than kDeaths - 1 are not counted
};

struct Ready : Run {
    std::int64_t number = 0;  // increases in commit order
    Moment since = 0;
};

struct Scheduled : Run {  // task < 0: all tasks of the job, which has a start time
    Moment at = 0;
};

// A line of equally eligible tasks: its key is what it requires of a device.
struct Lane {
    int account = 0;
    int priority = 0;
    int memory = 0;
    std::int64_t head =
        0;  // no ready task has a number up to this; meaningful if there are ready tasks
    Few<Ready, 8> ready;  // in number order
};

struct Account {
    int device_class = 0;
    double weight = 1;
    int cap = kNoLimit;  // devices
    bool paused = false;
    double vtime = 0;  // charged normalized device-seconds / weight
    int slots = 0;     // devices that hold a lease with its tasks
    int ready = 0;
    Few<int, 4> lanes;

    bool is_open() const { return ready > 0 && slots < cap && !paused; }
};

enum class WorkerState { active, retired, lost };

struct Worker {
    int epoch = 0;  // 0: has not registered yet
    int device_class = 0;
    int memory = 0;
    float speed = 1;  // normalized device-seconds per second
    WorkerState state = WorkerState::lost;
    Moment seen_at = 0;
};

struct Held : Run {
    int account = 0;
};

struct Lease {
    std::int64_t fence = 0;
    int worker = 0;
    int epoch = 0;
    Moment claimed_at = 0;
    Few<Held, 8> tasks;
};

struct Result {
    enum { none, done, quarantined } state = none;
    std::int64_t fence = 0;
};

struct Task {
    int items = 0;
    float seconds = 0;
    Result result;
};

// Of numbers in ready that are drawn: the tasks of a new job have its number and those that follow.
inline constexpr std::int64_t kNumbersApart = 1 << 20;

struct Job {
    std::int64_t number = 0;
    int team = 0;
    int lane = 0;
    int priority = 0;
    bool merge = true;
    JobState state = JobState::queued;
    Moment created_at = 0;
    std::optional<Moment> run_at, deadline, timeout, started_at, finished_at;
    bool stopped = false;  // fails because its time is over
    int unique_key = -1;
    Few<Task, 4> tasks;
    int tasks_left = 0;
    int tasks_quarantined = 0;
    int items_ok = 0;
    int items_failed = 0;
    int retries = 0;
    int events = 1;
    double charged = 0;       // measured, normalized device-seconds
    std::int64_t report = 0;  // fence that recorded it; 0: none
    bool dropped = false;     // with its day

    int merge_task() const { return static_cast<int>(tasks.size()); }
};

struct Ran {  // a task that a process was running
    std::int64_t fence = 0;
    int job = 0;
    int task = 0;
    bool operator==(const Ran&) const = default;
};

struct Attempt {  // failed attempts
    int job = 0;
    int task = 0;
    std::int64_t fence = 0;
    int worker = 0;
    Outcome outcome = Outcome::retry;
};

struct Key {
    int team = 0;
    int key = 0;
    int fingerprint = 0;
    int job = 0;
    Moment expires_at = 0;
};

struct UniqueKey {
    int team = 0;
    int key = 0;
    int job = 0;
};

struct Overdue {
    Moment at = 0;
    int job = 0;
};

struct State {
    double clock[kClasses] = {};  // lower bound on the virtual time of every open account
    std::int64_t last_number = 0;
    std::int64_t last_fence = 0;
    std::vector<Account> accounts;
    std::vector<Lane> lanes;
    std::vector<Worker> workers;
    std::vector<Job> jobs;
    std::vector<Lease> leases;  // in fence order
    std::vector<Scheduled> scheduled;
    std::vector<Attempt> attempts;
    std::vector<Key> keys;
    std::vector<UniqueKey> unique_keys;
    std::vector<Overdue> overdue;
};

}  // namespace plimsoll::queue::rules
