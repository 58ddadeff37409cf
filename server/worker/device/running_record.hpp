#pragma once

#include "server/queue/worker_store.hpp"

#include <span>
#include <vector>

namespace plimsoll::worker {

// Which tasks a worker is running, in memory that outlives its process: the supervisor makes it,
// and hands it to one worker of a device after the other. A worker that died can no longer say what
// it was running; its successor reads it here and reports it.
class RunningRecord {
  public:
    // A descriptor of an empty record for workers to be; -1 if the system has none to give.
    static int create();

    RunningRecord() = default;  // records nothing
    // The record behind the descriptor, which is closed; nothing if it is none.
    explicit RunningRecord(int fd);
    RunningRecord(const RunningRecord&) = delete;
    RunningRecord& operator=(const RunningRecord&) = delete;
    ~RunningRecord();

    std::vector<queue::LeasedTask> tasks() const;
    // One writer at a time. Tasks beyond 4,096 are left out: no claim is that large.
    void set(std::span<const queue::LeasedTask> tasks);

  private:
    struct Page;
    Page* page_ = nullptr;
};

}  // namespace plimsoll::worker
