#include "server/oidc/calls.hpp"

#include "server/outbound/exchange.hpp"

#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http.hpp>

namespace plimsoll::oidc {

namespace asio = boost::asio;
namespace wire = boost::beast::http;
using namespace asio::experimental::awaitable_operators;
using asio::awaitable;
using asio::use_awaitable;

namespace {

std::string origin_of(const outbound::Target& target) {
    return (target.tls ? "https://" : "http://") + target.authority();
}

tl::unexpected<Error> unreachable(const outbound::Target& target, const std::string& why) {
    return fail(Errc::unavailable,
                "The identity provider at " + origin_of(target) + " " + why + ".");
}

}  // namespace

Calls::Calls(outbound::AllowList allowed, std::unique_ptr<asio::ssl::context> tls)
    : allowed_(std::move(allowed)), tls_(std::move(tls)) {}
Calls::Calls(Calls&&) noexcept = default;
Calls::~Calls() = default;

awaitable<Result<Calls::Reply>> Calls::get(std::string url, std::string authorization) const {
    return send({std::move(url), std::move(authorization), {}, false});
}

awaitable<Result<Calls::Reply>> Calls::post(std::string url, std::string authorization,
                                            std::string form) const {
    return send({std::move(url), std::move(authorization), std::move(form), true});
}

awaitable<Result<Calls::Reply>> Calls::send(Message message) const {
    const auto target = outbound::parse_target(message.url);
    if (!target) co_return fail(Errc::corrupt, "The identity provider named a malformed address.");
    if (!allowed_.allows(*target)) {
        co_return fail(Errc::unavailable,
                       "The identity provider wants a request to " + origin_of(*target) +
                           ": add it to oidc.allowed_origins, if that is right.");
    }
    const outbound::Destination destination{
        .tls = target->tls, .host = target->host, .port = std::to_string(target->port)};
    const auto endpoints = co_await outbound::resolve(
        destination, [&](const asio::ip::address& address) { return allowed_.allows(address); });
    if (!endpoints && endpoints.error().code == Errc::forbidden) {
        co_return fail(Errc::unavailable,
                       "The identity provider at " + origin_of(*target) +
                           " has an address that is not public: add its network to "
                           "oidc.allowed_networks, if that is right.");
    }
    if (!endpoints) {
        co_return unreachable(*target, "cannot be resolved: " + endpoints.error().message);
    }
    outbound::Request request(message.posts ? wire::verb::post : wire::verb::get, target->path, 11);
    request.set(wire::field::host, target->authority());
    request.set(wire::field::user_agent, "Plimsoll-OpenID/1");
    request.set(wire::field::accept, "application/json");
    request.set(wire::field::connection, "close");
    if (!message.authorization.empty()) {
        request.set(wire::field::authorization, message.authorization);
    }
    if (message.posts) {
        request.set(wire::field::content_type, "application/x-www-form-urlencoded");
        request.body() = std::move(message.form);
        request.prepare_payload();
    }
    Reply reply;
    const outbound::Receiver receiver{.wants_body = [](int) { return true; },
                                      .body = [&reply](std::string_view piece) -> Result<void> {
                                          reply.body += piece;
                                          return {};
                                      },
                                      .most_bytes = kMostBytes};
    asio::steady_timer timer(co_await asio::this_coro::executor, kTime);
    const auto first =
        co_await (outbound::exchange(destination, *endpoints, request, *tls_, receiver) ||
                  timer.async_wait(use_awaitable));
    if (first.index() == 1) {
        co_return unreachable(*target,
                              "did not respond within " + std::to_string(kTime.count()) + " s");
    }
    const auto& status = std::get<0>(first);
    if (!status) co_return unreachable(*target, "could not be reached: " + status.error().message);
    reply.status = *status;
    co_return reply;
}

}  // namespace plimsoll::oidc
