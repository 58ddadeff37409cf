#include "tests/unit/server/http/live/live_server.hpp"

namespace plimsoll::http::test {
namespace {

using nlohmann::json;

class JobEndpoints : public LiveServer {
  protected:
    static std::string row(int index, const std::string& text) {
        return R"({"index":)" + std::to_string(index) +
               R"(,"line":null,"custom_id":"=1+1","text":")" + text +
               R"(","label":"positive","compound":0.5,"positive":0.5,"neutral":0.5,)"
               R"("negative":-0.0,"tokens":null,"truncated":null,"error_code":null,"error":null})"
               "\n";
    }
    void finish() { finish_jobs(row(0, "good") + row(1, "bad")); }
};

TEST_F(JobEndpoints, QuarantinedTasksKeepTheirRowsWhenTheirInputIsDeleted) {
    const auto id = submit();
    finish();
    execute("update plimsoll.result set state = 'quarantined', error = 'Its workers died.'");
    execute(
        "update plimsoll.job set input = null");  // as if it stood in a dataset that was deleted
    const auto path = path_of(id) + "/results";
    const auto rows = call("getJobResults", {"GET", path, identity_.ada}).json().at("items");
    ASSERT_EQ(rows.size(), 2u);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(rows[i].at("index"), i);
        EXPECT_TRUE(rows[i].at("compound").is_null());
        EXPECT_EQ(rows[i].at("error_code"), "input_deleted");
        EXPECT_EQ(rows[i].at("error"), "Its workers died. Its input has been deleted.");
    }
    const auto csv = call({"GET", path + ".csv", identity_.ada}).body;
    EXPECT_TRUE(csv.ends_with("Its workers died. Its input has been deleted.\r\n")) << csv;
}

TEST_F(JobEndpoints, ProgressIsByItemsOrByTasks) {
    const auto id = submit();
    const auto progress = [&](std::int64_t items, int tasks) {
        execute(
            "update plimsoll.job set state = 'running', started_at = created_at, tasks_total = 8, "
            "items_ok = " +
            std::to_string(items) + ", tasks_left = 8 - " + std::to_string(tasks));
        return call("getJob", {"GET", path_of(id), identity_.ada}).json().at("progress");
    };
    EXPECT_EQ(progress(0, 0).at("fraction"), 0);
    EXPECT_TRUE(progress(0, 0).at("eta_seconds").is_null());
    EXPECT_EQ(progress(1, 0).at("fraction"), 0.5);
    EXPECT_EQ(progress(0, 2).at("fraction"), 0.25);
    EXPECT_TRUE(progress(0, 2).at("eta_seconds").is_number());
    EXPECT_EQ(progress(2, 7).at("fraction"), 0.875);
    EXPECT_EQ(progress(2, 8).at("fraction"), 1);
}

TEST_F(JobEndpoints, ListsTasksInPages) {
    const auto id = submit();
    execute(R"(
        with replaced as (update plimsoll.job set est_seconds = null returning id)
        insert into plimsoll.task (job_id, seq, team_id, first_item, items, est_seconds)
        select id, n, 1, 4 * n, 4, 0 from replaced, generate_series(0, 2) n;
        insert into plimsoll.attempt (job_id, seq, fence, team_id, attempt, outcome, worker_id, error, claimed_at, at)
        select job_id, 1, 184, 1, 2, 'retry', 1, 'out of memory', now(), now() from plimsoll.task where seq = 1)");
    const auto path = path_of(id) + "/tasks";
    const auto tasks = [&](const std::string& query) {
        return call("listJobTasks", {"GET", path + query, identity_.ada}).json();
    };
    const auto first = tasks("?limit=2");
    ASSERT_EQ(first.at("items").size(), 2u);
    EXPECT_EQ(first["items"][1].at("first_item"), 4);
    EXPECT_EQ(first["items"][1].at("node"), "node-a");
    EXPECT_TRUE(first["items"][0].at("node").is_null());
    const auto cursor = first.at("next_cursor").get<std::string>();
    const auto last = tasks("?limit=2&cursor=" + cursor);
    ASSERT_EQ(last.at("items").size(), 1u);
    EXPECT_EQ(last["items"][0].at("task"), 2);
    EXPECT_TRUE(last.at("next_cursor").is_null());
    for (const auto* query : {"?attempt_from=2", "?node=node-a", "?device=host",
                              "?error=memory&state=waiting&attempt_from=1"}) {
        const auto found = tasks(query).at("items");
        ASSERT_EQ(found.size(), 1u) << query;
        EXPECT_EQ(found[0].at("task"), 1) << query;
    }
    EXPECT_TRUE(tasks("?state=done").at("items").empty());
    for (const auto* query : {"?state=lost", "?attempt_from=0", "?error=", "?cursor=x"})
        EXPECT_EQ(call({"GET", path + query, identity_.ada}).status, 400) << query;
}

