// A language model's endpoint, as an operator names it and as it answers: well, slowly, too
// long, wrongly.
#include "server/kinds/profile/contract/request.hpp"
#include "server/kinds/profile/contract/settings.hpp"
#include "server/kinds/profile/run/llm_call.hpp"

#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::profile {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;
namespace asio = boost::asio;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

enum class Then { close, wait };  // until the other side closes

// Answers one request with these bytes.
class StandIn {
  public:
    explicit StandIn(const std::string& answer, Then then = Then::close)
        : acceptor_(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
          thread_([this, answer, then] {
              boost::system::error_code ignored;
              tcp::socket socket = acceptor_.accept();
              boost::beast::flat_buffer buffer;
              http::request<http::string_body> request;
              http::read(socket, buffer, request, ignored);
              target = request.target();
              body = json::parse(request.body(), nullptr, false);
              asio::write(socket, asio::buffer(answer), ignored);
              char byte = 0;
              if (then == Then::wait) asio::read(socket, asio::buffer(&byte, 1), ignored);
          }) {}
    ~StandIn() { join(); }
    void join() {
        if (thread_.joinable()) thread_.join();
    }

    Result<LlmAnswer> ask(const std::string& path, std::chrono::milliseconds timeout = 60s,
                          const Watch& watch = {}, const std::string& networks = "127.0.0.1") {
        const auto port = std::to_string(acceptor_.local_endpoint().port());
        const auto endpoint = parse_llm_endpoints("http://127.0.0.1:" + port + path);
        return call_llm(endpoint.value().front(), networks, {"mistral", "Why?", 8}, timeout, watch);
    }

    std::string target;  // of the request, after join()
    json body;

  private:
    asio::io_context io_;
    tcp::acceptor acceptor_;
    std::thread thread_;
};

const std::string kHead = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
const std::string kOllama = kHead +
                            "{\"response\":\"Be\",\"done\":false}\n"
                            "{\"response\":\"cause\",\"done\":false}\n"
                            "{\"response\":\"\",\"done\":true,\"eval_count\":7,\"eval_duration\":"
                            "500000000,\"prompt_eval_count\":3,\"load_duration\":20000000}\n";
const std::string kOpenai =
    kHead +
    "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\r\n\r\n"
    ": a comment\n\n"
    "data: {\"choices\":[{\"delta\":{\"content\":\"Because\"}}]}\n\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":9}}\n\n"
    "data: [DONE]\n\n";

TEST(LlmCall, UsesOllamasOwnCounts) {
    StandIn server(kOllama);
    const auto answer = server.ask("/api/generate");
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->tokens, 7) << "not the one word of the text";
    EXPECT_EQ(answer->prompt_tokens, 3);
    EXPECT_DOUBLE_EQ(answer->generating_seconds.value(), 0.5);
    EXPECT_DOUBLE_EQ(answer->load_seconds.value(), 0.02);
    EXPECT_GT(answer->first_seconds, 0);
    EXPECT_LE(answer->first_seconds, answer->seconds);
    server.join();
    EXPECT_EQ(server.target, "/api/generate");
    EXPECT_EQ(server.body["model"], "mistral");
    EXPECT_EQ(server.body["options"]["num_predict"], 8);
}

TEST(LlmCall, UsesTheUsageOfAnOpenaiStream) {
    StandIn server(kOpenai);
    const auto answer = server.ask("/v1/chat/completions");
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->tokens, 9);
    EXPECT_EQ(answer->prompt_tokens, 5);
    EXPECT_FALSE(answer->generating_seconds);
    server.join();
    EXPECT_EQ(server.body["messages"][0]["content"], "Why?");
    EXPECT_TRUE(server.body["stream_options"]["include_usage"].get<bool>());
}

TEST(LlmCall, AcceptsAResponseInOnePiece) {
    StandIn server(kHead + R"({"choices":[{"message":{"content":"So."}}],
"usage":{"completion_tokens":2}})");
    const auto answer = server.ask("/chat/completions");
    EXPECT_FALSE(answer) << "two lines are no event, and no JSON each";
    StandIn one(kHead + R"({"choices":[{"message":{"content":"So."}}],)" +
                R"("usage":{"completion_tokens":2}})");
    EXPECT_EQ(one.ask("/chat/completions").value().tokens, 2);
}

