#include "tests/unit/server/http/live/live_server.hpp"

namespace plimsoll::http::test {
namespace {

class QueueEndpoints : public LiveServer {
  protected:
    RawResponse hold(const std::string& token, const nlohmann::json& body) {
        return call("createHold", {"POST", "/v1/holds", token, body.dump()});
    }
    nlohmann::json queue(const std::string& token) {
        const auto read = call("getQueue", {"GET", "/v1/queue", token});
        EXPECT_EQ(read.status, 200) << read.body;
        return read.json();
    }
    std::string research() { return to_public(TeamId{1}); }
    std::string trading() { return to_public(TeamId{2}); }
};

TEST_F(QueueEndpoints, ATeamSeesItsOwnShareAndASystemAdminAll) {
    for (const auto& team : {research(), trading()}) {
        call("setShare",
             {"PUT", "/v1/teams/" + team + "/shares/gpu", identity_.ada, R"({"weight":2})"});
    }
    EXPECT_EQ(queue(identity_.ada).at("shares").size(), 2U);
    const auto own = queue(identity_.tom).at("shares");
    ASSERT_EQ(own.size(), 1U);
    EXPECT_EQ(own[0].at("team").at("name"), "trading");
}

TEST_F(QueueEndpoints, OnlySystemAdminsSetShares) {
    const auto path = "/v1/teams/" + trading() + "/shares/gpu";
    const auto terms = R"({"weight":2,"cap":3,"quota":{"seconds":60,"period":"hour"}})";
    EXPECT_EQ(call({"PUT", path, identity_.tom, terms}).status, 403);
    const auto set = call("setShare", {"PUT", path, identity_.ada, terms});
    ASSERT_EQ(set.status, 200) << set.body;
    EXPECT_EQ(set.json().at("cap"), 3);
    EXPECT_EQ(set.json().at("quota").at("period"), "hour");
    const auto plain = call("setShare", {"PUT", path, identity_.ada, R"({"weight":1})"});
    EXPECT_TRUE(plain.json().at("cap").is_null());
    EXPECT_TRUE(plain.json().at("quota").is_null());
    EXPECT_EQ(call({"PUT", path, identity_.ada, R"({"weight":0})"}).status, 422);
    const auto none = call({"PUT", "/v1/teams/x/shares/gpu", identity_.ada, R"({"weight":1})"});
    EXPECT_EQ(none.status, 404);
}

TEST_F(QueueEndpoints, LimitsAndClassesAreReplacedWhole) {
    const auto limits = "/v1/teams/" + trading() + "/limits";
    EXPECT_EQ(call("setTeamLimits", {"PUT", limits, identity_.ada, R"({"queued_jobs":7})"}).status,
              200);
    EXPECT_EQ(queue(identity_.tom).at("limits").at(0).at("queued_jobs"), 7);
    EXPECT_TRUE(queue(identity_.tom).at("limits").at(0).at("jobs_per_minute").is_null());
    const auto rate = R"({"queued_jobs":null,"jobs_per_minute":60})";
    EXPECT_EQ(
        call("setTeamLimits", {"PUT", limits, identity_.ada, rate}).json().at("jobs_per_minute"),
        60);
    EXPECT_TRUE(queue(identity_.tom).at("limits").at(0).at("queued_jobs").is_null());
    EXPECT_EQ(
        call({"PUT", limits, identity_.ada, R"({"queued_jobs":1,"jobs_per_minute":0})"}).status,
        422);
    EXPECT_EQ(call({"PUT", limits, identity_.ada, R"({"queued_jobs":null})"}).status, 200);
    EXPECT_TRUE(queue(identity_.ada).at("limits").empty());
    const auto terms = R"({"half_life_seconds":60,"entry_limit_seconds":0})";
    EXPECT_EQ(call("setDeviceClass", {"PUT", "/v1/device-classes/gpu", identity_.ada, terms})
                  .json()
                  .at("half_life_seconds"),
              60);
    EXPECT_EQ(call({"PUT", "/v1/device-classes/quantum", identity_.ada, terms}).status, 400);
    EXPECT_EQ(call({"PUT", "/v1/device-classes/gpu", identity_.tom, terms}).status, 403);
}

TEST_F(QueueEndpoints, TermsAreReadByTheirTeamAndAnEditNamesTheirVersion) {
    const auto team = "/v1/teams/" + trading();
    const auto unlimited = call("getTeamLimits", {"GET", team + "/limits", identity_.tom});
    EXPECT_EQ(unlimited.status, 200);
    EXPECT_TRUE(unlimited.json().at("queued_jobs").is_null());
    call("setShare", {"PUT", team + "/shares/gpu", identity_.ada, R"({"weight":2})"});
    struct Edit {
        std::string operation;
        std::string list;
        std::string path;
        std::string body;
    };
    for (const auto& [operation, list, path, body] :
         {Edit{"setShare", "shares", team + "/shares/gpu", R"({"weight":3,"cap":2})"},
          Edit{"setTeamLimits", "limits", team + "/limits", R"({"queued_jobs":7})"},
          Edit{"setDeviceClass", "classes", "/v1/device-classes/gpu",
               R"({"half_life_seconds":60,"entry_limit_seconds":0})"}}) {
        const auto version = [&]() -> std::string {
            if (list == "limits")
                return call("getTeamLimits", {"GET", path, identity_.tom}).json().at("version");
            const auto queue = call("getQueue", {"GET", "/v1/queue", identity_.tom}).json();
            for (const auto& item : queue.at(list))
                if (item.at("device_class") == "gpu") return item.at("version");
            return "none";
        };
        const auto etag = '"' + version() + '"';
        EXPECT_EQ(call({"PUT", path, identity_.tom, body}).status, 403);
        const auto edit = [&] {
            return call(operation, {"PUT", path, identity_.ada, body, {{"If-Match", etag}}});
        };
        const auto done = edit();
        EXPECT_EQ(done.status, 200) << done.body;
        EXPECT_EQ('"' + version() + '"', done.header("etag"));
        EXPECT_EQ(edit().status, 412);
    }
    const std::string nobodys = "/v1/teams/team_0000000000zzz/limits";
    EXPECT_EQ(call({"GET", nobodys, identity_.ada}).status, 404);
    EXPECT_EQ(call({"GET", nobodys, identity_.tom}).status, 404);
}

TEST_F(QueueEndpoints, ATeamHoldsItselfAndNoOther) {
    const auto made = hold(identity_.tom,
                           {{"team_id", trading()}, {"mode", "pause"}, {"reason", "A bad model."}});
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_FALSE(made.json().at("created_by_administrator").get<bool>());
    EXPECT_EQ(
        hold(identity_.tom, {{"team_id", research()}, {"mode", "pause"}, {"reason", "x"}}).status,
        404);
    EXPECT_EQ(
        hold(identity_.tom, {{"device_class", "gpu"}, {"mode", "pause"}, {"reason", "x"}}).status,
        403);
    const auto path = "/v1/holds/" + made.json().at("id").get<std::string>();
    EXPECT_EQ(call("deleteHold", {"DELETE", path, identity_.tom}).status, 204);
    EXPECT_EQ(call("deleteHold", {"DELETE", path, identity_.tom}).status, 404);
}

TEST_F(QueueEndpoints, ATeamCannotLiftASystemAdminsHold) {
    const auto made =
        hold(identity_.ada, {{"team_id", trading()}, {"mode", "drain"}, {"reason", "x"}});
    ASSERT_EQ(made.status, 201) << made.body;
    const auto path = "/v1/holds/" + made.json().at("id").get<std::string>();
    EXPECT_EQ(call({"DELETE", path, identity_.tom}).status, 403) << "which the team sees";
    EXPECT_EQ(call({"DELETE", path, identity_.ada}).status, 204);
}

TEST_F(QueueEndpoints, AnotherTeamsHoldLooksLikeNone) {
    const auto made =
        hold(identity_.ada, {{"team_id", research()}, {"mode", "drain"}, {"reason", "x"}});
    ASSERT_EQ(made.status, 201) << made.body;
    const auto told = [&](const std::string& id) {
        const auto reply = call({"DELETE", "/v1/holds/" + id, identity_.tom});
        return std::pair(reply.status, reply.json().at("detail"));
    };
    EXPECT_EQ(told(made.json().at("id")), told("hold_0000000000099"));
}

TEST_F(QueueEndpoints, AHoldNamesOneThing) {
    const nlohmann::json bad[] = {
        {{"mode", "pause"}, {"reason", "x"}},
        {{"mode", "pause"}, {"reason", "x"}, {"device_class", "gpu"}, {"node", "a"}},
        {{"mode", "pause"}, {"reason", "x"}, {"device_class", "gpu"}, {"device", "opencl:0:0"}},
        {{"mode", "stop"}, {"reason", "x"}, {"node", "a"}},
        {{"mode", "pause"}, {"reason", ""}, {"node", "a"}},
    };
    for (const auto& body : bad) EXPECT_EQ(hold(identity_.ada, body).status, 422) << body;
    EXPECT_EQ(hold(identity_.ada, {{"mode", "pause"}, {"reason", "x"}, {"node", "nowhere"}}).status,
              404);
    const auto device =
        hold(identity_.ada,
             {{"mode", "drain"}, {"reason", "x"}, {"node", "node-a"}, {"device", "host"}});
    EXPECT_EQ(device.json().at("scope"), "device");
}

TEST_F(QueueEndpoints, ARefusalForAQuotaNamesIt) {
    const auto share = "/v1/teams/" + research() + "/shares/host";
    const auto terms = R"({"weight":1,"quota":{"seconds":10,"period":"day"}})";
    EXPECT_EQ(call("setShare", {"PUT", share, identity_.ada, terms}).status, 200);
    execute(
        "update plimsoll.account_state set period_seconds = 10, period_start = "
        "plimsoll.quota_start('day', now())");
    const auto refused = call("createJob", {"POST", "/v1/jobs", identity_.ada, kTwoTexts});
    ASSERT_EQ(refused.status, 429) << refused.body;
    const auto problem = refused.json();
    EXPECT_EQ(problem.at("type"), "/docs/problems/over-quota");
    EXPECT_EQ(problem.at("quota"), "device_seconds");
    EXPECT_EQ(problem.at("used"), 10);
    EXPECT_EQ(problem.at("limit"), 10);
    EXPECT_TRUE(problem.at("renews_at").is_string());
    const auto detail = problem.at("detail").get<std::string>();
    EXPECT_TRUE(detail.starts_with("The job is estimated to take ")) << detail;
    EXPECT_TRUE(
        detail.ends_with(" device-seconds; the team has used 10 of 10 device-seconds of "
                         "class host in a day."))
        << detail;
    EXPECT_GE(std::stoi(refused.header("retry-after")), 1);
}

TEST_F(QueueEndpoints, SystemAdminsSeeVacuumBlockersAfterAMinute) {
    execute(R"(insert into plimsoll.vacuum_horizon (holder, position, detail, since) values
        ('session', 0, 'process 12', now() - interval '61 s'), ('replication_slot', 0, 'young', now() - interval '50 s'))");
    const auto warnings = queue(identity_.ada).at("warnings");
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].at("code"), "vacuum_blocked");
    EXPECT_NE(warnings[0].at("detail").get<std::string>().find("process 12"), std::string::npos);
    EXPECT_TRUE(queue(identity_.tom).at("warnings").empty());
}

