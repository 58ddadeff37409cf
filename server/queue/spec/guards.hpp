#pragma once

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
    bool key = true;          // a repeated submit creates no second job
    bool unique_key = true;   // a unique key is held by one unfinished job
    bool pause = true;        // a paused account gets nothing
    bool drain = true;        // a draining worker gets nothing
    bool drop = true;         // a day with an unfinished job is kept
};

}  // namespace plimsoll::queue::rules
