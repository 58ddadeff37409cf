#include "tests/conformance/store_test.hpp"

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

}  // namespace
}  // namespace plimsoll::conformance