TEST(LlmCall, FollowsNoRedirect) {
    StandIn server("HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\n\r\n");
    const auto answer = server.ask("/api/generate");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::unavailable);
    EXPECT_THAT(answer.error().message, HasSubstr("redirects are not followed"));
}

TEST(LlmCall, CallsNoPrivateAddressThatIsNotListed) {
    StandIn server(kOllama);
    const auto answer = server.ask("/api/generate", 60s, {}, "10.0.0.0/8");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::forbidden);
    EXPECT_THAT(answer.error().message, HasSubstr("llm.allowed_networks"));
    EXPECT_TRUE(server.ask("/api/generate", 60s, {}, "127.0.0.0/8")) << "it was not called before";
}

TEST(LlmCall, ReportsInvalidResponses) {
    const auto error = [](const std::string& answer) {
        StandIn server(answer);
        const auto got = server.ask("/api/generate");
        return got ? Error{} : got.error();
    };
    EXPECT_THAT(error("HTTP/1.1 500 Oops\r\n\r\n").message, HasSubstr("status 500"));
    EXPECT_EQ(error(kHead + "<html>no</html>\n").code, Errc::corrupt);
    EXPECT_THAT(error(kHead + "[1]\n").message, HasSubstr("not JSON"));
    EXPECT_THAT(error(kHead + "{\"response\":\"a\",\"done\":true}\n").message,
                HasSubstr("the number of tokens"));
    EXPECT_THAT(error(kHead + "{\"response\":\"a\",\"done\":false}\n").message,
                HasSubstr("incomplete"));
    EXPECT_EQ(error(kHead + "{\"error\":\"no such model\"}\n").code, Errc::unavailable);
    EXPECT_EQ(error("nonsense\r\n\r\n").code, Errc::unavailable);
    EXPECT_EQ(error("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{").code, Errc::unavailable);
}

TEST(LlmCall, BoundsTheResponse) {
    StandIn server(kHead + std::string(5 << 20, 'x'));
    EXPECT_EQ(server.ask("/api/generate").error().code, Errc::too_large);
    StandIn stated("HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n", Then::wait);
    EXPECT_EQ(stated.ask("/api/generate").error().code, Errc::too_large);
}

TEST(LlmCall, RespectsItsTimeout) {
    StandIn silent("", Then::wait);
    EXPECT_EQ(silent.ask("/api/generate", 100ms).error().code, Errc::timeout);
    StandIn stuck(kHead + "{\"response\":\"a\",\"done\":false}\n", Then::wait);
    EXPECT_EQ(stuck.ask("/api/generate", 100ms).error().code, Errc::timeout);
}

TEST(LlmCall, StopsWhenAskedTo) {
    StandIn silent("", Then::wait);
    std::stop_source stop;
    stop.request_stop();
    Progress progress;
    EXPECT_EQ(silent.ask("/api/generate", 60s, {stop.get_token(), &progress}).error().code,
              Errc::cancelled);
    EXPECT_GT(progress.beats(), 0U);
    // The stand-in waits for a connection that was not made before the stop.
    (void)silent.ask("/api/generate", 100ms);
}

TEST(LlmEndpoints, AreUrlsOfTheTwoDialects) {
    const auto two = parse_llm_endpoints(
        "http://localhost:11434/api/generate, https://[2001:db8::1]/v1/chat/completions");
    ASSERT_TRUE(two);
    ASSERT_EQ(two->size(), 2U);
    EXPECT_EQ((*two)[0].port, "11434");
    EXPECT_EQ((*two)[1].host, "2001:db8::1");
    EXPECT_EQ((*two)[1].port, "443");
    EXPECT_EQ((*two)[1].dialect, LlmDialect::openai);
    EXPECT_TRUE(parse_llm_endpoints("").value().empty());
    for (const auto* wrong :
         {"localhost/api/generate", "ftp://host/api/generate", "http://user@host/api/generate",
          "http://host/api/chat", "http://host/api/generate#a", "http:///api/generate",
          "http://host:0/api/generate", "http://host:65536/api/generate"}) {
        const auto refused = parse_llm_endpoints(wrong);
        ASSERT_FALSE(refused) << wrong;
        EXPECT_THAT(refused.error().message, HasSubstr(wrong));
    }
}

