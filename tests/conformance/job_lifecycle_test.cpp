#include "tests/conformance/store_test.hpp"

#include <algorithm>

namespace plimsoll::conformance {
namespace {

using queue::JobState;

class JobLifecycleTest : public StoreTest {};

TEST_F(JobLifecycleTest, ABundleOfTenThousandJobsMayHoldAnInvalidOne) {
    std::vector<queue::NewJob> bundle(10'000, job_of(1));
    EXPECT_EQ(must(stores_.jobs.submit_all(bundle, true)).size(), 10'000u);
    bundle[700].plan.args = "not JSON";
    auto refused = run(stores_.jobs.submit_all(bundle, true));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::invalid_input);
    const auto each = must(stores_.jobs.submit_all(bundle, false));
    EXPECT_EQ(std::ranges::count_if(each, [](const auto& one) { return one.has_value(); }), 9'999);
    EXPECT_FALSE(each[700]);
    EXPECT_EQ(Cluster::get().execute("select count(*) from plimsoll.job where team_id = " +
                                     std::to_string(people_.team.value)),
              "19999");
}

TEST_F(JobLifecycleTest, AJobPastItsDeadlineIsStopped) {
    auto job = job_of(1);
    job.deadline = std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now() + std::chrono::hours(1));
    const auto id = must(stores_.jobs.submit(job)).id;
    const auto of_job = " where job_id = " + std::to_string(id.value);
    Cluster::get().execute("update plimsoll.overdue set at = '2001-01-01'" + of_job);
    Cluster::get().execute("update plimsoll.job set deadline = '2001-01-01' where id = " +
                           std::to_string(id.value));
    while (must(background_.duties.run("end_overdue")) > 0) {
    }
    const auto ended = must(stores_.jobs.get(people_.team, id));
    EXPECT_EQ(ended.state, JobState::failed);
    EXPECT_EQ(ended.error, "The job did not finish by its deadline, 2001-01-01 00:00:00 UTC.");
}

TEST_F(JobLifecycleTest, WorkersClaimARedrivenJobAndItIsAudited) {
    const auto id = must(stores_.jobs.submit(job_of(2))).id;
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    WorkerProcess host(io_, kind_, "host", "host");
    const auto claimed = claim(worker);
    auto reports = done(claimed);
    for (auto& report : reports) {
        report.outcome = queue::TaskReport::Outcome::failed;
        report.error = "no such model";
    }
    must(worker.store().complete(worker.handle, claimed.fence, reports));
    ASSERT_EQ(state(id), JobState::failed);
    must(stores_.jobs.redrive(people_.team, people_.user, {id}));
    finish(worker, host);
    EXPECT_EQ(state(id), JobState::succeeded);
    must(stores_.jobs.redrive(people_.team, people_.user, {id}));  // there is nothing to run
    EXPECT_EQ(Cluster::get().execute("select count(*) from plimsoll.audit_event where action = "
                                     "'job.redrive' and team_id = " +
                                     std::to_string(people_.team.value)),
              "1");
}

}  // namespace
}  // namespace plimsoll::conformance
