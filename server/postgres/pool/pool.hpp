#pragma once

#include "server/base/awaitable.hpp"
#include "server/postgres/driver/connection.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace plimsoll::postgres {

struct PoolOptions {
    std::size_t connections = 2;
    std::size_t depth = 32;      // batches in flight per connection
    std::size_t waiting = 1024;  // waiting callers; further ones get Errc::unavailable
    std::chrono::milliseconds connect_timeout{3000};
    // Age at which a connection is replaced once it is idle: libpq and PostgreSQL keep what their
    // largest row took for as long as the connection lives.
    std::chrono::milliseconds renew_after{std::chrono::minutes(10)};
};

// Load of a pool.
struct PoolLoad {
    std::size_t open = 0;        // connections
    std::size_t configured = 0;  // connections
    std::size_t under_way = 0;   // batches sent, without a response yet
    std::size_t waiting = 0;     // callers waiting for a connection
};

// A few connections of one role, kept open and reopened with backoff. A batch goes to the least
// busy trusted connection: if a call on one times out, the others are distrusted, that is, replaced
// if idle, and given nothing new until they respond. While the database is known to be down,
// callers fail immediately; while a connection is first opened, or reopened after a clean close,
// they wait until their deadline. Not thread-safe: use it on the executor's one thread.
class Pool {
  public:
    Pool(asio::any_io_executor executor, Target target, PoolOptions options = {});
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    void start();
    // Closes all connections; pending callers get Errc::unavailable.
    void stop();

    awaitable<Result<Replies>> run(Batch batch, std::chrono::milliseconds timeout);
    awaitable<Result<Rows>> run(Statement statement, std::chrono::milliseconds timeout);

    // Whether what keeps the database from starting is a full disk, which no connection attempt can
    // tell: nobody listens.
    void set_disk_full(bool full) { cannot_start_ = full; }
    // Whether a statement found the disk full within the last half minute.
    bool lacked_space() const;

    // Whether a connection is open; for readiness.
    bool is_up() const;
    PoolLoad load() const;

  private:
    struct Slot;
    struct Waiter;

    awaitable<Result<std::shared_ptr<Connection>>> acquire(Deadline deadline);
    std::shared_ptr<Connection> least_busy() const;
    void open(Slot& slot);
    void opened(Slot& slot, Result<Handle> handle);
    void lost(Slot& slot, const Error& reason);
    void doubt_all();
    void renew(Slot& slot);
    void after_pause(Slot& slot, std::chrono::milliseconds pause, void (Pool::*then)(Slot&));
    void wake(std::size_t count);
    void refuse_waiters();
    Error unreachable() const;

    asio::any_io_executor executor_;
    Target target_;
    PoolOptions options_;
    std::vector<std::unique_ptr<Slot>> slots_;
    std::deque<std::shared_ptr<Waiter>> waiters_;
    // Expires with the pool; handlers that outlive it check this.
    std::shared_ptr<Pool*> alive_ = std::make_shared<Pool*>(this);
    // The last event was a failed connection attempt or an unanswered call.
    bool down_ = false;
    bool disk_full_ = false;     // the reason of the last failed connection attempt
    bool cannot_start_ = false;  // for want of space
    Deadline lacked_space_until_{};
    bool stopped_ = true;
};

}  // namespace plimsoll::postgres
