#include "server/webhooks/signature.hpp"
#include "server/webhooks/webhook.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::webhooks {
namespace {

using namespace std::chrono_literals;

// The example of the Standard Webhooks project's libraries.
TEST(Signature, IsThatOfTheStandard) {
    const std::string secret =
        "\x31\xf2\x90\xf6\xbf\x06\x29\x8a\xab\x4f\x08\xd4\x3c\x3f\x08\x2c"
        "\xf6\x48\xa3\x62\xda\x2d\xa4\xb0";
    EXPECT_EQ(shown(secret), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    EXPECT_EQ(
        signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", R"({"test": 2432232314})"),
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(Signature, SecretsAreLongAndDiffer) {
    EXPECT_EQ(make_secret().size(), kSecretBytes);
    EXPECT_NE(make_secret(), make_secret());
}

TEST(Message, NamesTheJobAndItsAddress) {
    Outgoing notice;
    notice.type = "job.finished";
    notice.job = JobId{7};
    notice.data = R"({"kind":"sentiment","name":"a \"b\"","state":"failed","items_total":3})";
    const auto body = nlohmann::json::parse(body_of(notice));
    EXPECT_EQ(body.at("type"), "job.finished");
    EXPECT_EQ(body.at("timestamp"), "1970-01-01T00:00:00.000Z");
    const auto& data = body.at("data");
    EXPECT_EQ(data.at("id"), plimsoll::to_public(JobId{7}));
    EXPECT_EQ(data.at("name"), "a \"b\"");
    EXPECT_EQ(data.at("state"), "failed");
    EXPECT_EQ(data.at("links").at("report"),
              "/v1/jobs/" + plimsoll::to_public(JobId{7}) + "/report");
}

TEST(Message, OfATestIsEmpty) {
    Outgoing notice;
    notice.type = "webhook.test";
    notice.data = "{}";
    EXPECT_EQ(nlohmann::json::parse(body_of(notice)).at("data"), nlohmann::json::object());
}

TEST(Retry, PausesGrowAndEnd) {
    auto last = 0ms;
    for (int attempt = 1; attempt < kMaxAttempts; ++attempt) {
        const auto pause = pause_after(attempt, 0);
        ASSERT_TRUE(pause);
        EXPECT_GT(*pause, last);
        EXPECT_EQ(pause_after(attempt, 0.8), *pause + *pause / 5);
        last = *pause;
    }
    EXPECT_FALSE(pause_after(kMaxAttempts, 0));
    EXPECT_FALSE(pause_after(kMaxAttempts + 1, 0));
    EXPECT_FALSE(pause_after(0, 0));
}

}  // namespace
}  // namespace plimsoll::webhooks
