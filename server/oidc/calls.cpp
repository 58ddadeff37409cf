#include "server/oidc/calls.hpp"

#include <utility>

#include <boost/beast/http.hpp>

namespace plimsoll::oidc {

namespace wire = boost::beast::http;
using boost::asio::awaitable;
using outbound::Caller;

namespace {

std::string why(const outbound::Target& target, const Caller::Failure& failure) {
    const auto origin = target.origin();
    const auto provider = "The identity provider at " + origin;
    switch (failure.obstacle) {
        case Caller::Obstacle::origin:
            return "The identity provider refers to " + origin +
                   ": add it to oidc.allowed_origins if that is correct.";
        case Caller::Obstacle::address:
            return provider +
                   " has an address that is not public: add its network to "
                   "oidc.allowed_networks if that is correct.";
        case Caller::Obstacle::name:
            return provider + " cannot be resolved: " + failure.reason + ".";
        case Caller::Obstacle::time:
            return provider + " did not respond within " +
                   std::to_string(Caller::kTime / std::chrono::seconds(1)) + " s.";
        case Caller::Obstacle::size:
            return provider + " sent more than " + std::to_string(Calls::kMostBytes / 1024) +
                   " KiB.";
        case Caller::Obstacle::exchange:
            break;
    }
    return provider + " could not be reached: " + failure.reason + ".";
}

}  // namespace

awaitable<Result<Calls::Reply>> Calls::get(std::string url, std::string authorization) const {
    return send({std::move(url), std::move(authorization), {}, false});
}

awaitable<Result<Calls::Reply>> Calls::post(std::string url, std::string authorization,
                                            std::string form) const {
    return send({std::move(url), std::move(authorization), std::move(form), true});
}

awaitable<Result<Calls::Reply>> Calls::send(Message message) const {
    const auto target = outbound::parse_target(message.url);
    if (!target) co_return fail(Errc::corrupt, "The identity provider named a malformed URL.");
    outbound::Request request(message.posts ? wire::verb::post : wire::verb::get, target->path, 11);
    request.set(wire::field::user_agent, "Plimsoll-OpenID/1");
    request.set(wire::field::accept, "application/json");
    if (!message.authorization.empty()) {
        request.set(wire::field::authorization, message.authorization);
    }
    if (message.posts) {
        request.set(wire::field::content_type, "application/x-www-form-urlencoded");
        request.body() = std::move(message.form);
        request.prepare_payload();
    }
    Reply reply;
    const auto keep = [&reply](std::string_view piece) -> Result<void> {
        reply.body += piece;
        return {};
    };
    const auto status = co_await caller_.send(
        *target, std::move(request),
        {.wants_body = [](int) { return true; }, .body = keep, .most_bytes = kMostBytes});
    if (!status) co_return fail(Errc::unavailable, why(*target, status.error()));
    reply.status = *status;
    co_return reply;
}

}  // namespace plimsoll::oidc