TEST_F(JobEndpoints, AFailedJobIsRedrivenAndOthersAreNot) {
    const auto id = submit();
    const auto redrive = [&](const std::string& job) {
        return call("redriveJob", {"POST", "/v1/jobs/" + job + "/redrive", identity_.ada});
    };
    EXPECT_EQ(redrive(to_public(id)).status, 409);
    worker().fail_jobs("no such model");
    const auto response = redrive(to_public(id));
    EXPECT_EQ(response.status, 202);
    EXPECT_EQ(response.json().at("state"), "queued");
    EXPECT_EQ(response.header("location"), "/v1/jobs/" + to_public(id));
    finish();
    const auto complete = redrive(to_public(id));
    EXPECT_EQ(complete.status, 409);
    EXPECT_EQ(complete.json().at("detail"),
              "Nothing to run again: all of the job's tasks are done.");
    EXPECT_EQ(redrive("job_0000000000001").status, 404);
    EXPECT_EQ(redrive("nonsense").status, 404);
}

TEST_F(JobEndpoints, ManyJobsAreRedrivenByNameOrByFilter) {
    const auto failed = submit();
    execute(
        "update plimsoll.job set labels = '{\"desk\": \"metals\"}'; update plimsoll.job_label set "
        "value = 'metals'");
    submit();
    worker().fail_jobs("no such model");
    const auto running = submit();
    const auto redrive = [&](const json& body) {
        return call("redriveJobs", {"POST", "/v1/redrives", identity_.ada, body.dump()});
    };
    const auto by_filter = redrive({{"filter", {{"label", "desk=energy"}}}}).json();
    EXPECT_EQ(by_filter.at("redriven"), 1);
    EXPECT_EQ(by_filter.at("refused"), json::array());
    EXPECT_EQ(by_filter.at("next_cursor"), nullptr);
    const auto by_name =
        redrive({{"job_ids", {to_public(failed), to_public(running), "nonsense"}}}).json();
    EXPECT_EQ(by_name.at("redriven"), 1);
    ASSERT_EQ(by_name.at("refused").size(), 2u);
    EXPECT_EQ(by_name.at("refused")[0].at("job_id"), "nonsense");
    EXPECT_EQ(by_name.at("refused")[1].at("job_id"), to_public(running));
    EXPECT_EQ(redrive({{"job_ids", json::array()}}).status, 422);
    EXPECT_EQ(redrive(json::object()).status, 422);
    EXPECT_EQ(redrive({{"filter", json::object()}, {"job_ids", {to_public(failed)}}}).status, 422);
    EXPECT_EQ(redrive({{"filter", {{"cursor", "nonsense"}}}}).status, 422);
}

TEST_F(JobEndpoints, AWaitingJobSaysWhy) {
    for (int i = 0; i < 12; ++i) submit();
    const auto id = submit();
    const auto wait = [&](const std::string& job) {
        return call("getJobWaitReason", {"GET", "/v1/jobs/" + job + "/wait-reason", identity_.ada});
    };
    const auto why = wait(to_public(id)).json();
    EXPECT_EQ(why.at("reason"), "own_jobs");
    EXPECT_EQ(why.at("detail"), "It waits behind 12 tasks of the team's other jobs.");
    EXPECT_EQ(why.at("tasks_ahead"), 12);
    EXPECT_EQ(why.at("until"), nullptr);
    finish();
    EXPECT_EQ(wait(to_public(id)).json().at("reason"), "ended");
    EXPECT_EQ(wait("job_0000000000001").status, 404);
}

