#include "server/postgres/driver/connect.hpp"

#include "server/postgres/driver/connection.hpp"
#include "server/postgres/driver/sqlstate.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <libpq-fe.h>

namespace plimsoll::postgres {
namespace {

Handle begin(const Target& target) {
    // The first entry is expanded; what comes after it overrides it, except the fallback name.
    const char* keywords[] = {"dbname", "fallback_application_name", "client_encoding",
                              target.user.empty() ? nullptr : "user", nullptr};
    const char* values[] = {target.conninfo.c_str(), "plimsoll", "UTF8", target.user.c_str(),
                            nullptr};
    return Handle(PQconnectStartParams(keywords, values, 1));
}

// Waits on the socket of one step of the handshake; libpq may open another one for the next step.
awaitable<bool> wait_step(int socket, BorrowedSocket::Wait what, Deadline deadline) {
    const auto executor = co_await asio::this_coro::executor;
    // Shared with the timer's handler, which may run after this coroutine has ended.
    auto borrowed = std::make_shared<BorrowedSocket>(executor, socket);
    asio::steady_timer timer(executor, deadline);
    timer.async_wait([borrowed](boost::system::error_code aborted) {
        if (!aborted) borrowed->give_back();
    });
    auto [error] = co_await borrowed->async_wait(what, asio::as_tuple(asio::use_awaitable));
    borrowed->give_back();
    co_return !error;
}

}  // namespace

void FinishConnection::operator()(pg_conn* connection) const { PQfinish(connection); }

awaitable<Result<Handle>> connect(Target target, Deadline deadline) {
    Handle handle = begin(target);
    if (!handle) throw std::bad_alloc();
    PQsetNoticeProcessor(handle.get(), [](void*, const char*) {}, nullptr);
    auto step = PGRES_POLLING_WRITING;
    while (PQstatus(handle.get()) != CONNECTION_BAD) {
        if (step == PGRES_POLLING_OK) {
            PQsetnonblocking(handle.get(), 1);
            co_return handle;
        }
        if (step == PGRES_POLLING_FAILED) break;
        const auto what =
            step == PGRES_POLLING_READING ? BorrowedSocket::readable : BorrowedSocket::writable;
        if (!co_await wait_step(PQsocket(handle.get()), what, deadline))
            co_return fail(Errc::timeout, "The database does not respond to a connection attempt.");
        step = PQconnectPoll(handle.get());
    }
    const std::string reason = PQerrorMessage(handle.get());
    if (reason.find("No space left on device") != std::string::npos)
        co_return fail(Errc::unavailable, kDiskFull);
    co_return fail(Errc::unavailable, "The database refuses connections: " + reason);
}

}  // namespace plimsoll::postgres
