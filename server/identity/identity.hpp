#pragma once

#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::identity {

// What a member may do in a team; each role may do all that the ones before it may.
enum class Role { viewer, member, admin, owner };

std::string_view to_string(Role role);
std::optional<Role> parse_role(std::string_view text);

// What a token may be made for. A role allows some of them (server/http/authentication).
inline constexpr std::array<std::string_view, 5> kScopes = {
    "jobs:read", "reports:read", "jobs:write", "team:admin", "sys:admin"};

struct User {
    UserId id;
    std::string name;
    std::string email;           // may be empty
    bool administrator = false;  // of the whole installation: users, teams, devices
    bool disabled = false;
    Timestamp created_at;
};

struct Team {
    TeamId id;
    std::string name;
    Timestamp created_at;
};

struct Member {
    User user;
    Role role = Role::member;
};

// Who is asking, in which team: every request under /v1 has one.
struct Principal {
    User user;
    Team team;
    Role role = Role::viewer;
    std::set<std::string, std::less<>>
        scopes;  // of a token; empty for a session: all its role allows
    std::optional<TokenId> token;
    std::optional<SessionId> session;
    // Of the token, or of the token that the session was opened with: nothing it makes outlives it.
    std::optional<Timestamp> expires_at;
    std::string csrf;  // of a session: what writes must show
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

}  // namespace plimsoll::identity
