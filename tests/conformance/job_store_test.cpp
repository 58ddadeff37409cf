#include "tests/conformance/store_test.hpp"

#include <set>

namespace plimsoll::conformance {
namespace {

using queue::Acceptance;
using queue::JobState;

class JobStoreTest : public StoreTest {};

TEST_F(JobStoreTest, RunsFromSubmitToReport) {
    const auto id = must(stores_.jobs.submit(job_of(2))).id;
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    WorkerProcess host(io_, kind_, "host", "host");

    const auto claimed = claim(worker);
    ASSERT_EQ(claimed.tasks.size(), 2u);
    EXPECT_GT(claimed.fence, 0);
    EXPECT_EQ(claimed.tasks[0].job, id);
    EXPECT_EQ(claimed.tasks[0].kind, kind_);
    EXPECT_EQ(claimed.tasks[0].args.text(), R"({"model": "vader"})");
    EXPECT_EQ(claimed.tasks[1].input, std::string("\0\xff", 2) + "1");
    EXPECT_EQ(claimed.tasks[1].items, 10);
    EXPECT_EQ(claimed.tasks[1].attempt, 1);
    EXPECT_EQ(&claimed.tasks[1].args.text(), &claimed.tasks[0].args.text()) << "shared";
    EXPECT_EQ(state(id), JobState::running);

    auto early = run(stores_.jobs.report(people_.team, id));
    ASSERT_FALSE(early);
    EXPECT_EQ(early.error().code, Errc::conflict);

    auto reports = done(claimed);
    EXPECT_EQ(must(worker.store().complete(worker.handle, claimed.fence, reports)),
              Acceptance::accepted);
    EXPECT_EQ(must(worker.store().complete(worker.handle, claimed.fence, reports)),
              Acceptance::replayed);

    const auto merge = claim(host);
    ASSERT_EQ(merge.tasks.size(), 1u);
    EXPECT_TRUE(merge.tasks[0].merge);
    EXPECT_EQ(merge.tasks[0].partials, (std::vector<std::string>{"partial 0", "partial 1"}));
    EXPECT_EQ(must(host.store().complete(host.handle, merge.fence, done(merge))),
              Acceptance::accepted);

    const auto job = must(stores_.jobs.get(people_.team, id));
    EXPECT_EQ(job.state, JobState::succeeded);
    EXPECT_EQ(job.items_done, 20);
    EXPECT_EQ(job.items_failed, 2);
    EXPECT_EQ(job.tasks_done, 2);
    EXPECT_TRUE(job.finished_at);
    EXPECT_EQ(must(stores_.jobs.report(people_.team, id)), R"({"partials": 2})");

    const auto chunks = must(stores_.jobs.result_chunks(people_.team, id));
    ASSERT_EQ(chunks.size(), 2u);
    EXPECT_EQ(chunks[1].seq, 1);
    EXPECT_EQ(chunks[1].items, 10);
    const auto second = must(stores_.jobs.result_chunk(people_.team, id, 1));
    EXPECT_EQ(second, "results of " + std::string("\0\xff", 2) + "1");

    const auto events = must(stores_.jobs.events(people_.team, id, 0, 100));
    std::vector<std::string> types;
    for (const auto& event : events) {
        types.push_back(event.type);
        EXPECT_EQ(event.number, static_cast<std::int64_t>(types.size()));
    }
    EXPECT_EQ(types.front(), "submitted");
    EXPECT_EQ(types.back(), "finished");
    EXPECT_TRUE(must(stores_.jobs.events(people_.team, id, events.back().number, 100)).empty());
}

TEST_F(JobStoreTest, NoWorkerClaimsACancelledJob) {
    const auto id = must(stores_.jobs.submit(job_of(2))).id;
    must(stores_.jobs.cancel(people_.team, people_.user, id));
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    EXPECT_TRUE(claim(worker).tasks.empty());
}

TEST_F(JobStoreTest, CancelsARunningJobThroughItsWorker) {
    const auto id = must(stores_.jobs.submit(job_of(2))).id;
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    const auto claimed = claim(worker);
    EXPECT_EQ(must(stores_.jobs.cancel(people_.team, people_.user, id)).state,
              JobState::cancelling);
    const auto reply = must(worker.store().heartbeat(worker.handle, {}, {}));
    EXPECT_EQ(reply.cancelled, std::vector<JobId>{id});
    EXPECT_FALSE(reply.expired);
    must(worker.store().complete(worker.handle, claimed.fence, done(claimed)));
    EXPECT_EQ(state(id), JobState::cancelled);
    EXPECT_TRUE(must(stores_.jobs.result_chunks(people_.team, id)).empty());
}

TEST_F(JobStoreTest, ARemovedJobLeavesOnlyAuditRows) {
    const auto id = must(stores_.jobs.submit(job_of(1))).id;
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    WorkerProcess host(io_, kind_, "host", "host");
    finish(worker, host);
    must(stores_.jobs.remove(people_.team, people_.user, id));
    EXPECT_EQ(Cluster::get().execute("select count(*) from plimsoll.result where job_id = " +
                                     std::to_string(id.value)),
              "0");
    EXPECT_EQ(Cluster::get().execute(
                  "select string_agg(action, ' ' order by id) from plimsoll.audit_event where "
                  "team_id = " +
                  std::to_string(people_.team.value)),
              "job.create job.delete");
}

TEST_F(JobStoreTest, ManyAreRemovedAtOnceButUnfinishedOnesStay) {
    const auto first = must(stores_.jobs.submit(job_of(1))).id;
    const auto second = must(stores_.jobs.submit(job_of(1))).id;
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    WorkerProcess host(io_, kind_, "host", "host");
    finish(worker, host);
    const auto waiting = must(stores_.jobs.submit(job_of(1))).id;
    const std::vector all{first, waiting, second, JobId{first.value + 1000}};
    EXPECT_EQ(must(stores_.jobs.remove_finished(people_.team, people_.user, all)),
              std::vector{waiting});
    EXPECT_EQ(Cluster::get().execute("select string_agg(id::text, ' ') from plimsoll.job "
                                     "where team_id = " +
                                     std::to_string(people_.team.value)),
              std::to_string(waiting.value));
}

TEST_F(JobStoreTest, SubmitsShareCommits) {
    constexpr int kCallers = 500;
    std::set<std::int64_t> ids;
    int answered = 0;
    for (int i = 0; i < kCallers; ++i) {
        asio::co_spawn(io_, stores_.jobs.submit(job_of(1)),
                       [&](std::exception_ptr, Result<queue::Submitted> submitted) {
                           ++answered;
                           if (submitted) ids.insert(submitted->id.value);
                       });
    }
    run_until([&] { return answered == kCallers; });
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(kCallers));
    // The jobs of one commit have one creation time.
    const auto commits = Cluster::get().execute(
        "select count(distinct created_at) from plimsoll.job where team_id = " +
        std::to_string(people_.team.value));
    EXPECT_LE(std::stoi(commits), 5);
}

TEST_F(JobStoreTest, LookUpsShareRoundsAndEachGetsItsOwnResult) {
    const auto other = make_people(kind_ + " others");
    auto foreign = job_of(1);
    foreign.team = other.team;
    foreign.submitter = other.user;
    const auto theirs = must(stores_.jobs.submit(std::move(foreign))).id;
    const auto first = must(stores_.jobs.submit(job_of(1))).id;
    const auto second = must(stores_.jobs.submit(job_of(2))).id;
    struct Question {
        TeamId team;
        JobId job;
        std::optional<int> tasks;  // none: there is no such job for this team
    };
    const Question questions[] = {{people_.team, first, 1},
                                  {people_.team, second, 2},
                                  {other.team, theirs, 1},
                                  {people_.team, theirs, std::nullopt},
                                  {other.team, first, std::nullopt},
                                  {people_.team, JobId{second.value + 1'000'000}, std::nullopt}};
    int answered = 0;
    for (int i = 0; i < 60; ++i) {
        for (const auto& question : questions) {
            asio::co_spawn(io_, stores_.jobs.get(question.team, question.job),
                           [&](std::exception_ptr, Result<queue::Job> job) {
                               ++answered;
                               ASSERT_EQ(job.has_value(), question.tasks.has_value());
                               if (!job) {
                                   EXPECT_EQ(job.error().code, Errc::not_found);
                                   return;
                               }
                               EXPECT_EQ(job->id, question.job);
                               EXPECT_EQ(job->team, question.team);
                               EXPECT_EQ(job->tasks_total, question.tasks);
                           });
        }
    }
    run_until([&] { return answered == 60 * 6; });
}

TEST_F(JobStoreTest, OneBadJobDoesNotAffectOthers) {
    int stored = 0;
    int refused = 0;
    for (int i = 0; i < 10; ++i) {
        auto job = job_of(1);
        if (i == 4) job.plan.args = "not JSON";
        asio::co_spawn(io_, stores_.jobs.submit(std::move(job)),
                       [&](std::exception_ptr, Result<queue::Submitted> submitted) {
                           stored += submitted.has_value();
                           refused += !submitted && submitted.error().code == Errc::invalid_input;
                       });
    }
    run_until([&] { return stored + refused == 10; });
    EXPECT_EQ(stored, 9);
    EXPECT_EQ(refused, 1);
}

TEST_F(JobStoreTest, ChecksItsSchema) { must(stores_.jobs.ready()); }

}  // namespace
}  // namespace plimsoll::conformance
