// Webhooks as people keep them; sending is tests/integration/webhooks_test.py.
#include "tests/conformance/store_test.hpp"

#include <string>
#include <vector>

namespace plimsoll::conformance {
namespace {

using webhooks::Webhook;

class WebhookPromises : public StoreTest {
  protected:
    WebhookPromises() : author_{people_.team, people_.user, "request-1"} {}

    webhooks::WebhookStore& store() { return stores_.webhooks; }
    static Webhook named(const std::string& name) {
        Webhook webhook;
        webhook.name = name;
        webhook.url = "https://hooks.example.com/x";
        webhook.format = "plimsoll";
        webhook.labels = "{}";
        return webhook;
    }
    Webhook create(const std::string& name) {
        return must(store().create(author_, named(name), std::string(32, 's')));
    }

    Author author_;
};

TEST_F(WebhookPromises, AWebhookIsListedUntilItIsRemoved) {
    const auto first = create("pipeline");
    const auto second = create("archive");
    const auto listed = must(store().list(people_.team));
    ASSERT_EQ(listed.size(), 2u);
    EXPECT_EQ(listed[0].id, first.id) << "oldest first";
    EXPECT_EQ(listed[0].name, "pipeline");
    EXPECT_EQ(listed[0].url, "https://hooks.example.com/x");
    EXPECT_EQ(listed[0].user, people_.user);
    EXPECT_EQ(listed[0].user_name, kind_);
    EXPECT_EQ(listed[0].created_at, first.created_at);
    must(store().send_test(author_, first.id));
    must(store().remove(author_, first.id));
    EXPECT_EQ(must(store().list(people_.team)).size(), 1u);
    EXPECT_EQ(code(store().remove(author_, first.id)), Errc::not_found);
    EXPECT_EQ(code(store().deliveries(people_.team, first.id, {}, 10)), Errc::not_found);
    EXPECT_TRUE(must(store().deliveries(people_.team, second.id, {}, 10)).empty());
}

TEST_F(WebhookPromises, AWebhookIsChanged) {
    const auto webhook = create("pipeline").id;
    Webhook to;
    to.name = "import";
    EXPECT_EQ(must(store().update(author_, webhook, to)).name, "import");
    Webhook there;
    there.url = "https://hooks.example.com/y";
    there.format = "teams";
    there.labels = R"({"desk": "energy"})";
    const auto moved = must(store().update(author_, webhook, there));
    EXPECT_EQ(moved.name, "import");
    EXPECT_EQ(moved.url, "https://hooks.example.com/y");
    EXPECT_EQ(moved.format, "teams");
    EXPECT_EQ(moved.labels, R"({"desk": "energy"})");
    EXPECT_EQ(moved.user_name, kind_);
    const auto other = others();
    EXPECT_EQ(code(store().update({other.team, other.user, ""}, webhook, to)), Errc::not_found);
}

TEST_F(WebhookPromises, DeliveriesAreNewestFirstInPages) {
    const auto webhook = create("pipeline").id;
    std::vector<webhooks::DeliveryId> sent;
    for (int i = 0; i < 3; ++i) sent.push_back(must(store().send_test(author_, webhook)).id);
    const auto page = must(store().deliveries(people_.team, webhook, {}, 2));
    ASSERT_EQ(page.size(), 2u);
    EXPECT_EQ(page[0].id, sent[2]);
    EXPECT_EQ(page[0].type, "webhook.test");
    EXPECT_EQ(page[0].state, "pending");
    EXPECT_FALSE(page[0].job);
    EXPECT_TRUE(page[0].next_at);
    EXPECT_EQ(page[0].attempts, 0);
    EXPECT_EQ(page[1].id, sent[1]);
    const auto rest = must(store().deliveries(people_.team, webhook, page[1].id, 2));
    ASSERT_EQ(rest.size(), 1u);
    EXPECT_EQ(rest[0].id, sent[0]);
}

TEST_F(WebhookPromises, AnotherTeamsWebhookLooksMissing) {
    const auto webhook = create("pipeline").id;
    const auto other = others();
    const Author theirs{other.team, other.user, ""};
    EXPECT_TRUE(must(store().list(other.team)).empty());
    EXPECT_EQ(code(store().remove(theirs, webhook)), Errc::not_found);
    EXPECT_EQ(code(store().deliveries(other.team, webhook, {}, 10)), Errc::not_found);
    EXPECT_EQ(code(store().send_test(theirs, webhook)), Errc::not_found);
    EXPECT_EQ(must(store().list(people_.team)).size(), 1u);
}

TEST_F(WebhookPromises, TheNumberPerTeamIsLimited) {
    for (int i = 0; i < webhooks::kWebhooksPerTeam; ++i) create(std::to_string(i));
    EXPECT_EQ(code(store().create(author_, named("more"), std::string(32, 's'))), Errc::conflict);
    must(store().remove(author_, must(store().list(people_.team))[0].id));
    create("again");
}

}  // namespace
}  // namespace plimsoll::conformance
