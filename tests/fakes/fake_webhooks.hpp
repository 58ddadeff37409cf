#pragma once

#include "server/webhooks/store.hpp"
#include "tests/fakes/fake_identity.hpp"
#include "tests/fakes/stale.hpp"

#include <algorithm>

namespace plimsoll::fakes {

// Webhooks in memory; nothing is sent. For one thread.
class FakeWebhooks final : public webhooks::WebhookStore {
  public:
    template <class T>
    using Answer = webhooks::awaitable<Result<T>>;

    // Outlives this.
    explicit FakeWebhooks(const FakeIdentity& identity) : identity_(identity) {}

    Answer<std::vector<webhooks::Webhook>> list(TeamId team) override {
        std::vector<webhooks::Webhook> found;
        for (const auto& one : stored_) {
            if (one.team == team) found.push_back(one.webhook);
        }
        co_return found;
    }
    Answer<webhooks::Webhook> create(Author author, webhooks::Webhook webhook,
                                     std::string secret) override {
        if (std::ranges::count(stored_, author.team, &Stored::team) >= webhooks::kWebhooksPerTeam) {
            co_return fail(Errc::conflict, "Too many.");
        }
        webhook.id = {next_++};
        webhook.created_at = SystemClock().now();
        last_secret = std::move(secret);
        stored_.push_back({author.team, webhook, {}});
        stored_.back().webhook.user = author.user;
        stored_.back().webhook.user_name = identity_.name_of(author.user);
        co_return webhook;
    }
    Answer<webhooks::Webhook> update(Author author, webhooks::WebhookId id, std::string name,
                                     std::string url) override {
        auto* stored = find(author.team, id);
        if (stored == nullptr) co_return missing();
        if (stale(author, {{"name", stored->webhook.name}, {"url", stored->webhook.url}})) {
            co_return fail(changed_meanwhile());
        }
        if (!name.empty()) stored->webhook.name = std::move(name);
        if (!url.empty()) stored->webhook.url = std::move(url);
        co_return stored->webhook;
    }
    Answer<void> remove(Author author, webhooks::WebhookId id) override {
        const auto gone = std::erase_if(stored_, [&](const Stored& one) {
            return one.team == author.team && one.webhook.id == id;
        });
        if (gone == 0) co_return missing();
        co_return Result<void>{};
    }
    Answer<std::vector<webhooks::Delivery>> deliveries(TeamId team, webhooks::WebhookId id,
                                                       std::optional<webhooks::DeliveryId> before,
                                                       int limit) override {
        const auto* webhook = find(team, id);
        if (webhook == nullptr) co_return missing();
        std::vector<webhooks::Delivery> page;
        for (auto one = webhook->sent.rbegin(); one != webhook->sent.rend(); ++one) {
            if (before && one->id >= *before) continue;
            if (static_cast<int>(page.size()) < limit) page.push_back(*one);
        }
        co_return page;
    }
    Answer<webhooks::Delivery> send_test(Author author, webhooks::WebhookId id) override {
        auto* webhook = find(author.team, id);
        if (webhook == nullptr) co_return missing();
        webhooks::Delivery delivery;
        delivery.id = {next_++};
        delivery.type = "webhook.test";
        delivery.state = "pending";
        delivery.created_at = SystemClock().now();
        delivery.next_at = delivery.created_at;
        webhook->sent.push_back(delivery);
        co_return delivery;
    }

    std::string last_secret;

  private:
    struct Stored {
        TeamId team;
        webhooks::Webhook webhook;
        std::vector<webhooks::Delivery> sent;
    };
    static tl::unexpected<Error> missing() {
        return fail(Errc::not_found, "The webhook was not found.");
    }
    Stored* find(TeamId team, webhooks::WebhookId id) {
        const auto found = std::ranges::find_if(
            stored_, [&](const Stored& one) { return one.team == team && one.webhook.id == id; });
        return found == stored_.end() ? nullptr : &*found;
    }

    const FakeIdentity& identity_;
    std::vector<Stored> stored_;
    std::int64_t next_ = 1;
};

}  // namespace plimsoll::fakes
