// Accept, server-sent events, cookies, targets: the small rules.
#include "server/http/access/authentication.hpp"
#include "server/http/access/failure_limit.hpp"
#include "server/http/contract/router.hpp"
#include "server/http/messages/accept.hpp"
#include "server/http/messages/request.hpp"
#include "server/http/messages/sse.hpp"

#include <gmock/gmock.h>

namespace plimsoll::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Origin, IsThatOfTheServer) {
    const auto accepted = [](const std::string& origin, bool secure) {
        Request request;
        request.secure = secure;
        request.headers = {{"Host", "plimsoll.example"}, {"Origin", origin}};
        return check_origin(request).has_value();
    };
    EXPECT_TRUE(accepted("https://plimsoll.example", true));
    EXPECT_TRUE(accepted("http://plimsoll.example", false));
    EXPECT_TRUE(accepted("https://plimsoll.example", false)) << "a proxy may end TLS";
    EXPECT_FALSE(accepted("http://plimsoll.example", true));
    EXPECT_FALSE(accepted("https://evil.example", true));
    EXPECT_FALSE(accepted("null", true));
}

TEST(Accept, ChoosesTheBest) {
    const std::vector<std::string> offered = {"application/json", "text/event-stream"};
    EXPECT_EQ(negotiate("", offered), "application/json");
    EXPECT_EQ(negotiate("*/*", offered), "application/json");
    EXPECT_EQ(negotiate("text/event-stream", offered), "text/event-stream");
    EXPECT_EQ(negotiate("*/*;q=0.1, text/*", offered), "text/event-stream");
    EXPECT_EQ(negotiate("application/json;q=0.5, text/event-stream;q=0.4", offered),
              "application/json");
    EXPECT_EQ(negotiate("text/event-stream, */*", offered), "text/event-stream");
    EXPECT_EQ(negotiate("application/json;q=0, */*", offered), "text/event-stream");
    EXPECT_EQ(negotiate("text/*;q=0, Application/*", offered), "application/json");
}

TEST(Accept, MayExcludeAll) {
    const std::vector<std::string> json = {"application/json"};
    for (const auto* all : {"", ",", "*/*", "application/*", "text/html, */*;q=0.1",
                            "application/problem+json, application/json;q=0.001"}) {
        EXPECT_EQ(negotiate(all, json), "application/json") << all;
    }
    for (const auto* none : {"image/png", "application/problem+json", "application/json;q=0",
                             "application/json; Q=0.0, */*", "*/*;q=0", "text/*", "json"}) {
        EXPECT_EQ(negotiate(none, json), std::nullopt) << none;
    }
}

TEST(Accept, IsSatisfiedByTheTypeOfProblems) {
    EXPECT_TRUE(is_acceptable("application/problem+json", {"text/csv"}));
    EXPECT_TRUE(is_acceptable("image/png", {})) << "a response without a body";
    for (const auto* none : {"application/problem+json;q=0", "application/*", "image/png"})
        EXPECT_FALSE(is_acceptable(none, {"text/csv"})) << none;
}

TEST(Accept, AcceptsOrRefusesACoding) {
    EXPECT_TRUE(accepts_encoding("deflate, gzip", "gzip"));
    EXPECT_TRUE(accepts_encoding("*", "gzip"));
    EXPECT_FALSE(accepts_encoding("gzip;q=0", "gzip"));
    EXPECT_FALSE(accepts_encoding("", "gzip"));
}

