// What a connection does with bytes that no good client sends, and with many good ones.
#include "server/http/messages/limits.hpp"
#include "tests/unit/server/http/live/live_server.hpp"

#include <random>
#include <set>
#include <sstream>

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
    static std::string submit_head(const std::string& token) {
        return "POST /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
               "Authorization: Bearer " +
               token + "\r\n";
    }
    bool is_healthy() { return call({"GET", "/healthz"}).status == 200; }
};

TEST_F(Protocol, RefusesInvalidHttp) {
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

class NamedServer : public LiveServer {
  protected:
    NamedServer() : LiveServer(options()) {}
    static ListenOptions options() {
        ListenOptions options;
        options.hosts = AllowedHosts::only({"plimsoll.example.com"});
        return options;
    }
};

// A page whose name is made to lead here (DNS rebinding) must not read even what needs no token.
TEST_F(NamedServer, AnswersUnderItsNamesOnly) {
    const auto asked = [&](const std::string& host) {
        RawClient client(port_);
        client.send("GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        return client.receive();
    };
    for (const auto* own : {"plimsoll.example.com:7272", "127.0.0.1", "[::1]:80", "localhost"})
        EXPECT_EQ(asked(own).status, 200) << own;
    const auto refused = asked("evil.example");
    EXPECT_EQ(refused.status, 421);
    EXPECT_EQ(refused.json().at("type"), "/docs/problems/misdirected");
    EXPECT_EQ(refused.header("connection"), "close");
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
    for (int i = 0; i < 10; ++i) chunked.send("100000\r\n" + std::string(0x100000, ' ') + "\r\n");
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

// Bodies that were announced and do not come hold nothing.
TEST_F(Protocol, SilentBodiesBlockNobody) {
    std::vector<std::unique_ptr<RawClient>> silent;
    for (int i = 0; i < 16; ++i) {
        silent.push_back(std::make_unique<RawClient>(port_));
        silent.back()->send(submit_head(identity_.ada) +
                            "Expect: 100-continue\r\nContent-Length: 8388608\r\n\r\n");
        EXPECT_EQ(silent.back()->receive().status, 100);
    }
    EXPECT_EQ(call({"POST", "/v1/jobs", identity_.ada, kTwoTexts}).status, 202);
    EXPECT_EQ(call({"POST", "/v1/jobs", identity_.tom, kTwoTexts}).status, 202);
}

// A caller's share of the memory for bodies is its own to fill.
TEST_F(Protocol, ACallerAtItsLimitBlocksNobodyElse) {
    constexpr std::size_t kWhole = 8 * limits::kMiB;
    constexpr std::size_t kFirst = 6 * limits::kMiB;
    static_assert(3 * kFirst > limits::kBodies.of_large.caller + limits::kMiB &&
                  2 * kWhole <= limits::kBodies.of_large.caller);
    std::vector<std::unique_ptr<RawClient>> three;
    for (int i = 0; i < 3; ++i) {
        three.push_back(std::make_unique<RawClient>(port_));
        three.back()->send(submit_head(identity_.ada) + "Content-Length: " +
                           std::to_string(kWhole) + "\r\n\r\n" + std::string(kFirst, ' '));
    }
    // Its own small requests go on, and others' large ones.
    EXPECT_EQ(call({"POST", "/v1/jobs", identity_.ada, kTwoTexts}).status, 202);
    const auto large = kTwoTexts + std::string(kFirst, ' ');
    EXPECT_EQ(call({"POST", "/v1/jobs", identity_.tom, large}).status, 202);
    std::multiset<int> statuses;
    for (auto& client : three) {
        client->send(std::string(kWhole - kFirst, ' '));
        const auto answer = client->receive();
        statuses.insert(answer.status);
        if (answer.status == 503) EXPECT_EQ(answer.header("retry-after"), "5");
    }
    EXPECT_EQ(statuses, (std::multiset<int>{400, 400, 503}));  // one too many; blanks are no JSON
}

TEST_F(Protocol, BoundsTheMemoryOfAParsedBody) {
    std::string texts = R"({"kind":"sentiment","args":{"texts":[)"
                        "\"\"";
    while (texts.size() < 8 * limits::kMiB - 100) texts += ",\"\"";
    EXPECT_EQ(call({"POST", "/v1/jobs", identity_.ada, texts + "]}}"}).status, 413);
    EXPECT_TRUE(is_healthy());
}

TEST_F(Protocol, RefusesLargeChunkExtensionsAndTrailers) {
    const auto head = submit_head(identity_.ada) + "Transfer-Encoding: chunked\r\n\r\n";
    const std::string body = kTwoTexts;
    std::ostringstream size;
    size << std::hex << body.size();
    const auto chunk = [&](const std::string& extension) {
        return size.str() + extension + "\r\n" + body + "\r\n";
    };
    EXPECT_EQ(status_of(head + chunk(";a=b") + "0\r\n\r\n"), 202);
    EXPECT_EQ(status_of(head + chunk(";a=" + std::string(2000, 'b')) + "0\r\n\r\n"), 400);
    EXPECT_EQ(status_of(head + chunk("") + "0;a=" + std::string(2000, 'b') + "\r\n\r\n"), 400);
    std::string many;
    for (int i = 0; i < 300; ++i) many += "1;a=b\r\n \r\n";
    EXPECT_EQ(status_of(head + many + chunk("") + "0\r\n\r\n"), 400);
    EXPECT_EQ(status_of(head + chunk("") + "0\r\nX-Sum: 1\r\n\r\n"), 202);
    // Without an end, nothing is kept beyond the limit.
    for (const std::string endless : {";a=", "0\r\nX: "}) {
        RawClient client(port_);
        client.send(head + (endless[0] == ';' ? size.str() : "") + endless);
        for (int i = 0; i < 80; ++i) client.send(std::string(1024, 'b'));
        EXPECT_EQ(client.receive().status, 400);
    }
    EXPECT_TRUE(is_healthy());
}

// What another program in front of us may read differently.
TEST_F(Protocol, RefusesRequestsThatProxiesParseDifferently) {
    const std::string body = kTwoTexts;
    const auto length = std::to_string(body.size());
    const auto post = [&](const std::string& fields) {
        return status_of(submit_head(identity_.ada) + fields + "\r\n" + body);
    };
    EXPECT_EQ(post("Content-Length: " + length + "\r\n"), 202);
    EXPECT_EQ(post("Content-Length: " + length + ", " + length + "\r\n"), 400);
    EXPECT_EQ(post("Content-Length: +" + length + "\r\n"), 400);
    EXPECT_EQ(post("X: 1\r\n 2\r\nContent-Length: " + length + "\r\n"), 400);
    EXPECT_EQ(post("Transfer-Encoding:\r\n chunked\r\n"), 400);
    EXPECT_EQ(post("Transfer-Encoding: gzip, chunked\r\n"), 400);
    EXPECT_EQ(post("Transfer-Encoding: identity, chunked\r\n"), 400);
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

TEST_F(Protocol, ClosesOnRequest) {
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

TEST_F(Protocol, OptionsAndARefusedMethodNameTheMethods) {
    const auto options = call({"OPTIONS", "/v1/jobs"});
    EXPECT_EQ(options.status, 204);
    EXPECT_EQ(options.header("allow"), "GET, HEAD, POST, OPTIONS");
    const auto refused = call({"PUT", "/v1/jobs"});
    EXPECT_EQ(refused.status, 405);
    EXPECT_EQ(refused.header("allow"), options.header("allow"));
    EXPECT_EQ(call({"OPTIONS", "/v1/nothing"}).status, 404);
}

TEST_F(Protocol, RefusesTargetsThatAreNotUtf8) {
    for (const auto* target : {"/v1/jobs?label=%ff=a", "/v1/jobs?%c3=1", "/v1/jobs/%ed%a0%80"})
        EXPECT_EQ(call({"GET", target, identity_.ada}).status, 400) << target;
    EXPECT_EQ(call({"GET", "/v1/jobs?label=%c3%a9=a", identity_.ada}).status, 200);
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

}  // namespace
}  // namespace plimsoll::http::test
