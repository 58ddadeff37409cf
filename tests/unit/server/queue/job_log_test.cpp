#include "server/queue/job_log.hpp"

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

}  // namespace
}  // namespace plimsoll::queue
