#pragma once

#include "server/base/time.hpp"
#include "server/postgres/pool/pool.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace plimsoll::postgres {

// The database's clock, by which the queue decides, so that a server agrees with it even if the
// machine's clock is off by a day. Read periodically and advanced by the steady clock in between.
// The machine's clock until the first reading.
class DatabaseClock final : public Clock {
  public:
    explicit DatabaseClock(Pool& pool) : pool_(pool) {}

    Timestamp now() const override;  // from any thread

    awaitable<Result<int>> read();

  private:
    Pool& pool_;
    // The steady clock's zero, in microseconds since 1970; 0: never read.
    std::atomic<std::int64_t> zero_{0};
};

}  // namespace plimsoll::postgres
