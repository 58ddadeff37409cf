#include "tests/unit/server/http/live/live_server.hpp"

namespace plimsoll::http::test {
namespace {

constexpr const char* kHook = R"({"name":"pipeline","url":"https://hooks.example.com/x"})";

class WebhookEndpoints : public LiveServer {
  protected:
    std::string create() {
        const auto made = call("createWebhook", {"POST", "/v1/webhooks", identity_.ada, kHook});
        EXPECT_EQ(made.status, 201) << made.body;
        return "/v1/webhooks/" + made.json().at("webhook").at("id").get<std::string>();
    }
};

TEST_F(WebhookEndpoints, TheSecretIsShownOnce) {
    const auto made = call("createWebhook", {"POST", "/v1/webhooks", identity_.ada, kHook});
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(made.json().at("secret"),
              "whsec_" + execute("select encode(secret, 'base64') from plimsoll.webhook"));
    const auto listed = call("listWebhooks", {"GET", "/v1/webhooks", identity_.ada});
    EXPECT_EQ(listed.json().at("items").size(), 1U);
    EXPECT_EQ(listed.body.find("whsec_"), std::string::npos);
    EXPECT_EQ(call({"GET", "/v1/webhooks", identity_.tom}).json().at("items").size(), 0U);
}

TEST_F(WebhookEndpoints, OnlyListedOriginsAreAccepted) {
    for (const auto* url : {"https://evil.example.org/", "http://hooks.example.com/",
                            "https://169.254.169.254/latest", "nonsense"}) {
        const auto refused =
            call("createWebhook", {"POST", "/v1/webhooks", identity_.ada,
                                   nlohmann::json{{"name", "x"}, {"url", url}}.dump()});
        ASSERT_EQ(refused.status, 422) << url;
        EXPECT_EQ(refused.json().at("errors").at(0).at("pointer"), "/url");
    }
}

TEST_F(WebhookEndpoints, NeedATeamAdmin) {
    EXPECT_EQ(call({"GET", "/v1/webhooks", identity_.vera}).status, 403);
    EXPECT_EQ(call({"POST", "/v1/webhooks", identity_.narrow, kHook}).status, 403);
    EXPECT_EQ(call({"GET", "/v1/webhooks"}).status, 401);
}

TEST_F(WebhookEndpoints, AnotherTeamsWebhookLooksMissing) {
    const auto path = create();
    for (const auto& [method, rest] :
         {std::pair{"DELETE", ""}, {"GET", "/deliveries"}, {"POST", "/deliveries"}}) {
        const auto foreign = call({method, path + rest, identity_.tom});
        const auto none =
            call({method, "/v1/webhooks/hook_000000000zzzz" + std::string(rest), identity_.tom});
        const auto wrong = call({method, "/v1/webhooks/x" + std::string(rest), identity_.tom});
        EXPECT_EQ(foreign.status, 404);
        EXPECT_EQ(none.json().at("detail"), foreign.json().at("detail"));
        EXPECT_EQ(wrong.json().at("detail"), foreign.json().at("detail"));
    }
}

TEST_F(WebhookEndpoints, DeliveriesComeInPages) {
    const auto path = create();
    for (int i = 0; i < 3; ++i) {
        const auto sent =
            call("createWebhookDelivery", {"POST", path + "/deliveries", identity_.ada});
        EXPECT_EQ(sent.status, 202) << sent.body;
    }
    const auto first =
        call("listWebhookDeliveries", {"GET", path + "/deliveries?limit=2", identity_.ada});
    ASSERT_EQ(first.json().at("items").size(), 2U);
    const auto cursor = first.json().at("next_cursor").get<std::string>();
    EXPECT_NE(first.header("link").find("rel=\"next\""), std::string::npos);
    const auto second = call("listWebhookDeliveries",
                             {"GET", path + "/deliveries?limit=2&cursor=" + cursor, identity_.ada});
    EXPECT_EQ(second.json().at("items").size(), 1U);
    EXPECT_TRUE(second.json().at("next_cursor").is_null());
    EXPECT_EQ(call({"GET", path + "/deliveries?cursor=x", identity_.ada}).status, 400);
}

TEST_F(WebhookEndpoints, ARemovedWebhookIsGone) {
    const auto path = create();
    EXPECT_EQ(call("deleteWebhook", {"DELETE", path, identity_.ada}).status, 204);
    EXPECT_EQ(call("deleteWebhook", {"DELETE", path, identity_.ada}).status, 404);
}

}  // namespace
}  // namespace plimsoll::http::test
