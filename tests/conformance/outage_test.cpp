#include "tests/conformance/store_test.hpp"

#include <string>

#include <signal.h>

namespace plimsoll::conformance {
namespace {

class OutageTest : public StoreTest {
  protected:
    // What the stores answer while the database is away: an error that says "later".
    void expect_later(const Error& error) {
        EXPECT_TRUE(error.code == Errc::unavailable || error.code == Errc::timeout)
            << to_string(error.code) << ": " << error.message;
    }

    void run_until_served() {
        while (!run(stores_.jobs.ready())) {
            // Each refusal comes at once; the loop has to go on for the pool to reconnect.
            io_.restart();
            io_.run_one();
        }
    }
};

TEST_F(OutageTest, SurvivesADatabaseThatRefusesConnections) {
    const auto id = must(stores_.jobs.submit(job_of(1))).id;
    Cluster::get().stop();
    auto submitted = run(stores_.jobs.submit(job_of(1)));
    auto found = run(stores_.jobs.get(people_.team, id));
    Cluster::get().start();
    ASSERT_FALSE(submitted);
    expect_later(submitted.error());
    ASSERT_FALSE(found);
    expect_later(found.error());
    run_until_served();
    must(stores_.jobs.get(people_.team, id));
    must(stores_.jobs.submit(job_of(1)));
    EXPECT_EQ(must(stores_.jobs.list(people_.team, {})).jobs.size(), 2u);
}

TEST_F(OutageTest, SurvivesAStoppedDatabase) {
    const auto id = must(stores_.jobs.submit(job_of(1))).id;
    Cluster::get().freeze();
    // Together, so that the test waits for one deadline.
    int answered = 0;
    auto count = [&](std::exception_ptr, auto result) {
        ++answered;
        ASSERT_FALSE(result);
        expect_later(result.error());
    };
    asio::co_spawn(io_, stores_.jobs.submit(job_of(1)), count);
    asio::co_spawn(io_, stores_.jobs.get(people_.team, id), count);
    asio::co_spawn(io_, stores_.jobs.list(people_.team, {}), count);
    run_until([&] { return answered == 3; });
    // Known to be away by now: the next caller does not wait for a deadline of its own.
    auto next = run(stores_.jobs.get(people_.team, id));
    Cluster::get().thaw();
    ASSERT_FALSE(next);
    expect_later(next.error());
    run_until_served();
    must(stores_.jobs.get(people_.team, id));
    must(stores_.jobs.submit(job_of(1)));
}

// The transaction of a record commits before the disk has it (pool/scope.hpp: on_disk).
TEST_F(OutageTest, AnAcceptedRecordSurvivesACrash) {
    const auto id = must(stores_.jobs.submit(job_of(1))).id;
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    const auto claimed = claim(worker);
    // Else it might bring the record to the disk in time.
    const auto log_writer =
        Cluster::get().execute("select pid from pg_stat_activity where backend_type = 'walwriter'");
    ASSERT_EQ(kill(std::stoi(log_writer), SIGSTOP), 0);
    ASSERT_EQ(must(worker.store().complete(worker.handle, claimed.fence, done(claimed))),
              queue::Acceptance::accepted);
    Cluster::get().crash();
    run_until_served();
    EXPECT_EQ(must(stores_.jobs.get(people_.team, id)).items_done, 10);
}

}  // namespace
}  // namespace plimsoll::conformance
