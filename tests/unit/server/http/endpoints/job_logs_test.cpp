#include "tests/unit/server/http/live/live_server.hpp"

namespace plimsoll::http::test {
namespace {

class JobLogs : public LiveServer {
  protected:
    // Of three attempts, each of which began and ended; the worker said something about the first.
    JobId submit_with_log() {
        const auto id = submit();
        const auto job = std::to_string(id.value);
        execute(R"(
            insert into plimsoll.attempt
              (job_id, seq, fence, team_id, attempt, outcome, worker_id, error, claimed_at, at)
            select )" +
                job + R"(, seq, fence, 1, attempt, outcome, 1, 'Line 1000', now(), now()
            from (values (0, 184, 1, 'retry'), (1, 184, 1, 'retry'), (1, 190, 2, 'final'))
              x(seq, fence, attempt, outcome);
            insert into plimsoll.task_log (job_id, seq, fence, n, team_id, attempt, level, at, text)
            values ()" +
                job + ", 0, 184, 1, 1, 1, 2, now(), 'Line 1')");
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
    const auto last = logs("?limit=5&cursor=" + first.at("next_cursor").get<std::string>());
    ASSERT_EQ(last.at("items").size(), 4u);
    EXPECT_EQ(last["items"][3].at("id"), "1.190.1000");
    EXPECT_TRUE(last.at("next_cursor").is_null());
    EXPECT_EQ(logs("?level=warning").at("items").size(), 4u);
    EXPECT_EQ(logs("?level=error").at("items").size(), 1u);
    EXPECT_EQ(logs("?task=1").at("items").size(), 4u);
    EXPECT_EQ(logs("?task=1&attempt=2").at("items").size(), 2u);
    EXPECT_EQ(logs("?from=9999-01-01T00:00:00Z").at("items").size(), 0u);
    EXPECT_EQ(logs("?to=1971-01-01T00:00:00Z").at("items").size(), 0u);
    EXPECT_EQ(logs("?from=1971-01-01T00:00:00Z&to=9999-01-01T00:00:00Z").at("items").size(), 7u);
    for (const auto* query : {"?level=debug", "?task=-1", "?attempt=0", "?from=now", "?cursor=x"})
        EXPECT_EQ(call({"GET", path + query, identity_.ada}).status, 400) << query;
    EXPECT_EQ(call({"GET", "/v1/jobs/job_0000000000001/logs", identity_.ada}).status, 404);
    EXPECT_EQ(call({"GET", path, identity_.tom}).status, 404);
}

}  // namespace
}  // namespace plimsoll::http::test