TEST(LlmSettings, AreThoseOfTheKind) {
    const auto usual = llm_settings(kDefaultSettings);
    EXPECT_TRUE(usual.endpoints.empty());
    EXPECT_EQ(usual.networks, "127.0.0.0/8, ::1");
    EXPECT_TRUE(kNetworks.check(usual.networks));
    EXPECT_FALSE(kNetworks.check("10.0.0.0/8, here"));
    EXPECT_EQ(usual.model, "mistral");
    EXPECT_EQ(usual.timeout_seconds, 15);
    KindSettings settled;
    settled.values = {{"llm.endpoints", "http://a/api/generate,https://b/v1/chat/completions"},
                      {"llm.model", "tiny"},
                      {"llm.timeout", "600"}};
    const auto llm = llm_settings(settled);
    EXPECT_EQ(llm.endpoints.size(), 2U);
    EXPECT_EQ(llm.model, "tiny");
    EXPECT_EQ(llm.timeout_seconds, 600);
    for (const auto* wrong : {"0", "601", "soon"}) EXPECT_FALSE(kTimeout.check(wrong)) << wrong;
    const auto refused = kEndpoints.check("ftp://a/api/generate");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("ftp://a/api/generate"));
}

LlmSettings named(const char* urls) {
    return {parse_llm_endpoints(urls).value(), "", "mistral", 15};
}

TEST(LlmEndpoints, OnlyConfiguredOnesAreCalled) {
    const auto settings = named("http://a/api/generate,http://b/api/generate");
    const auto first = with_llm({{"mode", "llm"}}, settings);
    ASSERT_TRUE(first);
    EXPECT_EQ((*first)["llm_endpoint"], "http://a/api/generate");
    EXPECT_EQ((*first)["llm_model"], "mistral");
    EXPECT_EQ(
        with_llm(
            {{"mode", "full"}, {"llm_endpoint", "http://b/api/generate"}, {"llm_model", "qwen"}},
            settings)
            .value()["llm_model"],
        "qwen");
    for (const auto* elsewhere : {"http://127.0.0.1/api/generate", "http://a/api/generate/",
                                  "http://a.example/api/generate", "http://A/api/generate"}) {
        const auto refused = with_llm({{"mode", "llm"}, {"llm_endpoint", elsewhere}}, settings);
        ASSERT_FALSE(refused) << elsewhere;
        EXPECT_EQ(refused.error()[0].pointer, "/llm_endpoint");
        EXPECT_EQ(refused.error()[0].rule, "not_allowed");
    }
    EXPECT_EQ(with_llm({{"mode", "llm"}}, named("")).error()[0].rule, "not_allowed");
    EXPECT_EQ(with_llm({{"mode", "engine"}, {"llm_endpoint", "http://a/api/generate"}}, settings)
                  .error()[0]
                  .rule,
              "other_mode");
}

TEST(LlmEndpoints, AFullProfileCallsOneIfConfigured) {
    const json full{{"mode", "full"}};
    EXPECT_FALSE(with_llm(full, named("")).value().contains("llm_endpoint"));
    const auto settled = with_llm(full, named("http://a/api/generate")).value();
    const auto parts = parts_of(parse_request(settled).value());
    EXPECT_EQ(parts.back(), "llm/500");
    EXPECT_EQ(parts.front(), "engine/peak");
    EXPECT_EQ(parts_of(parse_request({{"mode", "llm"}}).value()).size(), 4U);
}

}  // namespace
}  // namespace plimsoll::jobs::profile
