#include "tests/unit/server/http/live/live_server.hpp"

namespace plimsoll::http::test {
namespace {

class DatasetEndpoints : public LiveServer {
  protected:
    // Its path.
    std::string announce(std::size_t bytes, const std::string& format = "csv") {
        const auto response = call(
            "createDataset",
            {"POST", "/v1/datasets", identity_.ada,
             R"({"name":"f","format":")" + format + R"(","bytes":)" + std::to_string(bytes) + "}"});
        EXPECT_EQ(response.status, 201) << response.body;
        return response.header("location");
    }
    static std::string head_of(const std::string& path, std::size_t offset, std::size_t bytes,
                               const std::string& token) {
        return "PUT " + path + "/content?offset=" + std::to_string(offset) +
               " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token +
               "\r\nContent-Type: application/octet-stream\r\nContent-Length: " +
               std::to_string(bytes) + "\r\n";
    }
    RawResponse put(const std::string& path, std::size_t offset, const std::string& part) {
        RawClient client(port_);
        client.send(head_of(path, offset, part.size(), identity_.ada) + "\r\n" + part);
        return client.receive();
    }
};

TEST_F(DatasetEndpoints, AFileInAnyPartsBecomesReady) {
    const std::string file = "id,text\n1,good\n2,\"b\na\"\"d\"\n";
    for (std::size_t cut = 0; cut <= file.size(); ++cut) {
        const auto path = announce(file.size());
        EXPECT_EQ(put(path, 0, file.substr(0, cut)).header("upload-offset"), std::to_string(cut));
        if (cut < file.size()) EXPECT_EQ(put(path, cut, file.substr(cut)).status, 200);
        const auto dataset = call("getDataset", {"GET", path, identity_.ada});
        EXPECT_EQ(dataset.json().at("state"), "ready") << cut;
        EXPECT_EQ(dataset.json().at("records"), 2) << cut;
        const auto records =
            call("listDatasetRecords", {"GET", path + "/records", identity_.ada}).json();
        EXPECT_EQ(records.at("columns"), (nlohmann::json{"id", "text"}));
        EXPECT_EQ(records.at("items").at(1).at("values"), (nlohmann::json{"2", "b\na\"d"}));
    }
}

TEST_F(DatasetEndpoints, ALongBodyIsStoredAsItArrives) {
    std::string file = "text\n";
    // Does not compress well, so that it makes more than one step.
    for (std::uint32_t i = 0, x = 1; file.size() < (8u << 20); ++i) {
        x = x * 1664525 + 1013904223;
        file += std::to_string(x) + (i % 9 == 8 ? "\n" : "");
    }
    const auto path = announce(file.size() + 1);
    RawClient client(port_);
    client.send(head_of(path, 0, file.size() + 1, identity_.ada) + "\r\n" + file);
    // All of it is sent but the last byte: the first steps are stored meanwhile.
    while (execute("select count(*) < 2 from plimsoll.dataset_chunk") == "t") {
    }
    client.send("\n");
    EXPECT_EQ(client.receive().status, 200);
}

TEST_F(DatasetEndpoints, OneHundredContinueIsSentOnlyForABodyThatWillBeRead) {
    const auto path = announce(10);
    RawClient wrong(port_);
    wrong.send(head_of(path, 3, 7, identity_.ada) + "Expect: 100-continue\r\n\r\n");
    const auto refused = wrong.receive();
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(refused.header("upload-offset"), "0");
    EXPECT_EQ(refused.json().at("type"), "/docs/problems/offset-mismatch");

    RawClient right(port_);
    right.send(head_of(path, 0, 10, identity_.ada) + "Expect: 100-continue\r\n\r\n");
    EXPECT_TRUE(right.receive_until("\r\n\r\n").starts_with("HTTP/1.1 100"));
    right.send("text\ngood\n");
    EXPECT_EQ(right.receive().json().at("state"), "ready");
}

TEST_F(DatasetEndpoints, BytesOfAnInterruptedUploadAreKept) {
    const std::string file = "text\ngood\nbad\n";
    const auto path = announce(file.size());
    {
        RawClient client(port_);
        client.send(head_of(path, 0, file.size(), identity_.ada) + "\r\n" + file.substr(0, 8));
    }
    std::string offset;
    while (offset != "8") {
        offset = call({"HEAD", path, identity_.ada}).header("upload-offset");
        ASSERT_TRUE(offset == "0" || offset == "8") << offset;
    }
    EXPECT_EQ(put(path, 8, file.substr(8)).json().at("records"), 2);
}

TEST_F(DatasetEndpoints, TheWrongBodyIsRefused) {
    const auto path = announce(5);
    const auto json =
        call("uploadDatasetContent", {"PUT", path + "/content?offset=0", identity_.ada, "\"abc\""});
    EXPECT_EQ(json.status, 415);
    EXPECT_EQ(put(path, 0, "text\nmore").status, 413);
    EXPECT_EQ(put(path, 0, std::string("\xff\xfe") + "abc").status, 422);
    EXPECT_EQ(call("getDataset", {"GET", path, identity_.ada}).json().at("state"), "failed");
    EXPECT_EQ(put(path, 0, "text\n").status, 409);
}

TEST_F(DatasetEndpoints, ListsArePagedAndPerTeam) {
    for (int i = 0; i < 3; ++i) announce(5);
    const auto page = call("listDatasets", {"GET", "/v1/datasets?limit=2", identity_.ada}).json();
    EXPECT_EQ(page.at("items").size(), 2u);
    const auto rest =
        call("listDatasets",
             {"GET", "/v1/datasets?cursor=" + page.at("next_cursor").get<std::string>(),
              identity_.ada})
            .json();
    EXPECT_EQ(rest.at("items").size(), 1u);
    EXPECT_TRUE(rest.at("next_cursor").is_null());
}

TEST_F(DatasetEndpoints, AJobOnADatasetKnowsItsColumns) {
    const std::string file = "key,headline\n1,good\n";
    const auto path = announce(file.size());
    const auto id = path.substr(path.rfind('/') + 1);
    const auto spec = [&](const std::string& columns) {
        return R"({"kind":"sentiment","args":{"dataset":")" + id + "\",\"columns\":" + columns +
               "}}";
    };
    const auto post = [&](const std::string& body) {
        return call("createJob", {"POST", "/v1/jobs", identity_.ada, body});
    };
    const auto early = post(spec("{}"));
    EXPECT_EQ(early.status, 422);
    EXPECT_EQ(early.json().at("errors").at(0).at("pointer"), "/args/dataset");
    EXPECT_EQ(put(path, 0, file).status, 200);
    const auto missing = post(spec("{}"));
    EXPECT_EQ(missing.json().at("errors").at(0).at("pointer"), "/args/columns/text");

