#include "tests/unit/server/http/live/live_server.hpp"

#include <gmock/gmock.h>

namespace plimsoll::http::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ScheduleEndpoints : public LiveServer {
  protected:
    static json spec() {
        return {{"name", "nightly"},
                {"cron", "30 2 * * *"},
                {"time_zone", "Europe/Berlin"},
                {"job", {{"kind", "sentiment"}, {"args", {{"texts", {"Good."}}}}}}};
    }
    RawResponse create(const json& body) {
        return call("createSchedule", {"POST", "/v1/schedules", identity_.ada, body.dump()});
    }
    std::string created() {
        const auto made = create(spec());
        EXPECT_EQ(made.status, 201) << made.body;
        return "/v1/schedules/" + made.json().at("id").get<std::string>();
    }
    // The pointers that a refusal names.
    std::vector<std::string> wrong(const json& body) {
        const auto answer = create(body);
        EXPECT_EQ(answer.status, 422) << answer.body;
        return pointers_of(answer);
    }
};

using Pointers = std::vector<std::string>;

TEST_F(ScheduleEndpoints, ShowsTheNextFiveTimesInLocalTime) {
    const auto made = create(spec());
    ASSERT_EQ(made.status, 201) << made.body;
    const auto next = made.json().at("next_runs");
    ASSERT_EQ(next.size(), 5U);
    EXPECT_THAT(next[0].at("local").get<std::string>(), HasSubstr("T02:30:00+0"));
    EXPECT_EQ(made.json().at("misfire"), "once");
    EXPECT_EQ(made.json().at("overlap"), "skip");
    EXPECT_EQ(made.json().at("job"), spec().at("job"));
    const auto listed = call("listSchedules", {"GET", "/v1/schedules", identity_.ada});
    EXPECT_EQ(listed.json().at("items").size(), 1U);
    EXPECT_FALSE(listed.json().at("items")[0].contains("job"));
}

TEST_F(ScheduleEndpoints, NameEveryInvalidField) {
    auto body = spec();
    body["cron"] = "61 * * * *";
    EXPECT_EQ(wrong(body), Pointers{"/cron"});
    body["cron"] = "0 0 30 2 *";
    EXPECT_EQ(wrong(body), Pointers{"/cron"});
    body["cron"] = "@daily";
    body["misfire_limit"] = 3;  // of the policy "all"
    EXPECT_EQ(wrong(body), Pointers{"/misfire_limit"});
    body.erase("misfire_limit");
    body["time_zone"] = "Mars/Olympus";
    body["job"]["run_at"] = "2030-01-01T00:00:00Z";
    body["job"]["args"] = {{"dataset", "data_0000000000000"}};
    EXPECT_EQ(wrong(body), (Pointers{"/time_zone", "/job/run_at", "/job/args/dataset"}));
    body = spec();
    body["job"]["args"]["texts"] = 3;
    EXPECT_EQ(wrong(body), Pointers{"/job/args/texts"});
    EXPECT_EQ(execute("select count(*) from plimsoll.schedule"), "0");
}

TEST_F(ScheduleEndpoints, ArePausedResumedReplacedAndDeleted) {
    const auto path = created();
    auto answer = call("pauseSchedule", {"POST", path + "/pause", identity_.ada});
    EXPECT_TRUE(answer.json().at("paused_at").is_string());
    EXPECT_EQ(answer.json().at("next_runs"), json::array());
    answer = call("resumeSchedule", {"POST", path + "/resume", identity_.ada});
    EXPECT_EQ(answer.json().at("next_runs").size(), 5U);
    auto body = spec();
    body["cron"] = "@hourly";
    const auto replace = [&](const std::string& etag) {
        return call("replaceSchedule",
                    {"PUT", path, identity_.ada, body.dump(), {{"If-Match", etag}}});
    };
    EXPECT_EQ(replace(answer.header("etag")).header("etag"), "\"4\"");
    EXPECT_EQ(replace(answer.header("etag")).status, 412);
    EXPECT_EQ(call("deleteSchedule", {"DELETE", path, identity_.ada}).status, 204);
    EXPECT_EQ(call("getSchedule", {"GET", path, identity_.ada}).status, 404);
}

TEST_F(ScheduleEndpoints, RunNow) {
    const auto path = created() + "/runs";
    auto answer = call("createScheduleRun", {"POST", path, identity_.ada});
    ASSERT_EQ(answer.status, 202) << answer.body;
    const auto job = call("getJob", {"GET", answer.header("location"), identity_.ada});
    EXPECT_EQ(job.json().at("progress").at("items_total"), 1);
    const Sent with_key{"POST", path, identity_.ada, "", {{"Idempotency-Key", "k"}}};
    answer = call("createScheduleRun", with_key);
    EXPECT_EQ(answer.status, 202);
    EXPECT_EQ(call("createScheduleRun", with_key).header("location"), answer.header("location"));
    const auto runs = call("listScheduleRuns", {"GET", path, identity_.ada}).json().at("items");
    EXPECT_EQ(runs.size(), 2U);
    call({"POST", "/v1/jobs", identity_.ada, kTwoTexts, {{"Idempotency-Key", "j"}}});
    const Sent with_jobs_key{"POST", path, identity_.ada, "", {{"Idempotency-Key", "j"}}};
    EXPECT_EQ(call("createScheduleRun", with_jobs_key).status, 422);
}

TEST_F(ScheduleEndpoints, PreviewWhatIsNotSaved) {
    const auto preview = [&](const json& body) {
        return call("previewSchedule",
                    {"POST", "/v1/schedule-previews", identity_.ada, body.dump()});
    };
    EXPECT_EQ(preview({{"cron", "@daily"}}).json().at("items").size(), 5U);
    EXPECT_EQ(preview({{"cron", "0 0 30 2 *"}}).json().at("items"), json::array());
    const auto wrong = preview({{"cron", "0 25 * * *"}});
    EXPECT_EQ(wrong.status, 422);
    EXPECT_EQ(wrong.json().at("errors")[0].at("detail"), "hour: \"25\" is not between 0 and 23");
}

TEST_F(ScheduleEndpoints, OfOtherTeamsLookMissing) {
    const auto path = created();
    EXPECT_EQ(call({"GET", path, identity_.tom}).status, 404);
    EXPECT_EQ(call({"POST", path + "/runs", identity_.tom}).status, 404);
    EXPECT_EQ(call({"POST", "/v1/schedules", identity_.vera, spec().dump()}).status, 403);
    EXPECT_EQ(call({"GET", "/v1/schedules"}).status, 401);
    EXPECT_EQ(call({"GET", "/v1/schedules/x", identity_.ada}).status, 404);
}

}  // namespace
}  // namespace plimsoll::http::test
