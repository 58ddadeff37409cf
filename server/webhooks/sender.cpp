#include "server/webhooks/sender.hpp"

#include "server/webhooks/message.hpp"
#include "server/webhooks/signature.hpp"

#include <utility>

#include <boost/asio/ssl/context.hpp>
#include <boost/beast/http.hpp>

namespace plimsoll::webhooks {

namespace wire = boost::beast::http;
using boost::asio::awaitable;
using outbound::Caller;

namespace {

// More than a team's attempts: names whose servers are silent take seconds each.
constexpr std::size_t kLookups = 12;

std::string why(const Caller::Failure& failure) {
    switch (failure.obstacle) {
        case Caller::Obstacle::origin:
            return "The operator has not allowed notices to this origin.";
        case Caller::Obstacle::address:
            return "The receiver's host name resolves to an address that is not allowed.";
        case Caller::Obstacle::name:
            return "The receiver's host name cannot be resolved: " + failure.reason + ".";
        case Caller::Obstacle::time:
            return "The receiver did not respond within " +
                   std::to_string(Caller::kTime / std::chrono::seconds(1)) + " s.";
        case Caller::Obstacle::size:
        case Caller::Obstacle::exchange:
            break;
    }
    return "The receiver could not be reached: " + failure.reason + ".";
}

Attempted failed(const Caller::Failure& failure) {
    return {.status = std::nullopt, .error = why(failure)};
}

outbound::Request message_of(const Outgoing& notice, const outbound::Target& target,
                             Timestamp now) {
    const auto id = to_public(notice.id);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
    const auto timestamp = std::to_string(seconds);
    outbound::Request message(wire::verb::post, target.path, 11);
    message.body() = body_of(notice);
    message.set(wire::field::user_agent, "Plimsoll-Webhooks/1");
    message.set(wire::field::content_type, "application/json");
    message.set("webhook-id", id);
    message.set("webhook-timestamp", timestamp);
    message.set("webhook-signature", signature(notice.secret, id, timestamp, message.body()));
    message.prepare_payload();
    return message;
}

Attempted judged(int status) {
    Attempted attempted{.status = status, .error = {}};
    if (status >= 200 && status < 300) return attempted;
    attempted.error = "The receiver responded with " + std::to_string(status);
    attempted.error += status >= 300 && status < 400 ? "; redirects are not followed." : ".";
    return attempted;
}

}  // namespace

Result<Sender> Sender::make(outbound::AllowList allowed, const std::string& authorities) {
    auto tls = outbound::verifying_context(authorities);
    if (!tls) return fail(std::move(tls.error()));
    return Sender(Caller(std::move(allowed), std::move(*tls), kLookups));
}

awaitable<Attempted> Sender::send(const Outgoing& notice, Timestamp now) {
    auto target = outbound::parse_target(notice.url);
    if (!target) co_return failed({Caller::Obstacle::origin, {}});
    auto message = message_of(notice, *target, now);
    // A connection or protocol failure is an outcome of the attempt, not an internal error.
    const auto status = co_await caller_.send(std::move(*target), std::move(message));
    co_return status ? judged(*status) : failed(status.error());
}

}  // namespace plimsoll::webhooks
