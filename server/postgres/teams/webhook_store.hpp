#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/webhooks/store.hpp"

namespace plimsoll::postgres {

class WebhookStore final : public webhooks::WebhookStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit WebhookStore(Pool& pool) : pool_(pool) {}

    template <class T>
    using Answer = webhooks::awaitable<Result<T>>;

    Answer<std::vector<webhooks::Webhook>> list(TeamId team) override;
    Answer<webhooks::Webhook> create(Author author, webhooks::Webhook webhook,
                                     std::string secret) override;
    Answer<webhooks::Webhook> update(Author author, webhooks::WebhookId id, std::string name,
                                     std::string url) override;
    Answer<void> remove(Author author, webhooks::WebhookId id) override;
    Answer<std::vector<webhooks::Delivery>> deliveries(TeamId team, webhooks::WebhookId id,
                                                       std::optional<webhooks::DeliveryId> before,
                                                       int limit) override;
    Answer<webhooks::Delivery> send_test(Author author, webhooks::WebhookId id) override;

  private:
    Pool& pool_;
};

class DeliveryQueue final : public webhooks::DeliveryQueue {
  public:
    // As above; with the pool of the duties, a claim never delays a request.
    explicit DeliveryQueue(Pool& pool) : pool_(pool) {}

    template <class T>
    using Answer = webhooks::awaitable<Result<T>>;

    Answer<std::vector<webhooks::Outgoing>> claim(
        int limit, std::chrono::seconds lease, int most_attempts,
        std::vector<webhooks::DeliveryId> under_way) override;
    Answer<void> settle(webhooks::DeliveryId id, int attempt, webhooks::Attempted outcome,
                        std::optional<std::chrono::milliseconds> pause) override;
    Answer<int> forget(int keep_days) override;

  private:
    Pool& pool_;
};

}  // namespace plimsoll::postgres
