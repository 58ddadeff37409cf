#include "server/postgres/pool/pool.hpp"

#include "server/postgres/cluster/embedded_settings.hpp"
#include "tests/conformance/cluster/cluster.hpp"

#include <chrono>
#include <optional>
#include <set>

#include <gtest/gtest.h>
#include <signal.h>

namespace plimsoll::postgres {
namespace {

using namespace std::chrono_literals;
using conformance::await;
using conformance::Cluster;
using conformance::plain;

// The loop runs until the pool serves again; what it answers before that does not matter.
void run_until_served(asio::io_context& io, Pool& pool) {
    while (!await(io, pool.run(plain("select 1"), 1s))) {
        asio::steady_timer pause(io, 20ms);
        await(io, [](asio::steady_timer& timer) -> asio::awaitable<int> {
            co_await timer.async_wait(asio::use_awaitable);
            co_return 0;
        }(pause));
    }
}

TEST(PoolTest, TheFirstCallersWaitForTheConnections) {
    asio::io_context io;
    Pool pool(io.get_executor(), Cluster::get().superuser());
    pool.start();
    auto rows = await(io, pool.run(plain("select 42 v"), 10min));
    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_EQ((*rows)[0].get<int>("v"), 42);
    EXPECT_TRUE(pool.is_up());
    pool.stop();
    auto refused = await(io, pool.run(plain("select 1"), 10s));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::unavailable);
}

TEST(PoolTest, CallersAboveTheLimitAreRefusedAtOnce) {
    asio::io_context io;
    Pool pool(io.get_executor(), Cluster::get().superuser(),
              {.connections = 1, .depth = 2, .waiting = 3});
    pool.start();
    run_until_served(io, pool);
    conformance::HeldLock lock;
    int served = 0;
    int refused = 0;
    for (int i = 0; i < 10; ++i) {
        asio::co_spawn(io, pool.run(plain(lock.wait_for_it), 10min),
                       [&](std::exception_ptr, Result<Rows> rows) {
                           served += rows.has_value();
                           refused += !rows && rows.error().code == Errc::unavailable;
                       });
    }
    io.restart();
    while (refused < 5 && io.run_one()) {
    }
    lock.release();
    while (served + refused < 10 && io.run_one()) {
    }
    EXPECT_EQ(served, 5);
    EXPECT_EQ(refused, 5);
}

TEST(PoolTest, ARefusedConnectionIsReportedAtOnce) {
    asio::io_context io;
    Pool pool(io.get_executor(), Target{"host=/nonexistent dbname=x", "nobody"});
    pool.start();
    auto refused = await(io, pool.run(plain("select 1"), 30s));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::unavailable);
    EXPECT_FALSE(pool.is_up());
}

TEST(PoolTest, EndedSessionsAreReplaced) {
    asio::io_context io;
    Pool pool(io.get_executor(), Cluster::get().as("plimsoll_app"));
    pool.start();
    run_until_served(io, pool);
    Cluster::get().end_sessions("plimsoll_app");
    run_until_served(io, pool);
}

// Our deadlines end the wait of a caller, these the work of the server.
TEST(PoolTest, AnAbandonedCallIsCancelledInTheServer) {
    for (const char* role : {kAppRole, kWorkerRole}) {
        asio::io_context io;
        Pool pool(io.get_executor(), Cluster::get().as(role));
        pool.start();
        auto rows =
            await(io, pool.run(plain("select current_setting('statement_timeout') a, "
                                     "current_setting('idle_in_transaction_session_timeout') b"),
                               10s));
        ASSERT_TRUE(rows) << rows.error().message;
        EXPECT_EQ((*rows)[0].get<std::string>("a"), "1min");
        EXPECT_EQ((*rows)[0].get<std::string>("b"), "10s");
    }
}

TEST(PoolTest, CallsToAHangingDatabaseEndAtTheirDeadline) {
    asio::io_context io;
    Pool pool(io.get_executor(), Cluster::get().superuser(), {.connect_timeout = 2s});
    pool.start();
    run_until_served(io, pool);
    Cluster::get().freeze();
    auto first = await(io, pool.run(plain("select 1"), 200ms));
    auto second = await(io, pool.run(plain("select 1"), 200ms));
    Cluster::get().thaw();
    ASSERT_FALSE(first);
    EXPECT_EQ(first.error().code, Errc::timeout);
    ASSERT_FALSE(second);
    run_until_served(io, pool);
}

// As when a firewall forgets connections: the first call finds out, no other waits for its
// deadline.
TEST(PoolTest, OneSilentConnectionMakesTheOthersSuspect) {
    asio::io_context io;
    Pool pool(io.get_executor(), Cluster::get().superuser(), {.connections = 3});
    pool.start();
    run_until_served(io, pool);
    std::set<pid_t> backends;
    while (backends.size() < 3) {  // together, so that each takes a connection of its own
        int answered = 0;
        for (int i = 0; i < 3; ++i) {
            asio::co_spawn(io, pool.run(plain("select pg_backend_pid() v"), 10s),
                           [&](std::exception_ptr, Result<Rows> rows) {
                               ++answered;
                               if (rows) backends.insert((*rows)[0].get<int>("v"));
                           });
        }
        io.restart();
        while (answered < 3) io.run_one();
    }
    for (const pid_t backend : backends) kill(backend, SIGSTOP);
    const auto first = await(io, pool.run(plain("select 1"), 200ms));
    EXPECT_FALSE(first);
    while (true) {
        const auto next = await(io, pool.run(plain("select 1"), 10min));
        if (next) break;
        ASSERT_EQ(next.error().code, Errc::unavailable);
    }
    for (const pid_t backend : backends) kill(backend, SIGCONT);
}

TEST(PoolTest, OldConnectionsAreReplacedWhileCallsGoOn) {
    asio::io_context io;
    Pool pool(io.get_executor(), Cluster::get().superuser(),
              {.connections = 2, .renew_after = 50ms});
    pool.start();
    std::set<int> backends;
    while (backends.size() < 20) {
        const auto rows = await(io, pool.run(plain("select pg_backend_pid() v"), 10min));
        ASSERT_TRUE(rows) << rows.error().message;
        EXPECT_TRUE(pool.is_up());
        backends.insert((*rows)[0].get<int>("v"));
    }
}

// It gets nothing new, and ends afterwards: a call that stood in line behind the lock would take
// the connection with it when it times out.
TEST(PoolTest, AnOldConnectionThatRunsSomethingIsReplacedAfterwards) {
    asio::io_context io;
    Pool pool(io.get_executor(), Cluster::get().superuser(),
              {.connections = 1, .renew_after = 50ms});
    pool.start();
    conformance::HeldLock lock;
    std::optional<bool> served;
    asio::co_spawn(io, pool.run(plain(lock.wait_for_it), 10min),
                   [&](std::exception_ptr, Result<Rows> rows) { served = rows.has_value(); });
    while (pool.load().under_way == 0) io.run_one();
    asio::steady_timer until_due(io, 300ms);
    await(io, [](asio::steady_timer& timer) -> asio::awaitable<int> {
        co_await timer.async_wait(asio::use_awaitable);
        co_return 0;
    }(until_due));
    const auto rows = await(io, pool.run(plain("select 1"), 100ms));
    ASSERT_FALSE(rows);
    EXPECT_EQ(rows.error().code, Errc::timeout);
    lock.release();
    io.restart();
    while (!served) io.run_one();
    EXPECT_TRUE(*served);
}

}  // namespace
}  // namespace plimsoll::postgres
