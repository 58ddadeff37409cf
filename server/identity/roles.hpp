#pragma once

#include "server/identity/identity.hpp"

#include <array>
#include <optional>
#include <string_view>

// What each role may do. Nothing else decides it: an operation of openapi.yaml names a scope
// (x-scope), and this table says who has it. The page web/src/routes/docs/topics/roles.md shows the
// same for people.
namespace plimsoll::identity {

// Who has a scope: members of the team with at least this role, and perhaps system admins, who need
// no role for it.
struct ScopeRule {
    std::string_view scope;
    std::optional<Role> least;  // none: no role in a team is enough
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
        return (rule.least && role >= *rule.least) || (rule.system_admin && system_admin);
    }
    return false;
}

// Whether a team admin with this role, or a system admin, may give or take the role `other`.
constexpr bool may_appoint(Role role, bool system_admin, Role other) {
    return other < Role::owner || role == Role::owner || system_admin;
}

}  // namespace plimsoll::identity
