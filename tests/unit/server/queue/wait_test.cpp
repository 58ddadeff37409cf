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

std::optional<jobs::Lack> echo(std::span<const std::string> missing,
                               std::span<const std::string> instead) {
    return jobs::Lack{.models = {}, .what = missing[0], .advice = "Use " + instead[0] + "."};
}

TEST(WaitTest, EveryReasonHasItsSentence) {
    std::set<std::string> sentences;
    for (const auto* reason : {"running", "scheduled", "retrying", "paused", "no_device", "no_fit",
                               "quota", "draining", "cap", "memory", "own_jobs", "busy"}) {
        const auto sentence = describe(waiting(reason, 7), {});
        EXPECT_TRUE(sentence.ends_with('.')) << sentence;
        EXPECT_TRUE(sentences.insert(sentence).second) << sentence;
    }
}

TEST(WaitTest, TasksAheadAreCountedUpToALimit) {
    EXPECT_EQ(describe(waiting("own_jobs", 1), {}),
              "It waits behind a task of the team's other jobs.");
    EXPECT_EQ(describe(waiting("own_jobs", 7), {}),
              "It waits behind 7 tasks of the team's other jobs.");
    EXPECT_EQ(describe(waiting("own_jobs", kMostTasksAhead), {}),
              "It waits behind at least 10000 tasks of the team's other jobs.");
}

TEST(WaitTest, WhatNoDeviceHasIsExplainedInTheKindsWords) {
    auto wait = waiting("no_fit", 0);
    jobs::Contract kind;
    kind.explain_lack = echo;
    EXPECT_EQ(lack_of(wait, kind), std::nullopt);
    wait.lacks = {.missing = {"a lamp"}, .instead = {"a candle"}, .nodes = {}, .memory_mib = {}};
    EXPECT_EQ(lack_of(wait, jobs::Contract()), std::nullopt);
    EXPECT_EQ(
        describe(wait, {}),
        "No connected device of class gpu can run the job: each lacks something the job needs or "
        "does not run this version of the job's kind.");
    auto lack = lack_of(wait, kind);
    EXPECT_EQ(describe(wait, lack),
              "It waits for a lamp, which no connected device of class gpu has. Use a candle.");
    wait.lacks->nodes = {"crane-7", "dock-1"};
    lack->advice.clear();
    EXPECT_TRUE(
        describe(wait, lack)
            .ends_with(
                " Nodes that had it recently but are not connected now: crane-7 and dock-1."));
}

TEST(WaitTest, TooLittleMemoryIsReported) {
    auto wait = waiting("no_fit", 0);
    wait.lacks.emplace().memory_mib = 65536;
    EXPECT_EQ(describe(wait, {}),
              "It needs 64 GiB of memory, which no connected device of class gpu has.");
}

}  // namespace
}  // namespace plimsoll::queue