TEST(TraceContext, IsAcceptedIfValid) {
    const auto trace = [](std::string field) {
        Request request;
        request.headers = {{"Traceparent", std::move(field)}};
        return std::string(trace_id(request));
    };
    const std::string id = "0af7651916cd43dd8448eb211c80319c";
    EXPECT_EQ(trace("00-" + id + "-b7ad6b7169203331-01"), id);
    EXPECT_EQ(trace("cc-" + id + "-b7ad6b7169203331-01-what-comes"), id) << "a later version";
    for (const auto* wrong :
         {"", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
          "00-00000000000000000000000000000000-b7ad6b7169203331-01",
          "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
          "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
          "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
          "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}) {
        EXPECT_EQ(trace(wrong), "") << wrong;
    }
    EXPECT_EQ(trace_id(Request{}), "");
}

TEST(Sse, FramesAnEvent) {
    EXPECT_EQ(sse::frame({7, "started", "{}"}), "id: 7\nevent: started\ndata: {}\n\n");
    EXPECT_EQ(sse::frame({std::nullopt, "job", "a\nb\r\nc\rd"}),
              "event: job\ndata: a\ndata: b\ndata: c\ndata: d\n\n");
    EXPECT_EQ(sse::frame({std::nullopt, "a\nid: 9", "x"}), "event: aid: 9\ndata: x\n\n");
    EXPECT_EQ(sse::retry(std::chrono::seconds(2)), "retry: 2000\n\n");
}

TEST(Cookies, AreBoundToTlsIfAvailable) {
    const std::chrono::hours hour(1);
    EXPECT_EQ(session_cookie("s", hour, true),
              "__Host-plimsoll=s; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600; Secure");
    EXPECT_EQ(session_cookie("s", hour, false),
              "plimsoll_session=s; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600");
    EXPECT_THAT(expired_session_cookie(false), HasSubstr("Max-Age=0"));
}

TEST(Cookies, AreFoundAmongOthers) {
    Request request;
    request.headers = {{"cookie", "a=1; plimsoll_session=x=y ;b"}};
    EXPECT_EQ(request.cookie("plimsoll_session"), "x=y");
    EXPECT_EQ(request.cookie("session"), std::nullopt);
}

TEST(Target, IsParsedAndDecoded) {
    const auto target = parse_target("/v1/a%2Fb%20c?x=1&y=%26&z");
    ASSERT_TRUE(target);
    EXPECT_THAT(target->segments, ElementsAre("v1", "a/b c"));
    EXPECT_THAT(target->query, ElementsAre(Pair("x", "1"), Pair("y", "&"), Pair("z", "")));
    EXPECT_THAT(parse_target("/")->segments, IsEmpty());
    EXPECT_THAT(parse_target("http://host/v1")->segments, ElementsAre("v1"));
}

TEST(Target, RefusesHostilePaths) {
    for (const auto* text : {"", "*", "v1", "/%", "/%zz", "/a?%ff=1", "/../etc", "/%2e%2e/etc",
                             "ftp://host/", "/a b"}) {
        EXPECT_FALSE(parse_target(text)) << text;
    }
}

TEST(FailureLimit, LimitsRepeatedFailures) {
    const auto start = FailureLimit::Clock::time_point();
    const std::chrono::seconds second(1);
    FailureLimit limit(2, std::chrono::seconds(60), "tries");
    limit.failed("a", start);
    EXPECT_EQ(limit.wait_of("a", start).count(), 0);
    limit.failed("a", start);
    EXPECT_EQ(limit.wait_of("a", start + second).count(), 59);
    EXPECT_EQ(limit.wait_of("b", start).count(), 0);
    EXPECT_EQ(limit.wait_of("a", start + 60 * second).count(), 0);
    limit.failed("a", start + 60 * second);
    EXPECT_EQ(limit.wait_of("a", start + 60 * second).count(), 0) << "a new window begins at one";
}

TEST(FailureLimit, RemembersALimitedNumberOfAddresses) {
    const auto start = FailureLimit::Clock::time_point();
    FailureLimit limit(1, std::chrono::seconds(60), "tries");
    for (std::size_t i = 0; i < limits::kFailingAddresses; ++i)
        limit.failed(std::to_string(i), start);
    limit.failed("one more", start);
    EXPECT_EQ(limit.wait_of("one more", start).count(), 0);
    EXPECT_EQ(limit.wait_of("0", start).count(), 60);
    const auto later = start + std::chrono::seconds(60);
    limit.failed("one more", later);
    EXPECT_EQ(limit.wait_of("one more", later).count(), 60);
}

}  // namespace
}  // namespace plimsoll::http
