#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>

// What each role may do. Nothing else decides it: an operation of openapi.yaml names a scope
// (x-scope), and this table says who has it. The page web/src/routes/docs/topics/roles.md shows the
// same for people.

namespace plimsoll::identity {

// A member's role in a team; each role includes the rights of the ones before it.
enum class Role { viewer, member, admin, owner };

std::string_view to_string(Role role);
std::optional<Role> parse_role(std::string_view text);

// The scopes a token may have. A role grants some of them (server/http/access/authentication).
inline constexpr std::array<std::string_view, 5> kScopes = {
    "jobs:read", "reports:read", "jobs:write", "team:admin", "sys:admin"};

struct User {
    UserId id;
    std::string name;
    std::string email;           // may be empty
    bool administrator = false;  // manages the whole installation: users, teams, devices
    bool disabled = false;
    Timestamp created_at;
    bool service = false;  // a team's service account: uses tokens, never signs in
};

// A user as system admins see it.
struct Account {
    User user;
    bool email_verified = false;  // by a system admin or a provider; else the user only named it
    bool second_factor = false;
    bool provided = false;  // has signed in with an identity provider
};

// Changes to a user; omitted members are unchanged.
struct UserChange {
    std::optional<std::string> name;
    std::optional<std::string> email;  // empty: none
    std::optional<bool> administrator;
    std::optional<bool> disabled;  // ends tokens, sessions and links; they work again afterwards
};

struct Team {
    TeamId id;
    std::string name;
    Timestamp created_at;
    bool archived = false;  // nobody can act in it, and its schedules do not run
};

// Changes to a team; omitted members are unchanged.
struct TeamChange {
    std::optional<std::string> name;
    std::optional<bool> archived;
};

// A user's place in a team.
struct Membership {
    Team team;
    Role role = Role::member;
};

struct Member {
    User user;
    Role role = Role::member;
};

// Service accounts that a team may have.
inline constexpr int kServiceAccountsPerTeam = 50;

struct ServiceAccountChange {
    std::optional<std::string> name;
    std::optional<Role> role;
    std::optional<bool> disabled;
};

// A browser, or a program with a cookie, that is signed in.
struct Session {
    SessionId id;
    UserId user;
    std::string user_name;
    Team team;            // its current team
    std::string address;  // where it signed in; empty: unknown
    std::string agent;    // the client's user agent; may be empty
    Timestamp created_at;
    std::optional<Timestamp> last_used_at;  // to the minute
    Timestamp expires_at;
};

// The authenticated caller and its team; every request under /v1 has one.
struct Principal {
    User user;
    Team team;
    Role role = Role::viewer;
    std::set<std::string, std::less<>>
        scopes;  // of a token; empty for a session: all its role allows
    std::optional<TokenId> token;
    std::optional<SessionId> session;
    // Expiry of the token, or of the token that opened the session: tokens made with it expire no
    // later.
    std::optional<Timestamp> expires_at;
    std::string csrf;  // of a session: the CSRF token that writes must present
};

struct Token {
    TokenId id;
    UserId user;
    std::string user_name;
    std::string name;
    std::string hint;  // the secret's first characters, for people to tell tokens apart
    std::set<std::string, std::less<>> scopes;
    Timestamp created_at;
    std::optional<Timestamp> expires_at;
    std::optional<Timestamp> last_used_at;
};

// What a token is created with: a token, or a session that a token may have opened. It is revoked
// together with that token. Neither: created by a sign-in or by the installation's own commands.
struct TokenOrigin {
    std::optional<TokenId> token;
    std::optional<SessionId> session;
};

// Tokens that one user may have in a team at a time; expired and revoked ones do not count.
inline constexpr int kTokensPerUser = 100;

// Who has a scope: members of the team with at least this role, and perhaps system admins, who need
// no role for it.
struct ScopeRule {
    std::string_view scope;
    std::optional<Role> min;  // none: no role in a team is enough
    bool system_admin = false;
};

inline constexpr std::array<ScopeRule, kScopes.size()> kScopeRules = {{
    {"jobs:read", Role::viewer, false},
    {"reports:read", Role::viewer, false},
    {"jobs:write", Role::member, false},
    {"team:admin", Role::admin, true},
    {"sys:admin", std::nullopt, true},
}};

// Whether a member with this role, or a system admin with it, has the scope.
constexpr bool grants(Role role, bool system_admin, std::string_view scope) {
    for (const auto& rule : kScopeRules) {
        if (rule.scope != scope) continue;
        return (rule.min && role >= *rule.min) || (rule.system_admin && system_admin);
    }
    return false;
}

// Whether a team admin with this role, or a system admin, may give or take the role `other`.
constexpr bool may_appoint(Role role, bool system_admin, Role other) {
    return other < Role::owner || role == Role::owner || system_admin;
}

}  // namespace plimsoll::identity
