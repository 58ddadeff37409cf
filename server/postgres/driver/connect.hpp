#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"
#include "server/base/backoff.hpp"

#include <chrono>
#include <memory>
#include <string>

struct pg_conn;

namespace plimsoll::postgres {

namespace asio = boost::asio;

// By the local steady clock: deadlines bound waiting, not anything stored.
using Deadline = std::chrono::steady_clock::time_point;

// A database and the role to connect as.
struct Target {
    std::string conninfo;  // a postgresql:// URL or key=value pairs; several hosts are allowed
    std::string user;      // role; empty: that of conninfo
};

struct FinishConnection {
    void operator()(pg_conn* connection) const;
};
using Handle = std::unique_ptr<pg_conn, FinishConnection>;

// Opens a non-blocking connection on the executor of the calling coroutine. Errc::unavailable:
// refused; Errc::timeout: no response by the deadline. libpq resolves host names with a blocking
// call: use addresses where the resolver is slow.
awaitable<Result<Handle>> connect(Target target, Deadline deadline);

// Between attempts to connect: a recovered database is found within about a second.
inline Backoff reconnect_backoff() {
    return {std::chrono::milliseconds(50), std::chrono::seconds(1)};
}

}  // namespace plimsoll::postgres
