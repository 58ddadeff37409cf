#include "server/oidc/provider.hpp"

#include "engine/base/json.hpp"
#include "server/oidc/encoding.hpp"
#include "server/oidc/id_token.hpp"

#include <algorithm>
#include <array>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sodium.h>

namespace plimsoll::oidc {

namespace asio = boost::asio;

namespace {

using Steady = std::chrono::steady_clock;

using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

std::string form_of(Fields fields) {
    std::string form;
    for (const auto& [name, value] : fields) {
        if (!form.empty()) form += '&';
        form += std::string(name) + '=' + escaped(value);
    }
    return form;
}

std::string with_query(const std::string& endpoint, Fields fields) {
    return endpoint + (endpoint.find('?') == std::string::npos ? '?' : '&') + form_of(fields);
}

// RFC 6749, 2.3.1.
std::string basic(const Client& client) {
    const auto text = escaped(client.id) + ':' + escaped(client.secret);
    constexpr int kPadded = sodium_base64_VARIANT_ORIGINAL;
    std::string encoded(sodium_base64_encoded_len(text.size(), kPadded), '\0');
    sodium_bin2base64(encoded.data(), encoded.size(),
                      reinterpret_cast<const unsigned char*>(text.data()), text.size(), kPadded);
    encoded.pop_back();
    return "Basic " + encoded;
}

// A provider's error code, if it is one: it is written to the log.
std::string error_in(const std::string& body) {
    const auto parsed = json::parse(body, nullptr, false);
    if (!parsed.is_object() || !parsed.contains("error") || !parsed["error"].is_string()) return {};
    auto code = parsed["error"].get<std::string>();
    constexpr std::size_t kMaxCode = 64;
    const bool good = code.size() <= kMaxCode &&
                      code.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos;
    return good ? ": " + code : std::string();
}

tl::unexpected<Error> refused(const char* what, int status, const std::string& body) {
    return fail(status >= 500 ? Errc::unavailable : Errc::unauthenticated,
                std::string("The identity provider's ") + what + " responded with " +
                    std::to_string(status) + error_in(body) + ".");
}

}  // namespace

Provider::Provider(const asio::any_io_executor& executor, Registration registration)
    : client_(std::move(registration.client)),
      admission_(std::move(registration.admission)),
      calls_(std::move(registration.calls)),
      read_(executor, Steady::time_point::max()) {}

awaitable<Result<std::string>> Provider::document(std::string url) const {
    CO_TRY(auto reply, co_await calls_.get(std::move(url), {}));
    if (reply.status != 200) {
        co_return fail(Errc::unavailable,
                       "The identity provider's discovery or key endpoint responded with " +
                           std::to_string(reply.status) + ".");
    }
    co_return std::move(reply.body);
}

awaitable<Provider::KnownOrError> Provider::read() const {
    CO_TRY(const auto about_text, co_await document(discovery_url(client_.issuer)));
    CO_TRY(auto about, parse_discovery(about_text, client_.issuer));
    CO_TRY(const auto keys_text, co_await document(about.jwks_uri));
    CO_TRY(auto keys, parse_keys(keys_text));
    co_return std::make_shared<const Known>(
        Known{std::move(about), std::move(keys), Steady::now()});
}

awaitable<Provider::KnownOrError> Provider::known(Instant since) {
    for (;;) {
        if (known_ && known_->read_at >= since) co_return known_;
        if (failure_ && Steady::now() < failed_at_ + kAfterFailure) co_return fail(*failure_);
        if (!reading_) break;
        boost::system::error_code woken;
        co_await read_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    }
    reading_ = true;
    auto found = co_await read();
    reading_ = false;
    if (found) {
        known_ = *found;
        failure_.reset();
    } else {
        failure_ = found.error();
        failed_at_ = Steady::now();
    }
    read_.cancel();
    co_return found;
}

awaitable<Result<std::string>> Provider::authorization_url(const Attempt& attempt) {
    CO_TRY(const auto provider, co_await known(Steady::now() - kKept));
    co_return with_query(provider->about.authorization_endpoint,
                         {{"response_type", "code"},
                          {"client_id", client_.id},
                          {"redirect_uri", client_.redirect_uri},
                          {"scope", client_.scopes},
                          {"state", attempt.state},
                          {"nonce", attempt.nonce},
                          {"code_challenge", challenge_of(attempt.verifier)},
                          {"code_challenge_method", "S256"}});
}

awaitable<Result<Provider::Tokens>> Provider::redeemed(const Discovered& about,
                                                       const std::string& code,
                                                       const std::string& verifier) const {
    auto form = form_of({{"grant_type", "authorization_code"},
                         {"code", code},
                         {"redirect_uri", client_.redirect_uri},
                         {"code_verifier", verifier}});
    const bool by_field = !client_.secret.empty() && about.basic;
    if (!by_field) form += '&' + form_of({{"client_id", client_.id}});
    if (!by_field && !client_.secret.empty())
        form += '&' + form_of({{"client_secret", client_.secret}});
    CO_TRY(const auto reply, co_await calls_.post(about.token_endpoint,
                                                  by_field ? basic(client_) : std::string(), form));
    if (reply.status != 200) co_return refused("token endpoint", reply.status, reply.body);
    const auto body = json::parse(reply.body, nullptr, false);
    const auto has = [&body](const char* name) {
        return body.is_object() && body.contains(name) && body[name].is_string();
    };
    if (!has("id_token") || !has("access_token")) {
        co_return fail(Errc::corrupt,
                       "The identity provider sent no ID token. Does oidc.scopes include openid?");
    }
    co_return Tokens{body["id_token"], body["access_token"]};
}

awaitable<Result<json>> Provider::claims(const Tokens& tokens, const Attempt& attempt,
                                         Timestamp now) {
    CO_TRY(auto token, read_token(tokens.id));
    auto provider = co_await known(Steady::now() - kKept);
    // It signs with a new key.
    if (provider && !has_key((*provider)->keys, token))
        provider = co_await known(Steady::now() - kBetweenReadings);
    if (!provider) co_return fail(provider.error());
    CO_TRY_DO(check_id_token(token, (*provider)->keys,
                             {.issuer = client_.issuer,
                              .client_id = client_.id,
                              .nonce = attempt.nonce,
                              .access_token = tokens.access,
                              .now = now}));
    co_return std::move(token.claims);
}

awaitable<Result<void>> Provider::complete(json& claims, const Discovered& about,
                                           const std::string& access_token) const {
    const std::array<std::string, 3> wanted = {"email", "name", admission_.groups_claim};
    const bool all = std::ranges::all_of(wanted, [&](const std::string& name) {
        return claims.contains(name) ||
               (name == admission_.groups_claim && !admission_.reads_groups());
    });
    if (all || about.userinfo_endpoint.empty()) co_return Result<void>{};
    CO_TRY(const auto reply, co_await calls_.get(about.userinfo_endpoint, "Bearer " + access_token));
    if (reply.status != 200) co_return refused("userinfo endpoint", reply.status, reply.body);
    const auto more = json::parse(reply.body, nullptr, false);
    if (!more.is_object() || !more.contains("sub") || more["sub"] != claims["sub"])
        co_return fail(Errc::corrupt, "The identity provider's userinfo is for another user.");
    // Signed values take precedence. An address and its verification come from one document.
    const bool has_address = claims.contains("email");
    if (!has_address) claims.erase("email_verified");
    for (const auto& [name, value] : more.items()) {
        if (name == "email_verified" && has_address) continue;
        if (!claims.contains(name)) claims[name] = value;
    }
    co_return Result<void>{};
}

awaitable<Result<std::string>> Provider::sign_out_url(const std::string& id_token) {
    CO_TRY(const auto provider, co_await known(Steady::now() - kKept));
    const auto& endpoint = provider->about.end_session_endpoint;
    if (endpoint.empty()) co_return std::string();
    auto url = with_query(
        endpoint, {{"client_id", client_.id}, {"post_logout_redirect_uri", client_.redirect_uri}});
    if (!id_token.empty()) url += '&' + form_of({{"id_token_hint", id_token}});
    co_return url;
}

awaitable<Result<Redeemed>> Provider::redeem(Return returned, const Attempt& attempt,
                                             Timestamp now) {
    CO_TRY(const auto provider, co_await known(Steady::now() - kKept));
    const auto about = provider->about;
    // RFC 9207: a response of another provider, mixed up with ours.
    const bool named = !returned.issuer.empty();
    if (named ? returned.issuer != client_.issuer : about.names_itself)
        co_return fail(Errc::unauthenticated, "The response is from another issuer.");
    CO_TRY(const auto tokens, co_await redeemed(about, returned.code, attempt.verifier));
    CO_TRY(auto found, co_await claims(tokens, attempt, now));
    CO_TRY_DO(co_await complete(found, about, tokens.access));
    auto user = admission_.admit(found);
    if (!user) {
        co_return fail(user.error().code, user.error().message + " (subject " +
                                              found.at("sub").get<std::string>() + ")");
    }
    co_return Redeemed{std::move(*user), tokens.id};
}

}  // namespace plimsoll::oidc
