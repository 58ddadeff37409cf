// Tasks that are claimed together, and tasks of a claim that run together.
#include "tests/unit/server/worker/loop/worker_case.hpp"

#include <string>
#include <utility>
#include <vector>

namespace plimsoll::worker {
namespace {

using Outcome = queue::TaskReport::Outcome;

queue::ClaimedTask shared_task(std::string model, std::string input, JobId job) {
    auto made = task("shared", 0, job);
    made.args = std::move(model);
    made.input = std::move(input);
    return made;
}

TEST_F(WorkerTest, TasksOfOneModelRunTogetherWhateverTheirTeams) {
    auto retried = shared_task("a", "again", {4});
    retried.attempt = 2;
    store_.ready = {{shared_task("a", "one", {1}), shared_task("b", "two", {8}),
                     task("echo", 5, {2}), shared_task("a", "three", {3}), retried,
                     shared_task("", "four", {5}), shared_task("a", "unreadable", {6}),
                     shared_task("", "five", {7})}};
    until([&] { return store_.recorded.size() == 1; });
    std::vector<std::string> results;
    std::vector<JobId> jobs;
    for (const auto& report : store_.recorded[1]) {
        results.push_back(report.output.results);
        jobs.push_back(report.job);
    }
    EXPECT_EQ(results,
              (std::vector<std::string>{"3: one", "alone: two", "input 5", "3: three",
                                        "alone: again", "alone: four", "", "alone: five"}));
    EXPECT_EQ(jobs, (std::vector<JobId>{{1}, {8}, {2}, {3}, {4}, {5}, {6}, {7}}))
        << "in the order of the lease";
}

TEST_F(WorkerTest, WhatCannotRunTogetherRunsAlone) {
    store_.ready = {{shared_task("a", "one", {1}), shared_task("a", "break", {2}),
                     shared_task("a", "two", {3})}};
    until([&] { return store_.recorded.size() == 1; });
    const auto& reports = store_.recorded[1];
    ASSERT_EQ(reports.size(), 3U);
    EXPECT_EQ(reports[0].output.results, "alone: one");
    EXPECT_EQ(reports[1].outcome, Outcome::failed);
    EXPECT_EQ(reports[2].output.results, "alone: two");
}

// As a claim has them: copies of one task, which share the job's arguments.
TEST_F(WorkerTest, TheArgumentsOfAJobAreParsedOnceForAllItsTasksInAClaim) {
    for (const char* input : {"one", "break"}) {  // together, and each alone after all
        std::vector<queue::ClaimedTask> claim(5, shared_task("a", input, {1}));
        for (std::size_t i = 0; i < claim.size(); ++i) claim[i].seq = static_cast<int>(i);
        claim[4].attempt = 2;
        parsed = 0;
        const auto before = store_.recorded.size();
        store_.ready = {std::move(claim)};
        until([&] { return store_.recorded.size() > before; });
        EXPECT_EQ(parsed, 1) << input;
    }
}

queue::ClaimedTask urgent(queue::ClaimedTask task) {
    task.priority = kUrgentPriority;
    return task;
}

TEST_F(WorkerTest, UrgentTasksRunFirstAndAreRecordedBeforeTheRestOfTheirClaim) {
    store_.ready = {{task("gate", 0, {1}), urgent(task("echo", 1, {2})), task("echo", 2, {3}),
                     urgent(task("fail", 3, {4}))}};
    until_entered();
    until([&] { return store_.recorded.size() == 1; });
    ASSERT_EQ(store_.recorded[1].size(), 2U);
    EXPECT_EQ(store_.recorded[1][0].job, JobId{2});
    EXPECT_EQ(store_.recorded[1][1].job, JobId{4});
    gate.open.release();
    until([&] { return store_.recorded[1].size() == 4; });
    EXPECT_TRUE(store_.released.empty());
}

TEST_F(WorkerTest, AClaimInTwoPartsReturnsToTheQueueWhatIsUnfinishedOfEach) {
    store_.ready = {{urgent(task("obedient", 0, {7})), urgent(task("echo", 1, {8})),
                     task("obedient", 2, {7}), task("echo", 3, {9})}};
    until_entered();
    store_.reply.cancelled = {JobId{7}};
    store_.notify();
    advance(300ms);
    until([&] { return store_.released.size() == 2; });
    EXPECT_EQ(store_.released_tasks, (std::vector<queue::TaskName>{{{7}, 0}, {{7}, 2}}));
    EXPECT_EQ(store_.recorded[1].size(), 2U);
}

TEST_F(WorkerTest, AnUrgentTaskOvertakesABatchOnce) {
    DeviceThread thread(io_.get_executor(), find_test_kind, [] { return 0.5; });
    std::vector<int> order;
    thread.start([] { return Result<OpenedDevice>(OpenedDevice{}); }, [](const auto&) {},
                 [&](const std::shared_ptr<Batch>& batch) {
                     order.push_back(batch->slots.front()->task.seq);
                 },
                 [](const std::string&) {});
    const auto submit = [&](queue::ClaimedTask one) {
        auto batch = std::make_shared<Batch>();
        batch->urgent = one.priority >= kUrgentPriority;
        batch->slots.push_back(std::make_unique<TaskSlot>());
        batch->slots.back()->task = std::move(one);
        thread.submit(std::move(batch));
    };
    submit(task("gate", 0));
    until_entered();
    submit(task("echo", 1));
    submit(urgent(task("echo", 2)));
    submit(urgent(task("echo", 3)));
    submit(task("echo", 4));
    submit(urgent(task("echo", 5)));
    gate.open.release();
    while (order.size() < 6) io_.run_one_for(60s);
    EXPECT_EQ(order, (std::vector<int>{0, 2, 1, 3, 5, 4}));
}

// A worker whose first claim takes 2 ms hears, while its batch runs, that there is more: the number
// of further claims 7 ms and 8 ms after the first one began.
class Arrivals : public WorkerTest {
  protected:
    std::vector<int> claims_after(std::vector<queue::ClaimedTask> batch) {
        store_.first_claim_takes = 2ms;
        store_.ready = {std::move(batch)};
        until([&] { return store_.claims == 1; });
        const auto start = timer_.now();
        while (store_.claims < 2) advance(1ms);
        until_entered();
        io_.poll();  // there is no more yet
        const int before = store_.claims;
        store_.notify();
        std::vector<int> further;
        for (const auto after : {7ms, 8ms}) {
            while (timer_.now() < start + after) advance(1ms);
            further.push_back(store_.claims - before);
        }
        gate.open.release();
        until([&] { return store_.recorded.size() == 1; });
        return further;
    }
};

TEST_F(Arrivals, DuringABatchOfSeveralTasksAreClaimedTogether) {
    EXPECT_EQ(claims_after({task("gate", 0), task("echo", 1), task("echo", 2), task("echo", 3)}),
              (std::vector{0, 1}));
}

TEST_F(Arrivals, DuringFewTasksAreClaimedAtOnce) {
    EXPECT_EQ(claims_after({task("gate", 0), task("echo", 1)}), (std::vector{1, 1}));
}

TEST_F(Arrivals, DuringAnUrgentTaskAreClaimedAtOnce) {
    auto urgent = task("gate", 0);
    urgent.priority = 10;
    EXPECT_EQ(claims_after({urgent, task("echo", 1), task("echo", 2), task("echo", 3)}),
              (std::vector{1, 1}));
}

}  // namespace
}  // namespace plimsoll::worker