constexpr auto kAddUsage =
    "insert into plimsoll.usage_hour "
    "(team_id, hour, user_id, kind, model, seconds, tasks, items, jobs) ";

class UsageEndpoint : public LiveServer {
  protected:
    UsageEndpoint() {
        use("(1, 7), (2, 3)");
        execute(R"(update plimsoll.team set name = 'research, "north"' where id = 1)");
    }
    // Each of these (team, user) in the same hour.
    void use(const std::string& who) {
        execute(std::string(kAddUsage) +
                "select team, '2025-03-04T08:00:00Z', who, 'sentiment', '', 1.25, 3, 30, 1 "
                "from (values " +
                who + ") x(team, who)");
    }
    RawResponse usage(const std::string& token, const std::string& query) {
        return call("getUsage", {"GET", "/v1/usage" + query, token});
    }

    const std::string week_ = "&from=2025-03-01T00:00:00Z&to=2025-03-08T00:00:00Z";
};

TEST_F(UsageEndpoint, ATeamSeesItsOwnUsageAndASystemAdminAll) {
    const auto all = usage(identity_.ada, "?group_by=hour,team,user,kind" + week_).json();
    ASSERT_EQ(all.at("items").size(), 2U);
    EXPECT_EQ(all["items"][0]["user"]["name"], nullptr);
    EXPECT_EQ(all["items"][1]["user"]["name"], "tom");
    EXPECT_EQ(all["total"]["device_seconds"], 2.5);
    EXPECT_EQ(
        usage(identity_.ada, "?team_id=" + to_public(TeamId{2}) + week_).json()["items"].size(),
        1U);
    const auto own = usage(identity_.tom, "?group_by=team" + week_).json();
    ASSERT_EQ(own.at("items").size(), 1U);
    EXPECT_EQ(own["items"][0]["team"]["name"], "trading");
    EXPECT_EQ(usage(identity_.tom, "?team_id=" + to_public(TeamId{1})).status, 404);
}

