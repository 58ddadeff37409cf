#include "tests/unit/server/http/live/live_server.hpp"

namespace plimsoll::http::test {
namespace {

class JobEvents : public LiveServer {
  protected:
    Sent stream_of(JobId id, const std::string& last = {}) {
        Sent sent{"GET", path_of(id) + "/events", identity_.ada};
        sent.headers = {{"Accept", "text/event-stream"}};
        if (!last.empty()) sent.headers.emplace_back("Last-Event-ID", last);
        return sent;
    }
    static int count(const std::string& text, const std::string& what) {
        int found = 0;
        for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
            ++found;
        return found;
    }
};

TEST_F(JobEvents, AreAPageOfJson) {
    const auto id = submit();
    worker().start_jobs();
    const auto page = call("listJobEvents", {"GET", path_of(id) + "/events", identity_.ada}).json();
    ASSERT_EQ(page.at("items").size(), 2u);
    EXPECT_EQ(page.at("items").at(1).at("type"), "started");
    EXPECT_EQ(page.at("next_after"), 2);
    const auto rest =
        call("listJobEvents", {"GET", path_of(id) + "/events?after=1&limit=1", identity_.ada})
            .json();
    EXPECT_EQ(rest.at("items").at(0).at("number"), 2);
    Sent again{"GET", path_of(id) + "/events", identity_.ada};
    again.headers = {{"Last-Event-ID", "1"}};
    EXPECT_EQ(call("listJobEvents", again).json().at("items").at(0).at("number"), 2);
    again.target += "?after=5000000000";
    EXPECT_EQ(call("listJobEvents", again).status, 400);
}

TEST_F(JobEvents, StreamUntilTheJobIsOver) {
    const auto id = submit();
    RawClient client(port_);
    client.send(bytes_of(stream_of(id)));
    const auto head = client.receive_until("\r\n\r\n");
    EXPECT_NE(head.find("text/event-stream"), std::string::npos);
    auto text = client.receive_until("event: job\n");
    EXPECT_NE(text.find("retry: 2000\n\n"), std::string::npos);
    EXPECT_NE(text.find("id: 1\nevent: submitted\n"), std::string::npos);
    worker().start_jobs();
    EXPECT_NE(client.receive_until("event: job\n").find("id: 2\nevent: started\n"),
              std::string::npos);
    finish_jobs();
    text = client.receive_until("\r\n0\r\n\r\n");
    EXPECT_NE(text.find("id: 3\nevent: finished\n"), std::string::npos);
    EXPECT_NE(text.find(R"("state":"succeeded")"), std::string::npos);
    // The connection is whole after a stream.
    client.send(bytes_of({"GET", "/healthz"}));
    EXPECT_EQ(client.receive().status, 200);
}

TEST_F(JobEvents, ResumeWithoutLossOrRepetition) {
    const auto id = submit();
    worker().start_jobs();
    finish_jobs();
    for (int last = 0; last < 3; ++last) {
        const auto response = call("listJobEvents", stream_of(id, std::to_string(last)));
        EXPECT_EQ(response.status, 200);
        EXPECT_EQ(count(response.body, "\nid: "), 3 - last);
        EXPECT_NE(response.body.find("id: " + std::to_string(last + 1) + "\n"), std::string::npos);
    }
    EXPECT_EQ(call("listJobEvents", stream_of(id, "3")).status, 204);
    EXPECT_EQ(call("listJobEvents", stream_of(id, "x")).status, 400);
}

TEST_F(JobEvents, EndWhenTheTokenIsRevoked) {
    const auto id = submit();
    RawClient client(port_);
    client.send(bytes_of(stream_of(id)));
    client.receive_until("event: job\n");
    const auto tokens = call("listTokens", {"GET", "/v1/tokens", identity_.ada}).json();
    for (const auto& token : tokens.at("items")) {
        call("deleteToken",
             {"DELETE", "/v1/tokens/" + token.at("id").get<std::string>(), identity_.ada});
    }
    EXPECT_TRUE(client.receive_until("\r\n0\r\n\r\n").ends_with("\r\n0\r\n\r\n"));
}

TEST_F(JobEvents, SurviveADatabaseOutage) {
    const auto id = submit();
    RawClient client(port_);
    client.send(bytes_of(stream_of(id)));
    client.receive_until("event: job\n");
    database_.close();
    database_.open();
    finish_jobs();
    EXPECT_NE(client.receive_until("\r\n0\r\n\r\n").find("event: finished"), std::string::npos);
}

TEST_F(JobEvents, StreamsPerUserAreLimited) {
    const auto id = submit();
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 16; ++i) {
        clients.push_back(std::make_unique<RawClient>(port_));
        clients.back()->send(bytes_of(stream_of(id)));
        clients.back()->receive_until("event: job\n");
    }
    EXPECT_EQ(call("listJobEvents", stream_of(id)).status, 429);
}

TEST_F(JobEvents, EndWhenTheClientDisconnects) {
    const auto id = submit();
    RawClient client(port_);
    client.send(bytes_of(stream_of(id)));
    client.receive_until("event: job\n");
    client.finish_sending();
    const auto rest = client.receive_until("still here");
    EXPECT_EQ(rest.find("still here"), std::string::npos) << "noticed by the next heartbeat only";
    EXPECT_TRUE(client.closed());
}

TEST_F(JobEvents, AreAPageUnlessAStreamIsRequested) {
    const auto id = submit();
    Sent sent{"GET", path_of(id) + "/events", identity_.ada};
    for (const auto* type : {"application/json", "*/*", "application/problem+json"}) {
        sent.headers = {{"Accept", type}};
        EXPECT_EQ(call("listJobEvents", sent).header("content-type"), "application/json") << type;
    }
    sent.headers = {{"Accept", "image/png"}, {"Accept", "text/html"}};
    EXPECT_EQ(call("listJobEvents", sent).status, 406);
    sent.headers.push_back({"Accept", "application/*"});
    EXPECT_EQ(call("listJobEvents", sent).status, 200) << "the fields are one list";
}

}  // namespace
}  // namespace plimsoll::http::test
