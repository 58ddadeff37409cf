#include "server/queue/wait.hpp"

#include <set>

#include <gtest/gtest.h>

namespace plimsoll::queue {
namespace {

TEST(WaitTest, EveryReasonHasItsSentence) {
    std::set<std::string> sentences;
    for (const auto* reason : {"running", "scheduled", "retrying", "paused", "no_device", "no_fit",
                               "draining", "cap", "own_jobs", "busy"}) {
        const auto sentence = describe({reason, {}, 7, "gpu"});
        EXPECT_TRUE(sentence.ends_with('.')) << sentence;
        EXPECT_TRUE(sentences.insert(sentence).second) << sentence;
    }
}

TEST(WaitTest, TasksAheadAreCountedUpToALimit) {
    EXPECT_EQ(describe({"own_jobs", {}, 1, "cpu"}),
              "It waits behind a task of the team's other jobs.");
    EXPECT_EQ(describe({"own_jobs", {}, 7, "cpu"}),
              "It waits behind 7 tasks of the team's other jobs.");
    EXPECT_EQ(describe({"own_jobs", {}, kMostTasksAhead, "cpu"}),
              "It waits behind at least 10000 tasks of the team's other jobs.");
}

}  // namespace
}  // namespace plimsoll::queue
