#pragma once

#include "engine/base/result.hpp"
#include "server/webhooks/webhook.hpp"

#include <chrono>
#include <vector>

#include <boost/asio/awaitable.hpp>

// Where webhooks and their deliveries are kept. Implemented by server/postgres. A webhook of
// another team is Errc::not_found, like one that does not exist.
namespace plimsoll::webhooks {

using boost::asio::awaitable;

constexpr int kWebhooksPerTeam = 20;

// Who writes, for the audit row.
struct Author {
    TeamId team;
    UserId user;
    std::string request_id;
};

// For the API.
class WebhookStore {
  public:
    virtual ~WebhookStore() = default;

    virtual awaitable<Result<std::vector<Webhook>>> list(TeamId team) = 0;
    // `secret` is 32 bytes. Errc::conflict when the team has kWebhooksPerTeam.
    virtual awaitable<Result<Webhook>> create(Author author, Webhook webhook,
                                              std::string secret) = 0;
    // With its deliveries; what is pending is not sent any more.
    virtual awaitable<Result<void>> remove(Author author, WebhookId id) = 0;
    // Newest first; with `before`, only older ones.
    virtual awaitable<Result<std::vector<Delivery>>> deliveries(TeamId team, WebhookId id,
                                                                std::optional<DeliveryId> before,
                                                                int limit) = 0;
    virtual awaitable<Result<Delivery>> send_test(Author author, WebhookId id) = 0;
};

// For who sends. Any number of servers may: an attempt is handed out once.
class DeliveryQueue {
  public:
    virtual ~DeliveryQueue() = default;

    // What is due, of all teams. An attempt that is not settled within `lease` is handed out again.
    virtual awaitable<Result<std::vector<Outgoing>>> claim(int limit, std::chrono::seconds lease,
                                                           int most_attempts) = 0;
    // `pause`: until the next attempt; without one a failure is final.
    virtual awaitable<Result<void>> settle(DeliveryId id, int attempt, Attempted outcome,
                                           std::optional<std::chrono::milliseconds> pause) = 0;
    virtual awaitable<Result<int>> forget(int keep_days) = 0;
};

}  // namespace plimsoll::webhooks
