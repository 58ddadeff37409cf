#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace plimsoll::webhooks {

using WebhookId = Id<struct WebhookTag>;
using DeliveryId = Id<struct DeliveryTag>;

inline std::string to_public(WebhookId id) { return public_id("hook", id.value); }
// The same in every attempt, so that a receiver can tell a repeat from a new notice.
inline std::string to_public(DeliveryId id) { return public_id("msg", id.value); }

// A URL, or an email address as mailto:, that a team wants notified when its jobs end.
struct Webhook {
    WebhookId id;
    std::string name;
    std::string url;
    std::string format;  // plimsoll, slack or teams; has no effect on mail
    std::string labels;  // JSON: of the jobs that it is about
    UserId user;         // who created it
    std::string user_name;
    Timestamp created_at;
};

// A notice and its state: pending, delivered or failed (no further attempts).
struct Delivery {
    DeliveryId id;
    std::string type;  // job.finished, webhook.test
    std::optional<JobId> job;
    Timestamp created_at;
    std::string state;
    int attempts = 0;
    std::optional<Timestamp> next_at;  // of the next attempt, while pending
    std::optional<int> status;         // of the last response
    std::string error;                 // why the last attempt failed; empty otherwise
    std::optional<Timestamp> ended_at;
};

// An attempt that is due.
struct Outgoing {
    DeliveryId id;
    int attempt = 1;
    std::string type;
    std::optional<JobId> job;
    std::string data;  // JSON text: the job when it ended, without its id
    Timestamp created_at;
    std::string url;
    std::string format;
    std::string secret;  // 32 bytes
};

// The result of an attempt; no error: delivered.
struct Attempted {
    std::optional<int> status;
    std::string error;  // for the team: without addresses and without the response's text
};

constexpr int kMaxAttempts = 8;

// The pause after failed attempt number `attempt` (from 1): seconds at first, hours at the end,
// about half a day in total. `chance` in [0, 1) adds 25 % jitter, so that notices that failed
// together do not retry together. nullopt after the last attempt.
std::optional<std::chrono::milliseconds> pause_after(int attempt, double chance);

// A notice for people.
struct Message {
    std::string title;  // in ASCII
    std::string text;
    std::string link;  // to the job; empty: a test, or no `pages`
};
Message message_of(const Outgoing& notice, const std::string& pages);

// The body of a notice, the same in every attempt. In the format "plimsoll":
// {"type": "job.finished", "timestamp": when the job ended, "data": {"id", "kind", "name",
//  "labels", "state", "items_total", "items_failed", "links"}}; "data" of a test is empty.
// "slack" and "teams": what these programs' incoming webhooks take. `pages`: the address at which
// people open the pages, without a slash at its end; may be empty.
std::string body_of(const Outgoing& notice, const std::string& pages);

}  // namespace plimsoll::webhooks
