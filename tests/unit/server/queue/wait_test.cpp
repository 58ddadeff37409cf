#include "server/queue/wait.hpp"

#include <set>

#include <gtest/gtest.h>

namespace plimsoll::queue {
namespace {

Wait waiting(std::string reason, std::int64_t tasks_ahead) {
    Wait wait;
    wait.reason = std::move(reason);
    wait.tasks_ahead = tasks_ahead;
    wait.device_class = "gpu";
    return wait;
}

TEST(WaitTest, EveryReasonHasItsSentence) {
    std::set<std::string> sentences;
    for (const auto* reason : {"running", "scheduled", "retrying", "paused", "no_device", "no_fit",
                               "quota", "draining", "cap", "own_jobs", "busy"}) {
        const auto sentence = describe(waiting(reason, 7));
        EXPECT_TRUE(sentence.ends_with('.')) << sentence;
        EXPECT_TRUE(sentences.insert(sentence).second) << sentence;
    }
}

TEST(WaitTest, TasksAheadAreCountedUpToALimit) {
    EXPECT_EQ(describe(waiting("own_jobs", 1)), "It waits behind a task of the team's other jobs.");
    EXPECT_EQ(describe(waiting("own_jobs", 7)),
              "It waits behind 7 tasks of the team's other jobs.");
    EXPECT_EQ(describe(waiting("own_jobs", kMostTasksAhead)),
              "It waits behind at least 10000 tasks of the team's other jobs.");
}

}  // namespace
}  // namespace plimsoll::queue
