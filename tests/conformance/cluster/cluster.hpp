#pragma once

#include "server/postgres/cluster/embedded.hpp"
#include "server/postgres/driver/connect.hpp"
#include "server/postgres/driver/statement.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <libpq-fe.h>

namespace plimsoll::conformance {

namespace asio = boost::asio;

// One private PostgreSQL for all tests of this program, migrated.
class Cluster {
  public:
    static Cluster& get();

    postgres::Target as(const char* role) const { return {embedded_->conninfo(), role}; }
    postgres::Target superuser() const;

    // Stops and continues every process of PostgreSQL, as a hanging machine or disk would.
    void freeze() const;
    void thaw() const;
    // Kills every process at once, and starts again.
    void crash();
    // Ends every session of a role.
    void end_sessions(const char* role);
    // Between these two calls it refuses connections.
    void stop();
    void start();

    // Runs SQL as the superuser, who sees all rows; the first value of the first row, or "".
    std::string execute(const std::string& sql);

    ~Cluster();

  private:
    Cluster();
    void signal_all(int signal) const;

    std::string directory_;
    std::unique_ptr<postgres::EmbeddedCluster> embedded_;
    postgres::Handle session_;  // the superuser's
};

// The cluster's database, for one test: at its end, what the test wrote is undone. Copying an empty
// database, all 1,000 files of it, would cost several times as much.
class TestDatabase {
  public:
    TestDatabase();
    ~TestDatabase();

    // What is in the database now is what later tests find.
    static void save();

    postgres::Target as(const char* role) const { return Cluster::get().as(role); }
    // As that of the cluster.
    std::string execute(const std::string& sql) const { return Cluster::get().execute(sql); }
    // While it is closed it has no sessions and refuses the server's connections.
    void close() const;
    void open() const;
};

// A lock that the test holds, so that a statement ends when the test says so.
class HeldLock {
  public:
    HeldLock() {
        const auto target = Cluster::get().superuser();
        holder_.reset(PQconnectdb((target.conninfo + " user=" + target.user).c_str()));
        PQclear(PQexec(holder_.get(), "select pg_advisory_lock(4711)"));
    }
    void release() { holder_.reset(); }

    // A statement that waits for the lock; any number of statements can share it.
    static constexpr const char* wait_for_it = "select pg_advisory_xact_lock_shared(4711)";

  private:
    postgres::Handle holder_;
};

// SQL without parameters as a statement.
inline postgres::Statement plain(const char* sql) {
    return postgres::Statement::of(postgres::Query{"test", sql});
}

// The name of the running test with a number, so that a repeated test finds no traces of its own.
std::string unique_test_name();

// Runs a coroutine to its end and returns what it returns; everything else on the loop runs too.
template <class T>
T await(asio::io_context& io, asio::awaitable<T> coroutine) {
    io.restart();  // an earlier wait may have left the loop without work
    std::optional<T> result;
    std::exception_ptr failure;
    asio::co_spawn(io, std::move(coroutine), [&](std::exception_ptr thrown, T value) {
        failure = thrown;
        result = std::move(value);
    });
    while (!result && !failure)
        if (io.run_one() == 0) throw std::logic_error("the loop ended before the coroutine");
    if (failure) std::rethrow_exception(failure);
    return std::move(*result);
}

}  // namespace plimsoll::conformance
