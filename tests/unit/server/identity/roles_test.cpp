#include "server/identity/roles.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::identity {
namespace {

std::vector<std::string_view> granted(Role role, bool system_admin) {
    std::vector<std::string_view> scopes;
    for (const auto scope : kScopes) {
        if (grants(role, system_admin, scope)) scopes.push_back(scope);
    }
    return scopes;
}

using Scopes = std::vector<std::string_view>;

TEST(Roles, EachIncludesTheOnesBeforeIt) {
    EXPECT_EQ(granted(Role::viewer, false), (Scopes{"jobs:read", "reports:read"}));
    EXPECT_EQ(granted(Role::member, false), (Scopes{"jobs:read", "reports:read", "jobs:write"}));
    const Scopes admin = {"jobs:read", "reports:read", "jobs:write", "team:admin"};
    EXPECT_EQ(granted(Role::admin, false), admin);
    EXPECT_EQ(granted(Role::owner, false), admin);
}

TEST(Roles, ASystemAdminManagesTeamsButSubmitsByRole) {
    EXPECT_EQ(granted(Role::viewer, true),
              (Scopes{"jobs:read", "reports:read", "team:admin", "sys:admin"}));
    EXPECT_EQ(granted(Role::owner, true).size(), kScopes.size());
}

TEST(Roles, EveryScopeHasOneRule) {
    for (const auto scope : kScopes) {
        EXPECT_EQ(std::ranges::count(kScopeRules, scope, &ScopeRule::scope), 1) << scope;
    }
    EXPECT_FALSE(grants(Role::owner, true, "jobs:delete"));
}

TEST(Roles, OwnersAreAppointedByOwnersAndSystemAdmins) {
    EXPECT_FALSE(may_appoint(Role::admin, false, Role::owner));
    EXPECT_TRUE(may_appoint(Role::owner, false, Role::owner));
    EXPECT_TRUE(may_appoint(Role::viewer, true, Role::owner));
    EXPECT_TRUE(may_appoint(Role::admin, false, Role::admin));
}

}  // namespace
}  // namespace plimsoll::identity
