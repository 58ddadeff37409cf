#pragma once

#include "server/http/messages/problem.hpp"
#include "server/identity/secret.hpp"
#include "server/identity/store.hpp"

#include <set>
#include <string>
#include <string_view>

// Authentication and authorization of callers.
namespace plimsoll::http {

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
boost::asio::awaitable<Outcome<identity::Principal>> authenticate(identity::IdentityStore& store,
                                                                  const Request& request,
                                                                  Credential credential);

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
