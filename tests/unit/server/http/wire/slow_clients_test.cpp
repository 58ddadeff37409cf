// Clients that send or read slowly, or keep connections and ask nothing.
#include "tests/unit/server/http/live/live_server.hpp"

#include <thread>

namespace plimsoll::http::test {
namespace {

ListenOptions hurried() {
    ListenOptions options;
    auto& timeouts = options.timeouts;
    timeouts.header = timeouts.body = timeouts.idle = std::chrono::milliseconds(300);
    return options;
}

class SlowClient : public LiveServer {
  protected:
    SlowClient() : LiveServer(hurried()) {}
};

TEST_F(SlowClient, IsAnswered408AndClosed) {
    RawClient header(port_);
    header.send("GET /healthz HTTP/1.1\r\nHos");
    EXPECT_EQ(header.receive().status, 408);
    EXPECT_TRUE(header.closed());

    RawClient body(port_);
    body.send(
        "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        "Content-Length: 20\r\n\r\n{");
    EXPECT_EQ(body.receive().status, 408);
    EXPECT_TRUE(body.closed());

    RawClient silent(port_);
    EXPECT_TRUE(silent.closed());
}

ListenOptions small_server() {
    ListenOptions options;
    options.connections = 8;
    options.connections_per_network = 6;
    options.timeouts.header = options.timeouts.idle = std::chrono::minutes(10);
    return options;
}

class CrowdedServer : public LiveServer {
  protected:
    CrowdedServer() : LiveServer(small_server()) {}
};

// Whoever connects first and asks nothing does not keep others out.
TEST_F(CrowdedServer, ClosesTheLongestWaitingConnectionForANewOne) {
    std::vector<std::unique_ptr<RawClient>> idle;
    for (int i = 0; i < 40; ++i) idle.push_back(std::make_unique<RawClient>(port_));
    RawClient unfinished(port_);
    unfinished.send("GET /healthz HTTP/1.1\r\nHos");
    for (int i = 0; i < 20; ++i) EXPECT_EQ(call({"GET", "/healthz"}).status, 200);
    EXPECT_TRUE(idle.front()->closed());
}

// Nor does who asks for much and reads nothing.
TEST_F(CrowdedServer, ClosesASlowReaderWithoutCredentialsForANewConnection) {
    std::vector<std::unique_ptr<RawClient>> silent;
    for (int i = 0; i < 40; ++i) {
        silent.push_back(std::make_unique<RawClient>(port_));
        for (int request = 0; request < 50; ++request)
            silent.back()->send("GET /openapi.yaml HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    for (int i = 0; i < 20; ++i) EXPECT_EQ(call({"GET", "/healthz"}).status, 200);
}

ListenOptions with_a_min_rate() {
    ListenOptions options;
    options.timeouts.write = std::chrono::milliseconds(500);
    return options;
}

class MinRate : public LiveServer {
  protected:
    MinRate() : LiveServer(with_a_min_rate()) {}

    double open() {
        return on_io([&] { return server_->traffic().connections().Value(); });
    }
};

// A few bytes now and then do not keep a connection.
TEST_F(MinRate, OfAReaderIsRequired) {
    RawClient slow(port_);
    for (int request = 0; request < 50; ++request)
        slow.send("GET /openapi.yaml HTTP/1.1\r\nHost: a\r\n\r\n");
    slow.receive_until("\n");
    const auto began = std::chrono::steady_clock::now();
    while (open() > 0 && std::chrono::steady_clock::now() - began < std::chrono::seconds(20)) {
        slow.receive_until("\n");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_EQ(open(), 0);
}

TEST_F(MinRate, LetsAReaderThatKeepsItTakeItsTime) {
    RawClient steady(port_);
    for (int request = 0; request < 50; ++request)
        steady.send("GET /openapi.yaml HTTP/1.1\r\nHost: a\r\n\r\n");
    for (int request = 0; request < 50; ++request) {
        EXPECT_EQ(steady.receive().status, 200);
        std::this_thread::sleep_for(std::chrono::milliseconds(40));
    }
}

TEST_F(CrowdedServer, KeepsConnectionsThatAreBeingServed) {
    const auto job = path_of(submit());
    std::vector<std::unique_ptr<RawClient>> streams;
    for (int i = 0; i < 6; ++i) {
        streams.push_back(std::make_unique<RawClient>(port_));
        streams.back()->send(bytes_of(
            {"GET", job + "/events", identity_.ada, {}, {{"Accept", "text/event-stream"}}}));
        EXPECT_EQ(streams.back()->receive_until("\r\n\r\n").substr(9, 3), "200");
    }
    EXPECT_EQ(call({"GET", "/healthz"}).status, 503);
    EXPECT_FALSE(streams.front()->receive_until("\n\n").empty());
}

}  // namespace
}  // namespace plimsoll::http::test
