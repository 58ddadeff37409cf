#include "tests/conformance/store_test.hpp"

#include <algorithm>
#include <map>

namespace plimsoll::conformance {
namespace {

using queue::JobState;

class JobLifecycleTest : public StoreTest {};

TEST_F(JobLifecycleTest, ABundleIsStoredWholeOrNotAtAll) {
    auto held = job_of(1);
    held.unique_key = "nightly";
    const auto holder = must(server_.jobs().submit(held)).id;
    std::vector<queue::NewJob> bundle = {job_of(1), held, job_of(2)};
    const auto refused = must(server_.jobs().submit_all(bundle, true));
    ASSERT_EQ(refused.size(), 3u);
    EXPECT_EQ(refused[0].error().code, Errc::cancelled);
    EXPECT_TRUE(refused[1]->taken);
    EXPECT_EQ(refused[1]->id, holder);
    EXPECT_EQ(refused[2].error().code, Errc::cancelled);
    EXPECT_EQ(must(server_.jobs().list(people_.team, {})).size(), 1u);

    const auto each = must(server_.jobs().submit_all(bundle, false));
    EXPECT_TRUE(each[0] && each[1]->taken && each[2]);
    EXPECT_EQ(must(server_.jobs().get(people_.team, each[2]->id)).tasks_total, 2);
}

TEST_F(JobLifecycleTest, ABundleHoldsTenThousandJobsOfWhichOneMayBeBad) {
    std::vector<queue::NewJob> bundle(10'000, job_of(1));
    EXPECT_EQ(must(server_.jobs().submit_all(bundle, true)).size(), 10'000u);
    bundle[700].plan.args = "not JSON";
    auto refused = run(server_.jobs().submit_all(bundle, true));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::invalid_input);
    const auto each = must(server_.jobs().submit_all(bundle, false));
    EXPECT_EQ(std::ranges::count_if(each, [](const auto& one) { return one.has_value(); }), 9'999);
    EXPECT_FALSE(each[700]);
    EXPECT_EQ(Cluster::get().execute("select count(*) from plimsoll.job where team_id = " +
                                     std::to_string(people_.team.value)),
              "19999");
}

TEST_F(JobLifecycleTest, TimesAndUniqueKeysAreKept) {
    const auto soon = std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now() + std::chrono::hours(1));
    auto job = job_of(1);
    job.run_at = soon;
    job.deadline = soon + std::chrono::hours(1);
    job.timeout = queue::Seconds(90);
    job.unique_key = "nightly";
    const auto first = must(server_.jobs().submit(job));
    EXPECT_FALSE(first.taken);
    const auto stored = must(server_.jobs().get(people_.team, first.id));
    EXPECT_EQ(stored.state, JobState::scheduled);
    EXPECT_EQ(stored.run_at, job.run_at);
    EXPECT_EQ(stored.deadline, job.deadline);
    EXPECT_EQ(stored.timeout, job.timeout);
    EXPECT_EQ(stored.unique_key, "nightly");
    const auto wait = must(server_.jobs().wait(people_.team, first.id));
    ASSERT_TRUE(wait);
    EXPECT_EQ(wait->reason, "scheduled");
    EXPECT_EQ(wait->until, job.run_at);

    const auto second = must(server_.jobs().submit(job));
    EXPECT_TRUE(second.taken);
    EXPECT_EQ(second.id, first.id);
    must(server_.jobs().cancel(people_.team, people_.user, first.id));
    EXPECT_FALSE(must(server_.jobs().wait(people_.team, first.id)));
    const auto third = must(server_.jobs().submit(job));
    EXPECT_FALSE(third.taken);
    EXPECT_NE(third.id, first.id);
}

TEST_F(JobLifecycleTest, AJobPastItsDeadlineIsStopped) {
    auto job = job_of(1);
    job.deadline = std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now() + std::chrono::hours(1));
    const auto id = must(server_.jobs().submit(job)).id;
    const auto of_job = " where job_id = " + std::to_string(id.value);
    Cluster::get().execute("update plimsoll.overdue set at = '2001-01-01'" + of_job);
    Cluster::get().execute("update plimsoll.job set deadline = '2001-01-01' where id = " +
                           std::to_string(id.value));
    while (must(server_.duties().end_overdue()) > 0) {
    }
    const auto ended = must(server_.jobs().get(people_.team, id));
    EXPECT_EQ(ended.state, JobState::failed);
    EXPECT_EQ(ended.error, "The job was not done by its deadline, 2001-01-01 00:00:00 UTC.");
}

TEST_F(JobLifecycleTest, RunsAgainWhatAFailedJobDidNotGetDone) {
    const auto id = must(server_.jobs().submit(job_of(2))).id;
    const auto redrive = [&](TeamId team, std::vector<JobId> ids) {
        std::map<std::int64_t, queue::Redrive> outcomes;
        for (const auto& [job, outcome] :
             must(server_.jobs().redrive(team, people_.user, std::move(ids)))) {
            outcomes[job.value] = outcome;
        }
        return outcomes;
    };
    EXPECT_EQ(redrive(people_.team, {id}).at(id.value), queue::Redrive::unfinished);
    WorkerProcess worker(io_, *this, "cpu", "cpu:0");
    WorkerProcess host(io_, *this, "host", "host");
    const auto claimed = claim(worker);
    auto reports = done(claimed);
    for (auto& report : reports) {
        report.outcome = queue::TaskReport::Outcome::failed;
        report.error = "no such model";
    }
    must(worker.store().complete(worker.handle, claimed.fence, reports));
    ASSERT_EQ(state(id), JobState::failed);
    EXPECT_EQ(must(server_.jobs().get(people_.team, id)).tasks_failed, 2);

    const JobId unknown{id.value + 1'000'000};
    const auto other = make_people(kind_ + " others");
    EXPECT_EQ(redrive(other.team, {id}).at(id.value), queue::Redrive::not_found);
    EXPECT_EQ(redrive(people_.team, {id, unknown}),
              (std::map<std::int64_t, queue::Redrive>{{id.value, queue::Redrive::redriven},
                                                      {unknown.value, queue::Redrive::not_found}}));
    const auto again = must(server_.jobs().get(people_.team, id));
    EXPECT_EQ(again.state, JobState::queued);
    EXPECT_EQ(again.error, "");
    EXPECT_EQ(again.last_error, "no such model");
    EXPECT_EQ(again.tasks_failed, 0);
    finish(worker, host);
    EXPECT_EQ(state(id), JobState::succeeded);
    EXPECT_EQ(redrive(people_.team, {id}).at(id.value), queue::Redrive::complete);
    EXPECT_EQ(Cluster::get().execute("select count(*) from plimsoll.audit_event where action = "
                                     "'job.redrive' and team_id = " +
                                     std::to_string(people_.team.value)),
              "1");
}

}  // namespace
}  // namespace plimsoll::conformance
