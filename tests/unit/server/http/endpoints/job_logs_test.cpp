#include "tests/unit/server/http/live/live_server.hpp"

namespace plimsoll::http::test {
namespace {

class JobLogs : public LiveServer {
  protected:
    JobId submit_with_log() {
        const auto id = submit();
        using Source = queue::JobLogLine::Source;
        on_io([&] {
            const auto line = [this](int task, std::int64_t fence, int number) {
                queue::JobLogLine made;
                made.place = {task, fence, number};
                made.at = clock_.now();
                made.text = "Line " + std::to_string(number);
                return made;
            };
            auto& log = jobs_.jobs.at(id).log;
            log = {line(0, 184, 0), line(0, 184, 1), line(1, 184, 0), line(1, 190, 0)};
            log[1].level = jobs::LogLevel::warning;
            log[1].source = Source::worker;
            log[3].level = jobs::LogLevel::error;
            log[3].attempt = 2;
        });
        return id;
    }
};

TEST_F(JobLogs, AreReadInPagesAndByFilter) {
    const auto id = submit_with_log();
    const auto path = path_of(id) + "/logs";
    const auto logs = [&](const std::string& query) {
        return call("listJobLogs", {"GET", path + query, identity_.ada}).json();
    };
    const auto first = logs("?limit=3");
    ASSERT_EQ(first.at("items").size(), 3u);
    EXPECT_EQ(first["items"][1].at("id"), "0.184.1");
    EXPECT_EQ(first["items"][1].at("attempt_id"), "0.184");
    EXPECT_EQ(first["items"][1].at("level"), "warning");
    EXPECT_EQ(first["items"][1].at("source"), "worker");
    EXPECT_EQ(first["items"][0].at("level"), "info");
    EXPECT_EQ(first["items"][0].at("source"), "queue");
    const auto last = logs("?limit=3&cursor=" + first.at("next_cursor").get<std::string>());
    ASSERT_EQ(last.at("items").size(), 1u);
    EXPECT_EQ(last["items"][0].at("id"), "1.190.0");
    EXPECT_TRUE(last.at("next_cursor").is_null());
    EXPECT_EQ(logs("?level=warning").at("items").size(), 2u);
    EXPECT_EQ(logs("?level=error").at("items").size(), 1u);
    EXPECT_EQ(logs("?task=1").at("items").size(), 2u);
    EXPECT_EQ(logs("?task=1&attempt=2").at("items").size(), 1u);
    EXPECT_EQ(logs("?from=9999-01-01T00:00:00Z").at("items").size(), 0u);
    EXPECT_EQ(logs("?to=1971-01-01T00:00:00Z").at("items").size(), 0u);
    EXPECT_EQ(logs("?from=1971-01-01T00:00:00Z&to=9999-01-01T00:00:00Z").at("items").size(), 4u);
    for (const auto* query : {"?level=debug", "?task=-1", "?attempt=0", "?from=now", "?cursor=x"}) {
        EXPECT_EQ(call({"GET", path + query, identity_.ada}).status, 400) << query;
    }
    EXPECT_EQ(call({"GET", "/v1/jobs/job_0000000000001/logs", identity_.ada}).status, 404);
    EXPECT_EQ(call({"GET", path, identity_.tom}).status, 404);
}

}  // namespace
}  // namespace plimsoll::http::test
