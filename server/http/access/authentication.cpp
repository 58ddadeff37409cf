#include "server/http/access/authentication.hpp"

#include "server/identity/identity.hpp"

#include <algorithm>

namespace plimsoll::http {

using identity::Principal;
using identity::SecretKind;

namespace {

std::string cookie(std::string_view name, std::string_view secret, std::string_view same_site,
                   std::chrono::seconds lifetime, bool secure) {
    std::string text(name);
    text += '=';
    text += secret;
    text += "; Path=/; HttpOnly; SameSite=";
    text += same_site;
    text += "; Max-Age=" + std::to_string(lifetime.count());
    if (secure) text += "; Secure";
    return text;
}

constexpr std::string_view kSignIn = "Send a valid token or sign in.";

bool changes_something(std::string_view method) { return method != "GET" && method != "HEAD"; }

// Constant-time comparison.
bool same_secret(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned char difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference |= static_cast<unsigned char>(a[i] ^ b[i]);
    return difference == 0;
}

std::optional<std::string_view> bearer(std::string_view authorization) {
    constexpr std::string_view kScheme = "Bearer ";
    if (authorization.size() <= kScheme.size() ||
        !same_token(authorization.substr(0, kScheme.size()), kScheme)) {
        return std::nullopt;
    }
    return authorization.substr(kScheme.size());
}

Outcome<Principal> admitted(Result<Principal> found) {
    if (found) return std::move(*found);
    if (found.error().code == Errc::unauthenticated) return refuse(401, std::string(kSignIn));
    return tl::unexpected<Problem>(found.error());
}

bool role_gives(const Principal& principal, std::string_view scope) {
    return identity::grants(principal.role, principal.user.administrator, scope);
}

Outcome<void> check_csrf(const Principal& principal, const Request& request) {
    if (!same_secret(request.header("X-CSRF-Token").value_or(""), principal.csrf))
        return refuse(403, "Send the session's csrf_token as X-CSRF-Token.");
    return check_origin(request);
}

}  // namespace

std::string_view session_cookie_name(bool secure) {
    return secure ? "__Host-plimsoll" : "plimsoll_session";
}

std::string_view sign_in_cookie_name(bool secure) {
    return secure ? "__Host-plimsoll-sign-in" : "plimsoll_sign_in";
}

std::string_view sign_out_cookie_name(bool secure) {
    return secure ? "__Host-plimsoll-sign-out" : "plimsoll_sign_out";
}

std::string session_cookie(std::string_view secret, std::chrono::seconds lifetime, bool secure) {
    return cookie(session_cookie_name(secure), secret, "Lax", lifetime, secure);
}

std::string expired_session_cookie(bool secure) {
    return session_cookie("", std::chrono::seconds(0), secure);
}

// Only our own page sends it: the provider's redirect needs no cookie.
std::string sign_in_cookie(std::string_view secret, std::chrono::seconds lifetime, bool secure) {
    return cookie(sign_in_cookie_name(secure), secret, "Strict", lifetime, secure);
}

std::string expired_sign_in_cookie(bool secure) {
    return sign_in_cookie("", std::chrono::seconds(0), secure);
}

std::string sign_out_cookie(std::string_view id_token, std::chrono::seconds lifetime, bool secure) {
    // Browsers drop a cookie of more than 4096 bytes. Without the token, the provider asks.
    constexpr std::size_t kMaxToken = 3800;
    return cookie(sign_out_cookie_name(secure), id_token.size() > kMaxToken ? "-" : id_token,
                  "Strict", lifetime, secure);
}

std::string expired_sign_out_cookie(bool secure) {
    return sign_out_cookie("", std::chrono::seconds(0), secure);
}

Outcome<void> check_origin(const Request& request) {
    const auto origin = request.header("Origin");
    if (!origin) return {};
    const auto host = request.header("Host").value_or("");
    const auto scheme_end = origin->find("://");
    // A page of this name without TLS can be anybody's.
    const bool downgraded = request.secure && origin->starts_with("http:");
    if (scheme_end != std::string_view::npos && !downgraded &&
        same_token(origin->substr(scheme_end + 3), host)) {
        return {};
    }
    return refuse(403, "Cross-site requests are not allowed.");
}

Outcome<Credential> read_credential(const Request& request) {
    const auto authorization = request.header("Authorization");
    const auto kind = authorization ? SecretKind::token : SecretKind::session;
    const auto secret = authorization ? bearer(*authorization)
                                      : request.cookie(session_cookie_name(request.secure));
    auto hash = secret ? identity::hash_secret(kind, *secret) : std::nullopt;
    if (!hash) return refuse(401, std::string(kSignIn));
    return Credential{kind, std::move(*hash)};
}

awaitable<Outcome<Principal>> authenticate(identity::IdentityStore& store, const Request& request,
                                           Credential credential) {
    if (credential.kind == SecretKind::token)
        co_return admitted(co_await store.by_token(std::move(credential.hash)));
    auto principal = admitted(co_await store.by_session(std::move(credential.hash)));
    if (principal && changes_something(request.method)) {
        CO_TRY_DO(check_csrf(*principal, request));
    }
    co_return principal;
}

bool has_scope(const Principal& principal, std::string_view scope) {
    return role_gives(principal, scope) && (!principal.token || principal.scopes.contains(scope));
}

std::set<std::string, std::less<>> scopes_of(const Principal& principal) {
    std::set<std::string, std::less<>> scopes;
    for (const auto scope : identity::kScopes)
        if (has_scope(principal, scope)) scopes.emplace(scope);
    return scopes;
}

bool has_all_scopes(const Principal& principal) {
    return std::ranges::all_of(identity::kScopes, [&](std::string_view scope) {
        return !role_gives(principal, scope) || has_scope(principal, scope);
    });
}

Outcome<void> require_scope(const Principal& principal, std::string_view scope) {
    if (scope.empty() || has_scope(principal, scope)) return {};
    return refuse(403, "This operation needs the scope " + std::string(scope) + ".");
}

}  // namespace plimsoll::http
