#include "server/worker/loop/tally.hpp"

#include <gtest/gtest.h>

namespace plimsoll::worker {
namespace {

using Outcome = queue::TaskReport::Outcome;

Batch batch_of(std::size_t tasks, const std::vector<Outcome>& outcomes) {
    Batch batch;
    for (std::size_t i = 0; i < tasks; ++i) batch.slots.push_back(std::make_unique<TaskSlot>());
    for (const auto outcome : outcomes) {
        batch.reports.emplace_back();
        batch.reports.back().outcome = outcome;
    }
    return batch;
}

TEST(Tally, CountsEveryTaskOnceByItsOutcome) {
    queue::WorkerTelemetry told;
    count_settled(told,
                  batch_of(6, {Outcome::done, Outcome::done, Outcome::retry, Outcome::failed}));
    count_settled(told, batch_of(1, {Outcome::done}));
    EXPECT_EQ(told.tasks_done, 3);
    EXPECT_EQ(told.tasks_retried, 1);
    EXPECT_EQ(told.tasks_failed, 1);
    EXPECT_EQ(told.tasks_released, 2);
    EXPECT_EQ(told.tasks_dropped, 0);
}

TEST(Tally, LateOutcomesAreDropped) {
    auto late = batch_of(3, {Outcome::done, Outcome::failed});
    late.lost = true;
    queue::WorkerTelemetry told;
    count_settled(told, late);
    EXPECT_EQ(told.tasks_dropped, 2);
    EXPECT_EQ(told.tasks_done + told.tasks_failed + told.tasks_released, 0);
}

}  // namespace
}  // namespace plimsoll::worker
