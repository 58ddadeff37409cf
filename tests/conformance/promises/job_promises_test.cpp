// What becomes of a job: cancelled, ended, removed, run again, and read by others.
#include "tests/conformance/store_test.hpp"

#include <map>
#include <string>
#include <vector>

namespace plimsoll::conformance {
namespace {

using queue::JobState;
using queue::Redrive;

class JobPromises : public StoreTest {
  protected:
    queue::JobStore& store() { return stores_.jobs; }

    std::vector<std::string> events(JobId id, std::int64_t after = 0, int limit = 100) {
        std::vector<std::string> types;
        for (const auto& event : must(store().events(people_.team, id, after, limit))) {
            EXPECT_EQ(event.number, after + static_cast<std::int64_t>(types.size()) + 1);
            types.push_back(event.type);
        }
        return types;
    }
    std::map<JobId, Redrive> redrive(TeamId team, const std::vector<JobId>& ids) {
        std::map<JobId, Redrive> outcomes;
        for (const auto& [id, outcome] : must(store().redrive(team, people_.user, ids)))
            outcomes[id] = outcome;
        return outcomes;
    }
    Redrive redrive(JobId id) { return redrive(people_.team, {id}).at(id); }
};

TEST_F(JobPromises, AQueuedJobIsCancelledAtOnce) {
    const auto id = submit(2);
    const auto cancelled = must(store().cancel(people_.team, people_.user, id));
    EXPECT_EQ(cancelled.state, JobState::cancelled);
    EXPECT_TRUE(cancelled.finished_at);
    EXPECT_EQ(code(store().cancel(people_.team, people_.user, id)), Errc::conflict);
    EXPECT_EQ(code(store().report(people_.team, id)), Errc::not_found);
    EXPECT_FALSE(must(store().wait(people_.team, id)));
    EXPECT_EQ(events(id).back(), "finished");
}

TEST_F(JobPromises, ARunningJobIsCancelledThroughItsWorker) {
    const auto id = submit(2);
    start_jobs();
    EXPECT_EQ(job(id).state, JobState::running);
    const auto version = job(id).version;
    EXPECT_EQ(must(store().cancel(people_.team, people_.user, id)).state, JobState::cancelling);
    EXPECT_GT(job(id).version, version);
    EXPECT_EQ(must(store().cancel(people_.team, people_.user, id)).state, JobState::cancelling)
        << "asking twice is no mistake";
    EXPECT_EQ(code(store().remove(people_.team, people_.user, id)), Errc::conflict);
    finish_jobs(true);
    EXPECT_EQ(job(id).state, JobState::cancelled);
    EXPECT_TRUE(must(store().result_chunks(people_.team, id)).empty());
}

TEST_F(JobPromises, AnEndedJobHasItsReportAndItsResults) {
    const auto id = submit(2);
    EXPECT_EQ(code(store().report(people_.team, id)), Errc::conflict);
    start_jobs();
    EXPECT_EQ(code(store().report(people_.team, id)), Errc::conflict);
    finish_jobs(true);
    const auto ended = job(id);
    EXPECT_EQ(ended.state, JobState::succeeded);
    EXPECT_EQ(ended.items_done, 20);
    EXPECT_EQ(ended.items_failed, 2);
    EXPECT_EQ(ended.tasks_done, 2);
    EXPECT_TRUE(ended.started_at);
    EXPECT_TRUE(ended.finished_at);
    EXPECT_EQ(must(store().report(people_.team, id)), R"({"partials": 2})");
    const auto chunks = must(store().result_chunks(people_.team, id));
    ASSERT_EQ(chunks.size(), 2u);
    EXPECT_EQ(chunks[1].seq, 1);
    const auto second = must(store().result_chunk(people_.team, id, 1));
    EXPECT_EQ(second, "results of " + std::string("\0\xff", 2) + "1");
    EXPECT_EQ(chunks[1].error, "");
    EXPECT_EQ(code(store().result_chunk(people_.team, id, 2)), Errc::not_found);
}

TEST_F(JobPromises, EventsAreNumberedWithoutGaps) {
    const auto id = submit(1);
    finish_jobs(true);
    const auto all = events(id);
    ASSERT_GE(all.size(), 3u);
    EXPECT_EQ(all.front(), "submitted");
    EXPECT_EQ(all.back(), "finished");
    EXPECT_EQ(events(id, 1, 1), std::vector{all[1]});
    EXPECT_TRUE(events(id, static_cast<std::int64_t>(all.size())).empty());
}

TEST_F(JobPromises, AnEndedJobIsRemovedWithEverything) {
    const auto id = submit();
    EXPECT_EQ(code(store().remove(people_.team, people_.user, id)), Errc::conflict);
    finish_jobs(true);
    must(store().remove(people_.team, people_.user, id));
    EXPECT_EQ(code(store().get(people_.team, id)), Errc::not_found);
    EXPECT_EQ(code(store().report(people_.team, id)), Errc::not_found);
    EXPECT_EQ(code(store().events(people_.team, id, 0, 10)), Errc::not_found);
    EXPECT_EQ(code(store().remove(people_.team, people_.user, id)), Errc::not_found);
    EXPECT_TRUE(must(store().list(people_.team, {})).jobs.empty());
}

TEST_F(JobPromises, AFailedJobRunsAgainAsTheSameJob) {
    const auto id = submit(2);
    EXPECT_EQ(redrive(id), Redrive::unfinished);
    finish_jobs(false);
    const auto failed = job(id);
    EXPECT_EQ(failed.state, JobState::failed);
    EXPECT_EQ(failed.tasks_failed, 2);
    EXPECT_NE(failed.error, "");

    const JobId unknown{id.value + 1'000'000};
    EXPECT_EQ(redrive(others().team, {id}).at(id), Redrive::not_found);
    EXPECT_EQ(redrive(people_.team, {id, unknown, id}),
              (std::map<JobId, Redrive>{{id, Redrive::redriven}, {unknown, Redrive::not_found}}));
    const auto again = job(id);
    EXPECT_EQ(again.state, JobState::queued);
    EXPECT_EQ(again.error, "");
    EXPECT_EQ(again.last_error, "no such model");
    EXPECT_EQ(again.tasks_failed, 0);
    EXPECT_FALSE(again.started_at);
    EXPECT_FALSE(again.finished_at);
    finish_jobs(true);
    EXPECT_EQ(job(id).state, JobState::succeeded);
    EXPECT_EQ(redrive(id), Redrive::complete);
}

TEST_F(JobPromises, ACancelledJobRunsAgainUnlessItsUniqueKeyIsTaken) {
    auto spec = job_of(1);
    spec.unique_key = "nightly";
    const auto first = must(store().submit(spec)).id;
    must(store().cancel(people_.team, people_.user, first));
    const auto second = must(store().submit(spec)).id;
    EXPECT_EQ(redrive(first), Redrive::not_unique);
    must(store().cancel(people_.team, people_.user, second));
    EXPECT_EQ(redrive(first), Redrive::redriven);
    EXPECT_EQ(must(store().submit(spec)).id, first) << "it has the key again";
}

TEST_F(JobPromises, AnotherTeamsJobLooksMissing) {
    const auto id = submit();
    finish_jobs(true);
    const auto other = others();
    EXPECT_EQ(code(store().get(other.team, id)), Errc::not_found);
    EXPECT_EQ(code(store().cancel(other.team, other.user, id)), Errc::not_found);
    EXPECT_EQ(code(store().remove(other.team, other.user, id)), Errc::not_found);
    EXPECT_EQ(code(store().wait(other.team, id)), Errc::not_found);
    EXPECT_EQ(code(store().events(other.team, id, 0, 10)), Errc::not_found);
    EXPECT_EQ(code(store().report(other.team, id)), Errc::not_found);
    EXPECT_EQ(code(store().result_chunks(other.team, id)), Errc::not_found);
    EXPECT_EQ(code(store().result_chunk(other.team, id, 0)), Errc::not_found);
    EXPECT_EQ(code(store().task_input(other.team, id, 0)), Errc::not_found);
    EXPECT_TRUE(must(store().list(other.team, {})).jobs.empty());
    EXPECT_EQ(must(store().list(people_.team, {})).jobs.size(), 1u);
}

}  // namespace
}  // namespace plimsoll::conformance
