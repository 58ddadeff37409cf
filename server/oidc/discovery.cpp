#include "server/oidc/discovery.hpp"

#include "engine/base/json.hpp"
#include "server/outbound/target.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/beast/http.hpp>

namespace plimsoll::oidc {

namespace wire = boost::beast::http;
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
            return provider + " sent more than " + std::to_string(Calls::kMaxBytes / 1024) +
                   " KiB.";
        case Caller::Obstacle::exchange: break;
    }
    return provider + " could not be reached: " + failure.reason + ".";
}

tl::unexpected<Error> bad_document(const std::string& why) {
    return fail(Errc::corrupt, "The provider's discovery document " + why + ".");
}

// An absent list has a default value, which `unsaid` gives.
bool lists(const json& document, const char* name, std::string_view value, bool unsaid) {
    const auto found = document.find(name);
    if (found == document.end()) return unsaid;
    return found->is_array() &&
           std::ranges::any_of(*found, [&](const json& one) { return one == value; });
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
    if (!message.authorization.empty())
        request.set(wire::field::authorization, message.authorization);
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
        {.wants_body = [](int) { return true; }, .body = keep, .max_bytes = kMaxBytes});
    if (!status) co_return fail(Errc::unavailable, why(*target, status.error()));
    reply.status = *status;
    co_return reply;
}

std::string discovery_url(std::string_view issuer) {
    std::string url(issuer.substr(0, issuer.find_last_not_of('/') + 1));
    return url + "/.well-known/openid-configuration";
}

Result<Discovered> parse_discovery(std::string_view text, const std::string& issuer) {
    const auto document = json::parse(text, nullptr, false);
    if (!document.is_object()) return bad_document("is not a JSON object");
    if (const auto named = document.find("issuer"); named == document.end() || *named != issuer) {
        return bad_document("names an issuer other than oidc.issuer" +
                            (named != document.end() && named->is_string()
                                 ? ": " + named->get<std::string>().substr(0, 200)
                                 : std::string()));
    }
    if (!lists(document, "response_types_supported", "code", false))
        return bad_document("does not offer the response type \"code\"");
    if (!lists(document, "code_challenge_methods_supported", "S256", true))
        return bad_document("does not offer PKCE with S256");
    constexpr auto kAlgorithms = "id_token_signing_alg_values_supported";
    if (!lists(document, kAlgorithms, "RS256", true) &&
        !lists(document, kAlgorithms, "ES256", true)) {
        return bad_document("offers neither RS256 nor ES256 for ID tokens");
    }
    Discovered found;
    struct Address {
        const char* name;
        std::string& to;
        bool needed;
    };
    for (const auto& [name, to, needed] :
         std::array{Address{"authorization_endpoint", found.authorization_endpoint, true},
                    Address{"token_endpoint", found.token_endpoint, true},
                    Address{"jwks_uri", found.jwks_uri, true},
                    Address{"userinfo_endpoint", found.userinfo_endpoint, false},
                    Address{"end_session_endpoint", found.end_session_endpoint, false}}) {
        const auto given = document.find(name);
        if (given == document.end() && !needed) continue;
        if (given == document.end() || !given->is_string())
            return bad_document(std::string("has no ") + name);
        to = given->get<std::string>();
        const auto target = outbound::parse_target(to);
        if (!target || (!target->tls && issuer.starts_with("https://")))
            return bad_document(std::string("has a ") + name + " that is not an https URL");
    }
    constexpr auto kMethods = "token_endpoint_auth_methods_supported";
    found.basic = lists(document, kMethods, "client_secret_basic", true);
    const auto naming = document.find("authorization_response_iss_parameter_supported");
    found.names_itself = naming != document.end() && *naming == true;
    return found;
}

}  // namespace plimsoll::oidc
