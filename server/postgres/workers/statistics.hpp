#pragma once

#include "server/postgres/pool/pool.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::postgres {

struct QueueDepth {
    std::string device_class;  // host, cpu, gpu, accelerator
    // waiting: for a start time or the next attempt, counted up to 10,000; ready; leased
    std::string state;
    std::int64_t tasks = 0;
};

// Queue statistics for monitoring.
class Statistics {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit Statistics(Pool& pool) : pool_(pool) {}

    // Counts every device class in every state. Reads each team's counters: call every few seconds,
    // not for every request.
    awaitable<Result<std::vector<QueueDepth>>> depth();

  private:
    Pool& pool_;
};

}  // namespace plimsoll::postgres
