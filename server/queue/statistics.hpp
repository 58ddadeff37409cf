#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

// Queue statistics for monitoring. Implemented by server/postgres.
namespace plimsoll::queue {

struct QueueDepth {
    std::string device_class;  // host, cpu, gpu, accelerator
    // waiting: for a start time or the next attempt, counted up to 10,000; ready; leased
    std::string state;
    std::int64_t tasks = 0;
};

class Statistics {
  public:
    virtual ~Statistics() = default;
    // Counts every device class in every state. Reads each team's counters: call every few seconds,
    // not for every request.
    virtual boost::asio::awaitable<Result<std::vector<QueueDepth>>> depth() = 0;
};

}  // namespace plimsoll::queue
