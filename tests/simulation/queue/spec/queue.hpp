#pragma once

#include "tests/simulation/queue/spec/state.hpp"

#include <span>

namespace plimsoll::queue::rules {

// The guards that keep the queue's guarantees. Each guard can be removed, to show that a test
// detects it; the product has all of them.
struct Guards {
    bool fence = true;        // a completion names the lease that holds the task
    bool lease_time = true;   // a worker not seen within the lease time records nothing
    bool epoch = true;        // a replaced process claims and records nothing
    bool fence_grows = true;  // no fence is issued twice
    bool cap = true;          // an account at its cap gets no further device
    bool slot_return = true;  // a device that ends its last lease of an account is released
    bool cursor = true;       // a lane's head passes only that lane's tasks
    bool charge = true;       // claimed tasks are charged
    bool weight = true;       // by weight
    bool quantum = true;      // an account that is a quantum ahead of a waiting one gets no more
    bool no_credit = true;    // an account that was idle starts at the clock
    bool cancel = true;       // a job being cancelled accepts no results
    bool poison = true;       // a task that killed three workers is quarantined
    bool silence = true;      // a worker that is not heard of is no death
    bool late_death = true;   // a death that is heard of late counts
    bool expiry = true;       // a silent worker's tasks run again
    bool merge_once = true;   // only the last task to end creates the merge task
    bool whole = true;        // a report needs all of the job's tasks in its call
    bool key = true;          // a repeated submit creates no second job
    bool unique_key = true;   // a unique key is held by one unfinished job
    bool pause = true;        // a paused account gets nothing
    bool drop = true;         // a day with an unfinished job is kept
};

struct Submit {
    int lane = 0;  // of its device class; has team, priority and memory
    bool merge = true;
    std::optional<Moment> run_at, deadline, timeout;  // timeout: from its start
    int key = -1;                                     // idempotency key of the team; -1: none
    int fingerprint = 0;                              // of the request
    int unique_key = -1;                              // of the team; -1: none
    Few<Task, 4> tasks;                               // at least one; exactly one without a merge
};

struct Submitted {
    enum Outcome { created, replayed, key_conflict, unique_conflict } outcome = created;
    int job = -1;  // -1: key_conflict
};

struct Claimed {
    bool registered = true;  // false: the worker must register again
    std::int64_t fence = 0;
    Few<Held, 16> tasks;
};

struct Completion {
    int job = 0;
    int task = 0;
    Outcome outcome = Outcome::done;  // done, retry or final
    float seconds = 0;                // measured on the device
    int items_ok = 0;                 // of a done task; its other items failed
    std::optional<Moment> delay;      // before the next attempt; none: immediately
    bool report = false;              // comes with its job's report
};

struct Beat {
    bool alive = false;
    Few<std::int64_t, 4> stale;  // fences that no longer hold anything
    Few<int, 4> cancelled;       // jobs to stop
};

enum class Stop { not_found, finished, cancelling, cancelled, failed, passed };
enum class Redrive { redriven, unfinished, complete, not_unique, not_found };

struct Ended {
    int job = 0;
    Stop outcome = Stop::passed;
};

// The queue as a state machine: every call is one transaction of the SQL function of the same name,
// whose executable specification it is, and time is an argument. Calls that exclude each other in
// SQL are sequential here.
class Queue {
  public:
    explicit Queue(Guards guards = {}) : guards_(guards) {}

    State state;

    // lanes of an account belong together; created before the first task
    int add_account(int device_class);
    int add_lane(int account, int priority, int memory);
    // tasks of this lane are merged in that one
    void merge_in(int lane, int host_lane) {
        merge_lanes_.resize(state.lanes.size(), -1), merge_lanes_[lane] = host_lane;
    }
    void reset();

    Few<Submitted, 4> enqueue(std::span<const Submit> jobs, Moment now);
    void set_account(int account, std::optional<double> weight, std::optional<int> cap,
                     std::optional<bool> paused);

    // Its epoch. died: what the process before it was running when it died; nothing else had
    // begun. None: that is not known, or it is the same process.
    int register_worker(int worker, int device_class, int memory, float speed,
                        std::optional<std::span<const Ran>> died, Moment now);
    bool retire(int worker, int epoch, Moment now);
    Beat heartbeat(int worker, int epoch, std::span<const std::int64_t> fences, Moment now);
    Claimed claim(int worker, int epoch, double seconds, int tasks, Moment now);
    Few<Verdict, 8> complete(int worker, int epoch, std::int64_t fence,
                             std::span<const Completion> tasks, Moment now);
    int release(int worker, int epoch, std::int64_t fence, std::span<const Completion> tasks,
                Moment now);

    std::optional<int> expire_leases(Moment now);  // the worker whose leases ended, if any
    int promote_due(Moment now);                   // number of rows of scheduled, of one class
    std::optional<Ended> end_overdue(Moment now);
    Stop cancel(int team, int job, Moment now);
    Redrive redrive(int team, int job, Moment now);
    std::optional<std::int64_t> drop_day(int keep_days, Moment now);  // the dropped day

  private:
    struct Settled {
        int place;  // in the lease
        Outcome outcome;
        float seconds;
        int items_ok;
        std::optional<Moment> delay;
        bool measured = true;  // seconds: as reported by the worker
        bool report = false;   // comes with its job's report
    };

    void end_as_died(int worker, std::span<const Ran> died, Moment now);
    bool is_alive(const Worker& worker, int epoch, Moment now) const;
    bool fits(const Lane& lane, const Worker& worker) const { return lane.memory <= worker.memory; }
    bool defers_to_other_worker(int worker, const Ready& task, Moment now) const;
    bool holds(int worker, int account) const;
    bool is_leased(int job) const;
    Lease* find_lease(std::int64_t fence);
    void push(std::span<const Run> tasks, Moment now, bool by_job = false);
    void follow_furthest_behind(int device_class, double last_served);
    void start(int job, Moment now);

    Few<Fate, 8> settle(Lease& lease, std::span<const Settled> tasks, Moment now);
    void settle_accounts(int device_class, int worker, const Few<Held, 8>& lease_tasks,
                         std::span<const Held> tasks, std::span<const double> costs);
    bool settle_job(int job, std::int64_t fence, std::span<const Held> tasks,
                    std::span<const Settled> settled, std::span<const Fate> fates,
                    std::span<const double> costs, bool reported, Moment now);
    void push_merge(int job, Moment now);
    void end_leases(int worker, std::span<const std::int64_t> except, Moment until, Outcome outcome,
                    Moment now);
    Stop stop(int job, bool overdue, Moment now);

    Guards guards_;
    std::vector<int> merge_lanes_;
};

// A minute of waiting adds one level of priority, up to the highest.
int aged_priority(int priority, Moment since, Moment now);

}  // namespace plimsoll::queue::rules
