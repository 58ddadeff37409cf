#pragma once

#include "server/http/messages/problem.hpp"
#include "server/identity/secret.hpp"
#include "server/identity/store.hpp"

#include <set>
#include <string>
#include <string_view>

// Who is asking, and whether they may.
namespace plimsoll::http {

// What a request shows: a token or a session, not yet looked up.
struct Credential {
    identity::SecretKind kind;
    std::string hash;
};

// From `Authorization: Bearer`, or else from the session cookie. 401 without a well-formed one.
Outcome<Credential> shown_credential(const Request& request);

// Whose it is. 401 when it is nobody's; 403 when a session changes something and does not show its
// CSRF token.
boost::asio::awaitable<Outcome<identity::Principal>> authenticate(identity::IdentityStore& store,
                                                                  const Request& request,
                                                                  Credential credential);

// 403 for a request that a browser sends on behalf of another site. Requests of programs carry no
// Origin and pass.
Outcome<void> check_origin(const Request& request);

// Whether the principal may do this: the role allows it, and the token names it if there is one.
bool has_scope(const identity::Principal& principal, std::string_view scope);

// All that the principal may do.
std::set<std::string, std::less<>> scopes_of(const identity::Principal& principal);

// 403 that names the missing scope.
Outcome<void> require_scope(const identity::Principal& principal, std::string_view scope);

}  // namespace plimsoll::http
