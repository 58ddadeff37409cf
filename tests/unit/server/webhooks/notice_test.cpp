#include "server/webhooks/mail.hpp"
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
    const auto body = nlohmann::json::parse(body_of(notice, ""));
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
    EXPECT_EQ(nlohmann::json::parse(body_of(notice, "")).at("data"), nlohmann::json::object());
}

TEST(Message, ForPeopleSaysHowTheJobEnded) {
    Outgoing notice;
    notice.type = "job.finished";
    notice.job = JobId{7};
    notice.data =
        R"({"kind":"sentiment","name":"<!channel> & co","state":"failed","items_total":3,"items_failed":2})";
    const auto link = "https://plimsoll.example/#/jobs/" + plimsoll::to_public(JobId{7});
    const auto message = message_of(notice, "https://plimsoll.example");
    EXPECT_EQ(message.title, "Plimsoll: sentiment job failed");
    EXPECT_EQ(message.text, "<!channel> & co (sentiment) failed: 2 of 3 items failed.");
    EXPECT_EQ(message.link, link);
    EXPECT_EQ(message_of(notice, "").link, "");
    notice.data = R"({"kind":"waves","name":null,"state":"cancelled","items_failed":0})";
    EXPECT_EQ(message_of(notice, "").text,
              plimsoll::to_public(JobId{7}) + " (waves) was cancelled.");
    notice.job = std::nullopt;
    EXPECT_EQ(message_of(notice, "https://plimsoll.example").link, "");
}

// Names are what users typed: in a channel they must mention nobody and be no markup.
TEST(Message, OfSlackAndTeamsIsWhatTheyTake) {
    Outgoing notice;
    notice.type = "job.finished";
    notice.job = JobId{7};
    notice.data = R"({"kind":"sentiment","name":"<!channel> & [co](x)!","state":"succeeded"})";
    const auto link = "https://p.example/#/jobs/" + plimsoll::to_public(JobId{7});
    notice.format = "slack";
    EXPECT_EQ(nlohmann::json::parse(body_of(notice, "https://p.example")),
              (nlohmann::json{{"text", "&lt;!channel&gt; &amp; [co](x)! (sentiment) succeeded. <" +
                                           link + "|Open the job>"}}));
    notice.format = "teams";
    const auto card = nlohmann::json::parse(body_of(notice, "https://p.example"));
    EXPECT_EQ(card.at("type"), "message");
    const auto& content = card.at("attachments").at(0).at("content");
    EXPECT_EQ(content.at("type"), "AdaptiveCard");
    EXPECT_EQ(content.at("body").at(0).at("type"), "RichTextBlock") << "a TextBlock has markup";
    EXPECT_EQ(content.at("body").at(0).at("inlines").at(0).at("text"),
              "<!channel> & [co](x)! (sentiment) succeeded.");
    EXPECT_EQ(content.at("actions").at(0).at("url"), link);
}

TEST(Mail, ServersAreUrls) {
    const auto plain = parse_mail_server("smtp://desk:p%40ss@mail.example.com", "a@b.example");
    ASSERT_TRUE(plain);
    EXPECT_FALSE(plain->tls);
    EXPECT_EQ(plain->port, "587");
    EXPECT_EQ(plain->user, "desk");
    EXPECT_EQ(plain->password, "p@ss");
    EXPECT_EQ(parse_mail_server("smtps://mail.example.com", "")->port, "465");
    EXPECT_EQ(parse_mail_server("smtp://10.0.0.1:25", "")->port, "25");
    EXPECT_EQ(parse_mail_server("", "")->host, "");
    for (const auto* url : {"mail.example.com", "https://mail.example.com", "smtp://",
                            "smtp://mail.example.com/x", "smtp://mail.example.com?x"})
        EXPECT_FALSE(parse_mail_server(url, "")) << url;
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