TEST_F(JobEndpoints, ListsInPages) {
    for (int i = 0; i < 5; ++i) submit();
    std::string target = "/v1/jobs?limit=2&label=desk%3Denergy";
    std::vector<std::string> seen;
    for (int pages = 0; !target.empty() && pages < 5; ++pages) {
        const auto response = call("listJobs", {"GET", target, identity_.ada});
        const auto page = response.json();
        for (const auto& job : page.at("items")) seen.push_back(job.at("id"));
        const auto link = response.header("link");
        EXPECT_EQ(link.empty(), page.at("next_cursor").is_null());
        target = link.empty() ? "" : link.substr(1, link.find('>') - 1);
    }
    EXPECT_EQ(seen.size(), 5u);
    EXPECT_TRUE(std::is_sorted(seen.rbegin(), seen.rend()));
    EXPECT_EQ(call("listJobs", {"GET", "/v1/jobs?label=desk%3Dpower", identity_.ada})
                  .json()
                  .at("items")
                  .size(),
              0u);
    EXPECT_EQ(call("listJobs", {"GET", "/v1/jobs?state=running", identity_.ada})
                  .json()
                  .at("items")
                  .size(),
              0u);
}

TEST_F(JobEndpoints, NamesBrokenParameters) {
    for (const auto* query : {"limit=0", "limit=201", "limit=x", "limit=1&limit=2", "state=done",
                              "cursor=abc", "limt=3"}) {
        const auto response =
            call("listJobs", {"GET", std::string("/v1/jobs?") + query, identity_.ada});
        EXPECT_EQ(response.status, 400) << query;
        const std::string text(query);
        EXPECT_EQ(response.json().at("errors").at(0).at("parameter"),
                  text.substr(0, text.find('=')))
            << query;
    }
}

TEST_F(JobEndpoints, ReadsAJobOrReportsThatItIsUnchanged) {
    const auto id = submit();
    const auto first = call("getJob", {"GET", path_of(id), identity_.ada});
    EXPECT_EQ(first.status, 200);
    const auto etag = first.header("etag");
    EXPECT_EQ(first.header("cache-control"), "private, no-cache");
    Sent again{"GET", path_of(id), identity_.ada};
    again.headers = {{"If-None-Match", etag}};
    EXPECT_EQ(call("getJob", again).status, 304);
    worker().start_jobs();
    EXPECT_EQ(call("getJob", again).status, 200);
}

TEST_F(JobEndpoints, WaitingReturnsWhenTheJobChanges) {
    const auto id = submit();
    RawClient client(port_);
    Sent sent{"GET", path_of(id) + "?wait=60", identity_.ada};
    client.send(bytes_of(sent));
    finish();
    const auto response = client.receive();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.json().at("state"), "succeeded");
    EXPECT_EQ(call("getJob", {"GET", path_of(id) + "?wait=61", identity_.ada}).status, 400);
}

TEST_F(JobEndpoints, AnotherTeamsJobLooksMissing) {
    const auto id = submit();
    const auto missing = to_public(JobId{424242});
    for (const auto* rest : {"", "/events", "/report", "/results"}) {
        auto foreign = call({"GET", path_of(id) + rest, identity_.tom});
        auto none = call({"GET", "/v1/jobs/" + missing + rest, identity_.tom});
        EXPECT_EQ(foreign.status, 404) << rest;
        auto a = foreign.json();
        auto b = none.json();
        a.erase("request_id");
        b.erase("request_id");
        EXPECT_EQ(a, b) << rest;
    }
    EXPECT_EQ(call({"DELETE", path_of(id), identity_.tom}).status, 404);
    EXPECT_EQ(call({"POST", path_of(id) + "/cancellation", identity_.tom}).status, 404);
    EXPECT_EQ(call({"GET", "/v1/jobs", identity_.tom}).json().at("items").size(), 0u);
    EXPECT_EQ(call({"GET", "/v1/jobs/nonsense", identity_.tom}).status, 404);
}

