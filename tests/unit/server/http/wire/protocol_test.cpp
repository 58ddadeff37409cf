// What a connection does with bytes that no good client sends, and with many good ones.
#include "server/http/messages/limits.hpp"
#include "tests/unit/server/http/live/live_server.hpp"

#include <random>

namespace plimsoll::http::test {
namespace {

class Protocol : public LiveServer {
  protected:
    int status_of(const std::string& bytes) {
        RawClient client(port_);
        client.send(bytes);
        const auto response = client.receive();
        if (response.status >= 400) {
            EXPECT_EQ(response.header("content-type"), "application/problem+json");
            EXPECT_EQ(response.json().at("request_id"),
                      nlohmann::json(response.header("x-request-id")));
        }
        return response.status;
    }
    bool is_healthy() { return call({"GET", "/healthz"}).status == 200; }
};

TEST_F(Protocol, RefusesWhatIsNotHttp) {
    EXPECT_EQ(status_of("hello\r\n\r\n"), 400);
    EXPECT_EQ(status_of("GET /healthz HTTP/9.9\r\nHost: a\r\n\r\n"), 400);
    EXPECT_EQ(status_of("GET /healthz HTTP/1.1\nHost: a\n\n"), 400);
    EXPECT_EQ(status_of("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
    EXPECT_EQ(status_of("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"), 400);
    EXPECT_TRUE(is_healthy());
}

TEST_F(Protocol, RequiresExactlyOneValidHost) {
    EXPECT_EQ(status_of("GET /healthz HTTP/1.1\r\n\r\n"), 400);
    EXPECT_EQ(status_of("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
    EXPECT_EQ(status_of("GET /healthz HTTP/1.1\r\nHost: a/b\r\n\r\n"), 400);
    EXPECT_EQ(status_of("GET /healthz HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"), 200);
}

TEST_F(Protocol, RefusesAmbiguousLengths) {
    const std::string head =
        "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
    EXPECT_EQ(status_of(head + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
              400);
    EXPECT_EQ(status_of(head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} "), 400);
    EXPECT_EQ(status_of(head + "Content-Length: -2\r\n\r\n{}"), 400);
    EXPECT_EQ(status_of(head + "Content-Length: 99999999999999999999\r\n\r\n{}"), 400);
    EXPECT_EQ(status_of(head + "Transfer-Encoding: gzip\r\n\r\n{}"), 400);
    EXPECT_EQ(status_of(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"), 400);
}

TEST_F(Protocol, BoundsTheHead) {
    EXPECT_EQ(status_of("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n"), 414);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(20000, 'a') + "\r\n\r\n"),
              431);
    std::string many = "GET / HTTP/1.1\r\nHost: a\r\n";
    for (int i = 0; i < 200; ++i) many += "X-" + std::to_string(i) + ": 1\r\n";
    EXPECT_EQ(status_of(many + "\r\n"), 431);
}

TEST_F(Protocol, RefusesALargeBodyBeforeReadingIt) {
    const auto head =
        "POST /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        "Authorization: Bearer " +
        identity_.ada + "\r\n";
    RawClient client(port_);
    client.send(head + "Content-Length: 1000000000\r\n\r\n");
    EXPECT_EQ(client.receive().status, 413);

    const std::string body(10 * 1024 * 1024, ' ');
    EXPECT_EQ(
        status_of(head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body),
        413);

    RawClient chunked(port_);
    chunked.send(head + "Transfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 10; ++i) {
        chunked.send("100000\r\n" + std::string(0x100000, ' ') + "\r\n");
    }
    EXPECT_EQ(chunked.receive().status, 413);
    EXPECT_TRUE(is_healthy());
}

TEST_F(Protocol, ChecksCredentialsBeforeTheBody) {
    RawClient client(port_);
    client.send(
        "POST /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        "Content-Length: 1000\r\n\r\n");
    EXPECT_EQ(client.receive().status, 401);
    EXPECT_TRUE(client.closed());
}

TEST_F(Protocol, ShedsBodiesThatWouldNotFitIntoMemory) {
    const auto head =
        "POST /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        "Authorization: Bearer " +
        identity_.ada +
        "\r\nExpect: 100-continue\r\n"
        "Content-Length: 8388608\r\n\r\n";
    std::vector<std::unique_ptr<RawClient>> clients;
    for (std::size_t i = 0; i < limits::kBodyBytesInFlight / 8388608; ++i) {
        clients.push_back(std::make_unique<RawClient>(port_));
        clients.back()->send(head);
        EXPECT_EQ(clients.back()->receive().status, 100);
    }
    RawClient late(port_);
    late.send(head);
    const auto response = late.receive();
    EXPECT_EQ(response.status, 503);
    EXPECT_EQ(response.header("retry-after"), "5");
    EXPECT_TRUE(is_healthy());
}

TEST_F(Protocol, AnswersPipelinedRequestsInTheirOrder) {
    RawClient client(port_);
    std::string bytes;
    for (int i = 0; i < 20; ++i) {
        bytes += i % 2 == 0 ? bytes_of({"GET", "/version"})
                            : bytes_of({"POST", "/v1/jobs", identity_.ada, kTwoTexts});
    }
    client.send(bytes);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(client.receive().status, i % 2 == 0 ? 200 : 202);
}

TEST_F(Protocol, KeepsAConnectionAfterARefusalWithoutBody) {
    RawClient client(port_);
    client.send(bytes_of({"GET", "/v1/jobs"}));
    EXPECT_EQ(client.receive().status, 401);
    client.send(bytes_of({"GET", "/healthz"}));
    EXPECT_EQ(client.receive().status, 200);
}

TEST_F(Protocol, ClosesWhenTheClientWantsIt) {
    RawClient client(port_);
    client.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(client.receive().status, 200);
    EXPECT_TRUE(client.closed());
    RawClient old(port_);
    old.send("GET /healthz HTTP/1.0\r\n\r\n");
    EXPECT_EQ(old.receive().status, 200);
    EXPECT_TRUE(old.closed());
}

TEST_F(Protocol, HeadIsGetWithoutABody) {
    const auto get = call({"GET", "/version"});
    const auto head = call({"HEAD", "/version"});
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.header("content-length"), get.header("content-length"));
}

TEST_F(Protocol, SendsSecurityHeadersWithEveryAnswer) {
    for (const auto& response : {call({"GET", "/healthz"}), call({"GET", "/nothing"})}) {
        EXPECT_EQ(response.header("x-content-type-options"), "nosniff");
        EXPECT_EQ(response.header("referrer-policy"), "no-referrer");
        EXPECT_EQ(response.header("cache-control"), "no-store");
        EXPECT_NE(response.header("content-security-policy"), "");
        EXPECT_NE(response.header("x-request-id"), "");
        EXPECT_NE(response.header("date"), "");
    }
}

// Not a search for bugs, a guard: whatever bytes come, the server serves the next client.
TEST_F(Protocol, SurvivesDamagedRequests) {
    std::mt19937 random(7);
    const auto good = bytes_of({"POST", "/v1/jobs?limit=3", identity_.ada, kTwoTexts});
    for (int round = 0; round < 300; ++round) {
        auto bytes = good;
        for (int i = 0; i < 4; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
        RawClient client(port_);
        client.send(bytes);
    }
    EXPECT_TRUE(is_healthy());
}

Timeouts hurried() {
    Timeouts timeouts;
    timeouts.header = timeouts.body = timeouts.idle = std::chrono::milliseconds(300);
    return timeouts;
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

}  // namespace
}  // namespace plimsoll::http::test
