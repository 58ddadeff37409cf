#pragma once

namespace plimsoll::queue::rules {

// What keeps the queue's promises. Each guard can be taken away, so that a test sees that it would
// miss it; the product has them all.
struct Guards {
    bool fence = true;        // a completion names the lease that holds the task
    bool lease_time = true;   // a worker that was not seen for a lease's time records nothing
    bool epoch = true;        // a process that was replaced claims and records nothing
    bool fence_grows = true;  // no fence is given twice
    bool cap = true;          // an account at its cap gets no further device
    bool slot_return = true;  // a device that ends its last lease of an account is free again
    bool cursor = true;       // a lane's head moves over that lane's tasks only
    bool charge = true;       // what is claimed is charged
    bool weight = true;       // by weight
    bool quantum = true;      // who is ahead of a waiting account by a quantum gets no more
    bool no_credit = true;    // an account that was idle starts at the clock
    bool cancel = true;       // a job that is being cancelled takes no results
    bool poison = true;       // a task that two workers died on is given up
    bool expiry = true;       // what a silent worker held runs again
    bool merge_once = true;   // only the last task to end makes the merge task
    bool key = true;          // a repeated submit makes no second job
    bool unique_key = true;   // of a unique key there is one unfinished job
    bool pause = true;        // a paused account gets nothing
    bool drain = true;        // a draining worker gets nothing
    bool drop = true;         // a day with an unfinished job stays
};

}  // namespace plimsoll::queue::rules