    const auto made = post(spec(R"({"text":"headline","custom_id":"key"})"));
    EXPECT_EQ(made.status, 202);
    const JobId job{*parse_public_id("job", made.json().at("id").get<std::string>())};
    const auto of_job = " from plimsoll.job where id = " + std::to_string(job.value);
    EXPECT_EQ(execute("select tasks_total" + of_job), "1");
    EXPECT_EQ(nlohmann::json::parse(execute("select args" + of_job)).at("source"),
              (nlohmann::json{{"format", "csv"},
                              {"text", "headline"},
                              {"text_position", 1},
                              {"custom_id", "key"},
                              {"custom_id_position", 0}}));
}

TEST_F(DatasetEndpoints, AKeysFirstResponseOutlivesTheDataset) {
    const std::string file = "text\ngood\n";
    const auto path = announce(file.size());
    EXPECT_EQ(put(path, 0, file).status, 200);
    const auto body =
        R"({"kind":"sentiment","args":{"dataset":")" + path.substr(path.rfind('/') + 1) + "\"}}";
    const auto post = [&](const std::string& key, const std::string& text) {
        Sent sent{"POST", "/v1/jobs", identity_.ada, text};
        sent.headers = {{"Idempotency-Key", key}};
        return call("createJob", sent);
    };
    const auto first = post("k", body);
    EXPECT_EQ(first.status, 202);
    EXPECT_EQ(call({"DELETE", path, identity_.ada}).status, 409) << "its job has not ended";
    const auto job = first.json().at("id").get<std::string>();
    EXPECT_EQ(call({"POST", "/v1/jobs/" + job + "/cancellation", identity_.ada}).status, 202);
    EXPECT_EQ(call({"DELETE", path, identity_.ada}).status, 204);
    const auto again = post("k", body);
    EXPECT_EQ(again.status, 202);
    EXPECT_EQ(again.json().at("id"), first.json().at("id"));
    EXPECT_EQ(again.header("idempotency-replayed"), "true");
    EXPECT_EQ(post("k", R"({"kind":"sentiment","args":{"texts":["x"]}})").json().at("type"),
              "/docs/problems/idempotency-mismatch");
    const auto other_key = post("k2", body);
    EXPECT_EQ(other_key.status, 422);
    EXPECT_EQ(other_key.json().at("errors").at(0).at("pointer"), "/args/dataset");
}

}  // namespace
}  // namespace plimsoll::http::test
