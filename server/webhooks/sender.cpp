#include "server/webhooks/sender.hpp"

#include "server/outbound/exchange.hpp"
#include "server/webhooks/message.hpp"
#include "server/webhooks/signature.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http.hpp>

namespace plimsoll::webhooks {

namespace asio = boost::asio;
namespace wire = boost::beast::http;
using namespace asio::experimental::awaitable_operators;
using asio::awaitable;
using asio::use_awaitable;

namespace {

Attempted failed(std::string why) {
    return {.status = std::nullopt, .error = std::move(why)};
}

outbound::Request message_of(const Outgoing& notice, const outbound::Target& target,
                             Timestamp now) {
    const auto id = to_public(notice.id);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
    const auto timestamp = std::to_string(seconds);
    outbound::Request message(wire::verb::post, target.path, 11);
    message.body() = body_of(notice);
    message.set(wire::field::host, target.authority());
    message.set(wire::field::user_agent, "Plimsoll-Webhooks/1");
    message.set(wire::field::content_type, "application/json");
    message.set(wire::field::connection, "close");
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

Sender::Sender(asio::any_io_executor executor, outbound::AllowList allowed,
               std::unique_ptr<asio::ssl::context> tls)
    : executor_(std::move(executor)), allowed_(std::move(allowed)), tls_(std::move(tls)) {}
Sender::Sender(Sender&&) noexcept = default;
Sender::~Sender() = default;

Result<Sender> Sender::make(asio::any_io_executor executor, outbound::AllowList allowed,
                            const std::string& authorities) {
    auto tls = outbound::verifying_context(authorities);
    if (!tls) return fail(std::move(tls.error()));
    return Sender(std::move(executor), std::move(allowed), std::move(*tls));
}

awaitable<Attempted> Sender::send(const Outgoing& notice, Timestamp now) {
    const auto target = outbound::parse_target(notice.url);
    if (!target || !allowed_.allows(*target)) {
        co_return failed("The operator has not allowed notices to this origin.");
    }
    const outbound::Destination destination{
        .tls = target->tls, .host = target->host, .port = std::to_string(target->port)};
    const auto endpoints = co_await outbound::resolve(
        destination, [&](const asio::ip::address& address) { return allowed_.allows(address); });
    if (!endpoints && endpoints.error().code == Errc::forbidden) {
        co_return failed("The receiver's host name resolves to an address that is not allowed.");
    }
    if (!endpoints) {
        co_return failed(
            "The receiver's host name cannot be resolved: " + endpoints.error().message + ".");
    }
    const auto message = message_of(notice, *target, now);
    asio::steady_timer timer(executor_, kTime);
    const auto first = co_await (outbound::exchange(destination, *endpoints, message, *tls_) ||
                                 timer.async_wait(use_awaitable));
    if (first.index() == 1) {
        co_return failed("The receiver did not respond within " + std::to_string(kTime.count()) +
                         " s.");
    }
    // A connection or protocol failure is an outcome of the attempt, not an internal error.
    const auto& status = std::get<0>(first);
    if (!status) {
        co_return failed("The receiver could not be reached: " + status.error().message + ".");
    }
    co_return judged(*status);
}

}  // namespace plimsoll::webhooks
