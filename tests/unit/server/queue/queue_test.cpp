#include "server/queue/job_log.hpp"
#include "server/queue/retry.hpp"
#include "server/queue/wait.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::queue {
namespace {

AttemptNews news_of(std::string what, std::string text = {}) {
    AttemptNews news;
    news.what = std::move(what);
    news.text = std::move(text);
    return news;
}

AttemptNews ended(std::string outcome, std::string error = {}) {
    auto news = news_of("ended", std::move(error));
    news.outcome = std::move(outcome);
    return news;
}

TEST(JobLog, TellsWhereAnAttemptStarted) {
    auto news = news_of("started");
    news.node = "node-a";
    news.device = "opencl:0:0";
    news.device_class = "gpu";
    news.attempt = 2;
    EXPECT_EQ(text_of(news), "Attempt 2 started on node-a, device opencl:0:0 (gpu).");
    news.node.clear();
    EXPECT_EQ(text_of(news), "Attempt 2 started.");
    EXPECT_EQ(source_of(news), JobLogLine::Source::queue);
}

TEST(JobLog, TellsHowAnAttemptEnded) {
    auto done = ended("done");
    done.seconds = 1.25;
    done.items_ok = 1;
    EXPECT_EQ(text_of(done), "Done in 1.250 s: 1 item succeeded.");
    done.seconds = 75;
    done.items_ok = 97;
    done.items_failed = 3;
    EXPECT_EQ(text_of(done), "Done in 75.0 s: 97 items succeeded, 3 failed.");
    EXPECT_EQ(text_of(ended("retry", "No memory.")),
              "Failed, and returned to the queue: No memory.");
    EXPECT_EQ(text_of(ended("worker_died", "It died.")),
              "Lost, and returned to the queue: It died.");
    EXPECT_EQ(text_of(ended("quarantined", "Bad.")), "Failed, and will not be retried: Bad.");
    EXPECT_EQ(text_of(ended("final", "Bad.")), "Failed, and will not be retried: Bad.");
}

TEST(JobLog, WorkersAndTheirSupervisorsCannotForgeALine) {
    auto news = news_of("said", "calm\n2026-01-01 error task 0");
    EXPECT_EQ(text_of(news), "calm 2026-01-01 error task 0");
    EXPECT_EQ(source_of(news), JobLogLine::Source::worker);
    news.what = "process_ended";
    news.text = "hung and was killed";
    EXPECT_EQ(text_of(news), "The worker process ended: hung and was killed");
    EXPECT_EQ(source_of(news), JobLogLine::Source::supervisor);
    EXPECT_EQ(text_of(ended("retry", "a\rb")), "Failed, and returned to the queue: a b");
}

// Without chance: the middle of the spread.
std::vector<double> pauses(Errc error) {
    std::vector<double> seconds;
    for (int attempt = 1;; ++attempt) {
        const auto pause = pause_before_retry(error, attempt, 0.5);
        if (!pause) return seconds;
        seconds.push_back(pause->count());
    }
}

TEST(RetryTest, EachClassOfErrorsHasItsBackoff) {
    EXPECT_EQ(pauses(Errc::exhausted), (std::vector<double>{2, 8, 32, 120, 120}));
    EXPECT_EQ(pauses(Errc::unavailable), (std::vector<double>{1, 4, 16, 64, 256, 300, 300}));
    EXPECT_EQ(pauses(Errc::timeout), (std::vector<double>{5, 20}));
    EXPECT_EQ(pauses(Errc::cancelled), (std::vector<double>{1, 4}));
}

TEST(RetryTest, DeterministicFailuresAreNotRetried) {
    for (const auto error :
         {Errc::invalid_input, Errc::not_found, Errc::too_large, Errc::corrupt, Errc::internal,
          Errc::conflict, Errc::unauthenticated, Errc::forbidden}) {
        EXPECT_TRUE(pauses(error).empty()) << to_string(error);
    }
}

TEST(RetryTest, JitterRangesFromHalfToOneAndAHalf) {
    EXPECT_EQ(pause_before_retry(Errc::exhausted, 2, 0)->count(), 4);
    EXPECT_EQ(pause_before_retry(Errc::exhausted, 2, 1)->count(), 12);
}

TEST(RetryTest, AttemptsCountFromOne) {
    EXPECT_EQ(pause_before_retry(Errc::timeout, 0, 0.5)->count(), 5);
    EXPECT_EQ(pause_before_retry(Errc::timeout, -5, 0.5)->count(), 5);
}

Wait waiting(std::string reason, std::int64_t tasks_ahead) {
    Wait wait;
    wait.reason = std::move(reason);
    wait.tasks_ahead = tasks_ahead;
    wait.device_class = "gpu";
    return wait;
}

std::optional<jobs::MissingCapability> echo(std::span<const std::string> missing,
                                            std::span<const std::string> instead) {
    return jobs::MissingCapability{
        .models = {}, .what = missing[0], .advice = "Use " + instead[0] + "."};
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
    EXPECT_EQ(describe(waiting("own_jobs", kMaxTasksAhead), {}),
              "It waits behind at least 10000 tasks of the team's other jobs.");
}

TEST(WaitTest, WhatNoDeviceHasIsExplainedInTheKindsWords) {
    auto wait = waiting("no_fit", 0);
    jobs::Contract kind;
    kind.explain_missing = echo;
    EXPECT_EQ(missing_capability(wait, kind), std::nullopt);
    wait.lacks = {.missing = {"a lamp"}, .instead = {"a candle"}, .nodes = {}, .memory_mib = {}};
    EXPECT_EQ(missing_capability(wait, jobs::Contract()), std::nullopt);
    EXPECT_EQ(
        describe(wait, {}),
        "No connected device of class gpu can run the job: each lacks something the job needs or "
        "does not run this version of the job's kind.");
    auto missing = missing_capability(wait, kind);
    EXPECT_EQ(describe(wait, missing),
              "It waits for a lamp, which no connected device of class gpu has. Use a candle.");
    wait.lacks->nodes = {"crane-7", "dock-1"};
    missing->advice.clear();
    EXPECT_TRUE(
        describe(wait, missing)
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
