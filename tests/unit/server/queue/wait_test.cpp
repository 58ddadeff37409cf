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

TEST(WaitTest, MissingModelsAreNamedWithWhatHelps) {
    auto wait = waiting("no_fit", 0);
    wait.lacks.emplace();
    EXPECT_EQ(
        describe(wait),
        "No connected device of class gpu can run the job: each lacks something the job needs or "
        "does not run this version of its kind.");
    wait.lacks->memory_mib = 65536;
    EXPECT_EQ(describe(wait),
              "It needs 64 GiB of memory, which no connected device of class gpu has.");
    wait.lacks->models = {{"finbert", "0123456789ab", "fp32"}};
    EXPECT_EQ(
        describe(wait),
        "It waits for the model finbert, which no connected device of class gpu has. Install "
        "it on a worker's machine: plimsoll model pull finbert, or model add with its files.");
    wait.lacks->nodes = {"crane-7", "dock-1"};
    EXPECT_NE(describe(wait).find("within the last hour: crane-7 and dock-1."), std::string::npos);
    wait.lacks->nodes.clear();
    wait.lacks->instead = {{"finbert", "ffffffffffff", "fp32"}};
    EXPECT_NE(describe(wait).find("it needs those with the hash 0123456789ab."), std::string::npos);
    wait.lacks->models = {{"finbert", "0123456789ab", "int8"}, {"tiny", "aaaaaaaaaaaa", "fp32"}};
    wait.lacks->instead = {{"finbert", "0123456789ab", "fp32"}};
    EXPECT_EQ(
        describe(wait),
        "It waits for the models finbert in int8 and tiny, which no connected device of class "
        "gpu has. Idle workers prove it, and so does `plimsoll-engine prove finbert` on their "
        "machine.");
}

TEST(WaitTest, ACapabilityMayNameAModel) {
    EXPECT_EQ(model_of_capability("model finbert 0123456789ab"),
              (NeededModel{"finbert", "0123456789ab", "fp32"}));
    EXPECT_EQ(model_of_capability("measure finbert 0123456789ab int8"),
              (NeededModel{"finbert", "0123456789ab", "int8"}));
    EXPECT_EQ(model_of_capability("model finbert"), std::nullopt);
    EXPECT_EQ(model_of_capability("fp16"), std::nullopt);
    EXPECT_EQ(model_of_capability(""), std::nullopt);
}

}  // namespace
}  // namespace plimsoll::queue
