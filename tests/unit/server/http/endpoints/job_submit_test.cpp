// POST /v1/jobs: what is accepted, and what a refusal names.
#include "tests/unit/server/http/live/live_server.hpp"

namespace plimsoll::http::test {
namespace {

using nlohmann::json;

class JobSubmit : public LiveServer {
  protected:
    RawResponse post(const std::string& body, const std::string& key = {}) {
        Sent sent{"POST", "/v1/jobs", identity_.ada, body};
        if (!key.empty()) sent.headers.emplace_back("Idempotency-Key", key);
        return call("createJob", sent);
    }
    // The pointers of a 422, in order.
    std::vector<std::string> refused(const std::string& body) {
        const auto response = post(body);
        EXPECT_EQ(response.status, 422) << response.body;
        return pointers_of(response);
    }
};

TEST_F(JobSubmit, SubmittingReturnsAcceptedWithTheLocation) {
    const auto response = post(kTwoTexts);
    EXPECT_EQ(response.status, 202);
    const auto job = response.json();
    EXPECT_EQ(job.at("links").at("self"), response.header("location"));
    EXPECT_EQ(response.header("retry-after"), "1");
    EXPECT_EQ(job.at("state"), "queued");
    EXPECT_EQ(job.at("progress").at("items_total"), 2);
    EXPECT_EQ(job.at("labels"), json({{"desk", "energy"}}));
}

TEST_F(JobSubmit, AKeyCreatesOneJob) {
    const auto first = post(kTwoTexts, "k1");
    const auto again = post(kTwoTexts, "k1");
    EXPECT_EQ(again.json().at("id"), first.json().at("id"));
    EXPECT_EQ(first.header("idempotency-replayed"), "");
    EXPECT_EQ(again.header("idempotency-replayed"), "true");
    // Clients with hash maps write members in another order when they try again.
    const auto turned = post(json::parse(kTwoTexts).dump(2), "k1");
    EXPECT_NE(json::parse(kTwoTexts).dump(2), kTwoTexts);
    EXPECT_EQ(turned.json().at("id"), first.json().at("id"));
    const auto other = post(R"({"kind":"sentiment","args":{"texts":["x"]}})", "k1");
    EXPECT_EQ(other.status, 422);
    EXPECT_EQ(other.json().at("type"), "/docs/problems/idempotency-mismatch");
    EXPECT_EQ(post(kTwoTexts, std::string(256, 'k')).status, 400);
}

TEST_F(JobSubmit, AKeyOfALargeBodyCreatesOneJob) {
    auto spec = json::parse(kTwoTexts);
    spec["args"] = {{"texts", std::vector<std::string>(2000, "The harbour strike is a disaster.")}};
    ASSERT_GT(spec.dump().size(), limits::kInlineBytes) << "parsed on another thread";
    const auto first = post(spec.dump(), "k1");
    ASSERT_EQ(first.status, 202) << first.body;
    EXPECT_EQ(post(spec.dump(2), "k1").json().at("id"), first.json().at("id"));
    spec["args"]["texts"].back() = "x";
    EXPECT_EQ(post(spec.dump(), "k1").status, 422);
}

TEST_F(JobSubmit, NamesTheBrokenFields) {
    using Pointers = std::vector<std::string>;
    EXPECT_EQ(refused(R"({"args":{}})"), Pointers{"/kind"});
    EXPECT_EQ(refused(R"({"kind":"magic","args":{}})"), Pointers{"/kind"});
    EXPECT_EQ(refused(R"({"kind":7})"), Pointers{"/kind"});
    EXPECT_EQ(refused(R"({"kind":"sentiment"})"), Pointers{"/args"});
    EXPECT_EQ(refused(R"({"kind":"sentiment","args":{"texts":["a",7,null]},"team_id":1})"),
              (Pointers{"/args/texts/1", "/args/texts/2", "/team_id"}));
    EXPECT_EQ(refused(R"({"kind":"sentiment","args":{"items":[{"text":"a"},{"custom_id":"b"}]}})"),
              Pointers{"/args/items/1/text"});
    EXPECT_EQ(refused(R"({"kind":"sentiment","args":{"texts":["a"],"model":"bert"}})"),
              Pointers{"/args/model"});
    EXPECT_EQ(refused(R"({"kind":"sentiment","args":{"texts":[]}})"), Pointers{"/args/texts"});
    EXPECT_EQ(refused(R"({"kind":"sentiment","args":{}})"),
              Pointers{"/args"});  // the kind's own rule
    EXPECT_EQ(refused(R"({"kind":"sentiment","args":{"texts":["a"]},"priority":11})"),
              Pointers{"/priority"});
    EXPECT_EQ(refused(R"({"kind":"sentiment","args":{"texts":["a"]},"labels":{"a=b":"c"}})"),
              Pointers{"/labels/a=b"});
    EXPECT_EQ(refused(R"({"kind":"sentiment","args":{"texts":["a"]},"name":"a\u0000b"})"),
              Pointers{"/name"});
    EXPECT_EQ(refused("[]"), Pointers{""});
}

TEST_F(JobSubmit, RefusesBodiesThatAreNotJson) {
    EXPECT_EQ(post("{\"kind\":").status, 400);
    const auto utf8 = post("{\"kind\":\"\xff\"}");
    EXPECT_EQ(utf8.status, 400);
    EXPECT_EQ(utf8.json().at("detail"), "The body is not valid UTF-8 at byte 9.");
    EXPECT_EQ(post(std::string(100000, '[')).status, 400);
    Sent text{"POST", "/v1/jobs", identity_.ada, {}};
    text.headers = {{"Content-Type", "text/plain"}, {"Content-Length", "0"}};
    EXPECT_EQ(call("createJob", text).status, 415);
}

TEST_F(JobSubmit, AcceptsAMegabyteTextAndTenThousandTexts) {
    json body = {{"kind", "sentiment"}, {"args", {{"texts", {std::string(1 << 20, 'a'), "b"}}}}};
    EXPECT_EQ(post(body.dump()).status, 202);
    body["args"]["texts"] = json::array();
    for (int i = 0; i < 10000; ++i) body["args"]["texts"].push_back("text");
    const auto response = post(body.dump());
    EXPECT_EQ(response.status, 202);
    EXPECT_EQ(response.json().at("progress").at("items_total"), 10000);
    body["args"]["texts"].push_back("one too many");
    EXPECT_EQ(refused(body.dump()), std::vector<std::string>{"/args/texts"});
}

TEST_F(JobSubmit, NamesAtMostFiftyErrors) {
    std::string body = R"({"kind":"sentiment","args":{"texts":[1)";
    for (int i = 1; i < 10000; ++i) body += ",1";
    EXPECT_EQ(refused(body + "]}}").size(), 50u);
}

}  // namespace
}  // namespace plimsoll::http::test
