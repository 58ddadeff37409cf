// The tasks of a job: their states, filters and pages.
#include "tests/conformance/store_test.hpp"

#include <string>
#include <vector>

namespace plimsoll::conformance {
namespace {

class TaskPromises : public StoreTest {
  protected:
    queue::JobStore& store() { return stores_.jobs; }

    std::vector<queue::Task> tasks(JobId id, queue::TaskFilter filter = {}) {
        return must(store().tasks(people_.team, id, std::move(filter))).tasks;
    }
    std::vector<int> numbers(JobId id, queue::TaskFilter filter) {
        std::vector<int> found;
        for (const auto& task : tasks(id, std::move(filter))) found.push_back(task.number);
        return found;
    }
    void expect_all(JobId id, const std::string& state, int attempt) {
        const auto all = tasks(id);
        ASSERT_EQ(all.size(), 3u);
        for (const auto& task : all) {
            EXPECT_EQ(task.state, state) << task.number;
            EXPECT_EQ(task.attempt, attempt) << task.number;
        }
        EXPECT_EQ(numbers(id, {.state = state}), (std::vector{0, 1, 2}));
        for (const auto* other : {"waiting", "running", "done", "failed", "cancelled"})
            if (other != state) EXPECT_TRUE(tasks(id, {.state = other}).empty()) << other;
    }
};

TEST_F(TaskPromises, AJobsTasksAreListedFromItsSubmitOn) {
    const auto id = submit(3);
    expect_all(id, "waiting", 0);
    const auto all = tasks(id);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(all[i].number, i);
        EXPECT_EQ(all[i].first_item, 10 * i);
        EXPECT_EQ(all[i].items, 10);
        EXPECT_EQ(all[i].device, "");
        EXPECT_EQ(all[i].error, "");
    }
}

TEST_F(TaskPromises, StatesFollowTheWork) {
    const auto id = submit(3);
    start_jobs();
    expect_all(id, "running", 1);
    finish_jobs(true);
    expect_all(id, "done", 1);
    for (const auto& task : tasks(id)) EXPECT_EQ(task.error, "");
}

TEST_F(TaskPromises, FailedTasksAreFoundByTheirError) {
    const auto id = submit(3);
    finish_jobs(false);
    expect_all(id, "failed", 1);
    EXPECT_EQ(tasks(id).at(0).error, "no such model");
    EXPECT_EQ(tasks(id, {.error = "such model"}).size(), 3u);
    EXPECT_TRUE(tasks(id, {.error = "message"}).empty());
    EXPECT_TRUE(tasks(id, {.error = "\"quoted\" \\ \n"}).empty());
}

TEST_F(TaskPromises, TasksOfACancelledJobAreCancelled) {
    const auto id = submit(3);
    must(store().cancel(people_.team, people_.user, id));
    expect_all(id, "cancelled", 0);
}

TEST_F(TaskPromises, FiltersCombineAndPagesContinue) {
    const auto id = submit(3);
    finish_jobs(true);
    EXPECT_EQ(numbers(id, {.limit = 2}), (std::vector{0, 1}));
    EXPECT_EQ(numbers(id, {.after = 1, .limit = 2}), (std::vector{2}));
    EXPECT_TRUE(tasks(id, {.after = 2}).empty());
    EXPECT_EQ(numbers(id, {.state = "done", .attempt = 1, .after = 0}), (std::vector{1, 2}));
    EXPECT_TRUE(tasks(id, {.attempt = 2}).empty());
    EXPECT_TRUE(tasks(id, {.node = "no-such-node"}).empty());
    EXPECT_TRUE(tasks(id, {.device = "no-such-device"}).empty());
}

TEST_F(TaskPromises, AnotherTeamsTasksLookMissing) {
    const auto id = submit(3);
    const auto others = make_people("others");
    EXPECT_EQ(code(store().tasks(others.team, id, {})), Errc::not_found);
    EXPECT_EQ(code(store().tasks(people_.team, JobId{1}, {})), Errc::not_found);
}

}  // namespace
}  // namespace plimsoll::conformance
