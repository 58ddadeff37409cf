#pragma once

#include "server/http/messages/problem.hpp"
#include "server/identity/secret.hpp"
#include "server/identity/store.hpp"

#include <chrono>
#include <set>
#include <string>
#include <string_view>

// Authentication and authorization of callers.

namespace plimsoll::http {

// Browsers accept a __Host- cookie only over TLS and drop it silently otherwise, so plain HTTP uses
// another name.
std::string_view session_cookie_name(bool secure);
// Of a sign-in at the identity provider.
std::string_view sign_in_cookie_name(bool secure);
// Of a session at the identity provider that ends with the one here.
std::string_view sign_out_cookie_name(bool secure);

// Values of Set-Cookie.
std::string session_cookie(std::string_view secret, std::chrono::seconds lifetime, bool secure);
std::string expired_session_cookie(bool secure);
std::string sign_in_cookie(std::string_view secret, std::chrono::seconds lifetime, bool secure);
std::string expired_sign_in_cookie(bool secure);
std::string sign_out_cookie(std::string_view id_token, std::chrono::seconds lifetime, bool secure);
std::string expired_sign_out_cookie(bool secure);

// The credential in a request: a token or a session, not yet looked up.
struct Credential {
    identity::SecretKind kind;
    std::string hash;
};

// Reads the credential from `Authorization: Bearer`, or else from the session cookie. 401 without a
// well-formed one.
Outcome<Credential> read_credential(const Request& request);

// Looks up the credential's owner. 401 if it is unknown; 403 if a session makes a change without
// its CSRF token.
awaitable<Outcome<identity::Principal>> authenticate(identity::IdentityStore& store,
                                                     const Request& request, Credential credential);

// 403 for a cross-site browser request. Programs send no Origin header and pass.
Outcome<void> check_origin(const Request& request);

// Whether the principal has the scope: its role grants it and its token, if any, includes it.
bool has_scope(const identity::Principal& principal, std::string_view scope);

// All scopes of the principal.
std::set<std::string, std::less<>> scopes_of(const identity::Principal& principal);

// Whether the principal is a session, or a token with all that its user's role allows.
bool has_all_scopes(const identity::Principal& principal);

// 403 that names the missing scope.
Outcome<void> require_scope(const identity::Principal& principal, std::string_view scope);

}  // namespace plimsoll::http