TEST_F(UsageEndpoint, TimesHaveDefaultsAndLimits) {
    const auto week = usage(identity_.ada, "?to=2025-03-08T00:00:00Z").json();
    EXPECT_EQ(week.at("from"), "2025-03-01T00:00:00.000Z");
    EXPECT_EQ(week.at("group_by"), nlohmann::json{"day"});
    for (const auto* wrong :
         {"?from=yesterday", "?from=2025-03-08T00:00:00Z&to=2025-03-08T00:00:00Z",
          "?from=2023-01-01T00:00:00Z&to=2025-01-01T00:00:00Z", "?group_by=hour,day",
          "?group_by=team,team", "?group_by=colour", "?group_by="}) {
        EXPECT_EQ(usage(identity_.ada, wrong).status, 400) << wrong;
    }
}

TEST_F(UsageEndpoint, MoreThanTenThousandRowsAreRefused) {
    execute(std::string(kAddUsage) +
            "select 1, '2025-03-04T08:00:00Z', n, 'sentiment', '', 1, 1, 1, 1 "
            "from generate_series(1000, 11000) n");
    const auto refused = usage(identity_.ada, "?group_by=hour,user" + week_);
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(refused.json().at("errors").at(0).at("parameter"), "group_by");
}

TEST_F(UsageEndpoint, CsvHasOneLinePerRow) {
    const auto table =
        call("getUsageCsv",
             {"GET", "/v1/usage.csv?group_by=hour,team,user,kind" + week_, identity_.tom});
    EXPECT_EQ(table.status, 200);
    EXPECT_EQ(table.header("content-type"), "text/csv");
    EXPECT_EQ(table.body,
              "start,team_id,team,user_id,user,kind,model,device_seconds,tasks,items,jobs\r\n"
              "2025-03-04T08:00:00.000Z," +
                  to_public(TeamId{2}) + ",trading," + to_public(UserId{3}) +
                  ",tom,sentiment,,1.25,3,30,1\r\n");
}

}  // namespace
}  // namespace plimsoll::http::test