TEST_F(JobEndpoints, CancelsAndDeletes) {
    const auto id = submit();
    EXPECT_EQ(call("deleteJob", {"DELETE", path_of(id), identity_.ada}).status, 409);
    worker().start_jobs();
    const auto cancelled =
        call("cancelJob", {"POST", path_of(id) + "/cancellation", identity_.ada});
    EXPECT_EQ(cancelled.status, 202);
    EXPECT_EQ(cancelled.json().at("state"), "cancelling");
    finish();
    EXPECT_EQ(call("cancelJob", {"POST", path_of(id) + "/cancellation", identity_.ada}).status,
              409);
    EXPECT_EQ(call("deleteJob", {"DELETE", path_of(id), identity_.ada}).status, 204);
    EXPECT_EQ(call("getJob", {"GET", path_of(id), identity_.ada}).status, 404);
}

TEST_F(JobEndpoints, ReportAndResultsWaitForTheEnd) {
    const auto id = submit();
    EXPECT_EQ(call("getJobReport", {"GET", path_of(id) + "/report", identity_.ada}).status, 409);
    EXPECT_EQ(call("getJobResults", {"GET", path_of(id) + "/results", identity_.ada}).status, 409);
    finish();
    EXPECT_EQ(call("getJobReport", {"GET", path_of(id) + "/report", identity_.ada}).status, 200);
    const auto results = call("getJobResults", {"GET", path_of(id) + "/results", identity_.ada});
    EXPECT_EQ(results.status, 200);
    EXPECT_EQ(results.json().at("items").size(), 2u);
}

TEST_F(JobEndpoints, OperationsWithoutABodyAcceptAnEmptyObject) {
    const auto path = path_of(submit()) + "/cancellation";
    EXPECT_EQ(call({"POST", path, identity_.ada, "[]"}).status, 400);
    EXPECT_EQ(call({"POST", path, identity_.ada, R"({"why":"late"})"}).status, 413);
    EXPECT_EQ(call({"POST", path, identity_.ada, "{}"}).status, 202);
}

TEST_F(JobEndpoints, ResultsComeInThreeFormats) {
    const auto id = submit();
    finish_jobs(row(0, "=1+1") + row(1, "bad"));
    const auto get = [&](const std::string& operation, const std::string& file) {
        Sent sent{"GET", path_of(id) + "/" + file, identity_.ada};
        sent.headers = {{"Accept", "application/problem+json"}};  // as some generated clients do
        return call(operation, sent);
    };
    const auto lines = get("getJobResultsJsonl", "results.jsonl");
    EXPECT_EQ(lines.header("content-type"), "application/x-ndjson");
    EXPECT_EQ(std::count(lines.body.begin(), lines.body.end(), '\n'), 2);
    const auto csv = get("getJobResultsCsv", "results.csv");
    EXPECT_EQ(csv.header("content-type"), "text/csv");
    EXPECT_NE(csv.body.find("'=1+1"), std::string::npos);
    EXPECT_EQ(get("getJobResults", "results").json().at("items").size(), 2u);
}

TEST_F(JobEndpoints, ADamagedChunkEndsTheConnection) {
    const auto id = ended({row(0, "good"), row(1, "bad")});
    execute("update plimsoll.result set content = 'damaged', bytes = 7 where seq = 1");
    RawClient client(port_);
    client.send(bytes_of({"GET", path_of(id) + "/results.jsonl", identity_.ada}));
    EXPECT_EQ(client.receive_until("0\r\n\r\n").find("\r\n0\r\n\r\n"), std::string::npos);
}

TEST_F(JobEndpoints, ABrokenDatabaseIsUnavailable) {
    const auto id = submit();
    database_.close();
    for (const auto& target : {path_of(id), std::string("/v1/jobs"), std::string("/readyz")}) {
        const auto response = call({"GET", target, identity_.ada});
        EXPECT_EQ(response.status, 503) << target;
        EXPECT_EQ(response.header("retry-after"), "5") << target;
    }
    EXPECT_EQ(call({"GET", "/healthz"}).status, 200);
    database_.open();
    while (call({"GET", "/readyz"}).status != 200) {
    }
}

TEST_F(JobEndpoints, InternalErrorsAreNotDisclosed) {
    execute("alter function plimsoll.read_jobs rename to read_none");
    const auto response = call("getJob", {"GET", path_of(JobId{1}), identity_.ada});
    execute("alter function plimsoll.read_none rename to read_jobs");
    EXPECT_EQ(response.status, 500);
    EXPECT_EQ(response.body.find("read_jobs"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::http::test
