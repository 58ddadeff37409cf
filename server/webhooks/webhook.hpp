#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::webhooks {

using WebhookId = Id<struct WebhookTag>;
using DeliveryId = Id<struct DeliveryTag>;

inline std::string to_public(WebhookId id) {
    return public_id("hook", id.value);
}
// The same in every attempt: by it a receiver tells a repeat from a new notice.
inline std::string to_public(DeliveryId id) {
    return public_id("msg", id.value);
}

// Whom a team wants told when one of its jobs ends.
struct Webhook {
    WebhookId id;
    std::string name;
    std::string url;
    UserId user;  // who made it
    std::string user_name;
    Timestamp created_at;
};

// A notice and how far it got: pending, delivered, failed (given up).
struct Delivery {
    DeliveryId id;
    std::string type;  // job.finished, webhook.test
    std::optional<JobId> job;
    Timestamp created_at;
    std::string state;
    int attempts = 0;
    std::optional<Timestamp> next_at;  // of the next attempt, while pending
    std::optional<int> status;         // of the last answer
    std::string error;                 // why the last attempt failed; empty otherwise
    std::optional<Timestamp> ended_at;
};

// An attempt to be made now.
struct Outgoing {
    DeliveryId id;
    int attempt = 1;
    std::string type;
    std::optional<JobId> job;
    std::string data;  // JSON text: the job when it ended, without its id
    Timestamp created_at;
    std::string url;
    std::string secret;  // 32 bytes
};

// What came of an attempt: no error: the receiver took it.
struct Attempted {
    std::optional<int> status;
    std::string error;  // for the team: without addresses and without the answer's text
};

}  // namespace plimsoll::webhooks
