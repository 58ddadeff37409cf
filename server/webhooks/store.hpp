#pragma once

#include "engine/base/result.hpp"
#include "server/base/author.hpp"
#include "server/base/awaitable.hpp"
#include "server/webhooks/webhook.hpp"

#include <chrono>
#include <vector>

// Stores webhooks and their deliveries. Implemented by server/postgres. Another team's webhook is
// Errc::not_found, like a missing one.
namespace plimsoll::webhooks {

constexpr int kWebhooksPerTeam = 20;

// For the API.
class WebhookStore {
  public:
    virtual ~WebhookStore() = default;

    virtual awaitable<Result<std::vector<Webhook>>> list(TeamId team) = 0;
    // `secret` is 32 bytes. Errc::conflict when the team has kWebhooksPerTeam.
    virtual awaitable<Result<Webhook>> create(Author author, Webhook webhook,
                                              std::string secret) = 0;
    // Of `to`, what can be edited; empty members are unchanged.
    virtual awaitable<Result<Webhook>> update(Author author, WebhookId id, Webhook to) = 0;
    // Removes the webhook with its deliveries; pending ones are no longer sent.
    virtual awaitable<Result<void>> remove(Author author, WebhookId id) = 0;
    // Newest first; with `before`, only older ones.
    virtual awaitable<Result<std::vector<Delivery>>> deliveries(TeamId team, WebhookId id,
                                                                std::optional<DeliveryId> before,
                                                                int limit) = 0;
    virtual awaitable<Result<Delivery>> send_test(Author author, WebhookId id) = 0;
};

// For the dispatcher. Any number of servers may use it: each attempt is leased to one of them.
class DeliveryQueue {
  public:
    virtual ~DeliveryQueue() = default;

    // Due attempts of all teams, a few of each webhook and team, together with those that the
    // caller has under way. One not settled within `lease` is handed out again.
    virtual awaitable<Result<std::vector<Outgoing>>> claim(int limit, std::chrono::seconds lease,
                                                           int max_attempts,
                                                           std::vector<DeliveryId> under_way) = 0;
    // `pause`: until the next attempt; without one a failure is final.
    virtual awaitable<Result<void>> settle(DeliveryId id, int attempt, Attempted outcome,
                                           std::optional<std::chrono::milliseconds> pause) = 0;
    virtual awaitable<Result<int>> forget(int keep_days) = 0;
};

}  // namespace plimsoll::webhooks
