#include "tests/conformance/store_test.hpp"

#include <chrono>

#include <boost/asio/detached.hpp>

namespace plimsoll::conformance {
namespace {

using namespace std::chrono_literals;

// What a test waits for has to come from the database: the deadline is further away than any test
// is allowed to take, and the poll would hide a lost notification.
constexpr auto kNever = 1h;

class SignalsTest : public StoreTest {
  protected:
    SignalsTest()
        : quiet_(io_.get_executor(), Cluster::get().as(postgres::kAppRole), {.poll = kNever}) {
        quiet_.start();
        // The first look after LISTEN ends this wait: from here on notifications arrive.
        listen(JobId{1});
        run_until([&] { return heard_ > 0; });
        heard_ = 0;
    }

    void listen(JobId id) {
        asio::co_spawn(
            io_, quiet_.stores().signals.changed(id, std::chrono::steady_clock::now() + kNever),
            [this](std::exception_ptr) { ++heard_; });
    }

    postgres::ServerDatabase quiet_;
    int heard_ = 0;
};

TEST_F(SignalsTest, AChangeOfTheJobEndsEveryWait) {
    const auto id = must(stores_.jobs.submit(job_of(1))).id;
    const auto other = must(stores_.jobs.submit(job_of(1))).id;
    listen(id);
    listen(id);
    listen(other);
    io_.poll();
    must(stores_.jobs.cancel(people_.team, people_.user, id));
    run_until([&] { return heard_ == 2; });
    io_.poll();
    EXPECT_EQ(heard_, 2);
}

TEST_F(SignalsTest, AChangeJustBeforeTheWaitEndsItToo) {
    const auto id = must(stores_.jobs.submit(job_of(1))).id;
    listen(id);
    io_.poll();
    must(stores_.jobs.cancel(people_.team, people_.user, id));
    run_until([&] { return heard_ == 1; });
    // Another caller has looked before the change and only now comes to wait.
    listen(id);
    run_until([&] { return heard_ == 2; });
}

// The change is heard while the caller still submits or reads the job, which takes long on a busy
// server.
TEST_F(SignalsTest, AChangeDuringALongReadEndsTheNextWait) {
    const auto since = std::chrono::steady_clock::now();
    const auto heard = [&](JobId id) {
        const int before = heard_;
        listen(id);
        io_.poll();
        must(stores_.jobs.cancel(people_.team, people_.user, id));
        run_until([&] { return heard_ > before; });
    };
    const auto id = must(stores_.jobs.submit(job_of(1))).id;
    heard(id);
    bool over = false;
    asio::steady_timer read(io_, 300ms);
    read.async_wait([&](boost::system::error_code) { over = true; });
    run_until([&] { return over; });
    heard(must(stores_.jobs.submit(job_of(1))).id);
    bool woken = false;
    asio::co_spawn(io_, quiet_.stores().signals.changed_since(id, since, since + kNever),
                   [&](std::exception_ptr) { woken = true; });
    run_until([&] { return woken; });
}

TEST_F(SignalsTest, AChangeEndsAFollowersWaitOnce) {
    const auto id = must(stores_.jobs.submit(job_of(1))).id;
    auto follow = [&]() -> asio::awaitable<void> {
        while (true) {
            co_await quiet_.stores().signals.changed(id, std::chrono::steady_clock::now() + kNever);
            ++heard_;
        }
    };
    asio::co_spawn(io_, follow(), asio::detached);
    io_.poll();
    must(stores_.jobs.cancel(people_.team, people_.user, id));
    run_until([&] { return heard_ > 0; });
    // What follows the change is the memory of it; the submission may be heard late, too.
    bool over = false;
    asio::steady_timer rest(io_, std::chrono::milliseconds(300));
    rest.async_wait([&](boost::system::error_code) { over = true; });
    run_until([&] { return over; });
    EXPECT_LE(heard_, 4);
}

TEST_F(SignalsTest, ASubmitWakesTheWorkersOfItsClass) {
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    bool woken = false;
    auto wait = [&] {
        woken = false;
        asio::co_spawn(
            io_, worker.store().wake(worker.handle, std::chrono::steady_clock::now() + kNever),
            [&](std::exception_ptr, bool) { woken = true; });
        io_.poll();
    };
    wait();
    must(stores_.jobs.submit(job_of(1)));
    run_until([&] { return woken; });
}

TEST_F(SignalsTest, AWorkerWithoutNotificationsWaitsUntilItsDeadline) {
    WorkerStores deaf(io_.get_executor(), Cluster::get().as(postgres::kWorkerRole), kNever);
    const auto deadline = std::chrono::steady_clock::now() + 50ms;
    // The first look after LISTEN may end a wait early.
    while (std::chrono::steady_clock::now() < deadline) {
        bool woken = false;
        asio::co_spawn(io_, deaf.worker().wake({}, deadline),
                       [&](std::exception_ptr, bool called) { woken = !called; });
        run_until([&] { return woken; });
    }
}

}  // namespace
}  // namespace plimsoll::conformance
