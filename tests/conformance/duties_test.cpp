#include "server/queue/duties.hpp"

#include "tests/conformance/store_test.hpp"

#include <map>

namespace plimsoll::conformance {
namespace {

class DutiesTest : public StoreTest {};

TEST_F(DutiesTest, EveryDutyRunsAgainstTheSchema) {
    std::map<std::string, int> done;
    queue::Duties duties(io_.get_executor(), server_.duties(), {},
                         [&](std::string_view duty, const Result<int>& result) {
                             ASSERT_TRUE(result) << duty << ": " << result.error().message;
                             ++done[std::string(duty)];
                         });
    duties.start();
    run_until([&] { return done.size() == 14; });
    duties.stop();
}

TEST_F(DutiesTest, ADeadWorkersTasksComeBack) {
    must(server_.jobs().submit(job_of(1)));
    WorkerProcess worker(io_, *this, "cpu", "cpu:0");
    ASSERT_EQ(claim(worker).tasks.size(), 1u);
    age(worker);
    // Other tests leave silent workers too: the duty is through when it finds none.
    bool expired = false;
    queue::Duties duties(io_.get_executor(), server_.duties(), {},
                         [&](std::string_view duty, const Result<int>& result) {
                             expired =
                                 expired || (duty == "expire_leases" && result && *result == 0);
                         });
    duties.start();
    run_until([&] { return expired; });
    duties.stop();
    WorkerProcess other(io_, *this, "cpu", "cpu:1");
    EXPECT_EQ(claim(other).tasks.size(), 1u);
}

TEST_F(DutiesTest, OldDaysAreDropped) {
    Cluster::get().execute("select plimsoll.ensure_partitions_v1(0, '2001-01-01 12:00Z')");
    const char* const there = "select to_regclass('plimsoll.job_11323') is not null";
    ASSERT_EQ(Cluster::get().execute(there), "t");
    while (must(server_.duties().drop_old_days(30)) > 0) {
    }
    EXPECT_EQ(Cluster::get().execute(there), "f");
}

}  // namespace
}  // namespace plimsoll::conformance
