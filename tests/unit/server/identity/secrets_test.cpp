#include "server/identity/identity.hpp"
#include "server/identity/secret.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::identity {
namespace {

std::vector<std::string_view> granted(Role role, bool system_admin) {
    std::vector<std::string_view> scopes;
    for (const auto scope : kScopes)
        if (grants(role, system_admin, scope)) scopes.push_back(scope);
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
    for (const auto scope : kScopes)
        EXPECT_EQ(std::ranges::count(kScopeRules, scope, &ScopeRule::scope), 1) << scope;
    EXPECT_FALSE(grants(Role::owner, true, "jobs:delete"));
}

TEST(Roles, OwnersAreAppointedByOwnersAndSystemAdmins) {
    EXPECT_FALSE(may_appoint(Role::admin, false, Role::owner));
    EXPECT_TRUE(may_appoint(Role::owner, false, Role::owner));
    EXPECT_TRUE(may_appoint(Role::viewer, true, Role::owner));
    EXPECT_TRUE(may_appoint(Role::admin, false, Role::admin));
}

const std::string kKey(kSealKeyBytes, 'k');

TEST(Seal, IsOpenedWhereItWasMade) {
    for (const std::string text : {"", "job_0d7k", "a longer text, with \n and \xff in it"}) {
        const auto sealed = seal(kKey, "listJobs team_1", text);
        EXPECT_EQ(sealed.find_first_of("+/= "), std::string::npos);
        EXPECT_EQ(unseal(kKey, "listJobs team_1", sealed), text);
        EXPECT_FALSE(unseal(kKey, "listJobs team_2", sealed));
        EXPECT_FALSE(unseal(std::string(kSealKeyBytes, 'l'), "listJobs team_1", sealed));
    }
}

TEST(Seal, TextAndContextAreNotInterchangeable) {
    EXPECT_FALSE(unseal(kKey, "ab", seal(kKey, "a", "bc")));
    EXPECT_FALSE(unseal(kKey, "a", seal(kKey, "ab", "c")));
}

TEST(Seal, AChangedSealIsRefused) {
    const auto sealed = seal(kKey, "c", "job_0d7k");
    for (std::size_t i = 0; i < sealed.size(); ++i) {
        for (int change = 1; change < 256; ++change) {
            auto wrong = sealed;
            wrong[i] = static_cast<char>(wrong[i] ^ change);
            EXPECT_FALSE(unseal(kKey, "c", wrong)) << i << ' ' << change;
        }
        EXPECT_FALSE(unseal(kKey, "c", sealed.substr(0, i))) << i;
    }
    EXPECT_FALSE(unseal(kKey, "c", "no base 64!"));
}

TEST(Secret, IsHashedTheSameWhenItComesBack) {
    for (const auto kind : {SecretKind::token, SecretKind::sign_in, SecretKind::session}) {
        const auto secret = make_secret(kind);
        EXPECT_EQ(secret.hash.size(), 32U);
        EXPECT_EQ(hash_secret(kind, secret.text), secret.hash);
    }
}

TEST(Secret, OfAnotherKindIsRefused) {
    EXPECT_FALSE(hash_secret(SecretKind::session, make_secret(SecretKind::token).text));
}

TEST(Secret, ThatWasMistypedOrCutIsRefusedWithoutTheDatabase) {
    const auto text = make_secret(SecretKind::token).text;
    EXPECT_FALSE(hash_secret(SecretKind::token, text.substr(0, text.size() - 1)));
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto wrong = text;
        wrong[i] = wrong[i] == 'x' ? 'y' : 'x';
        EXPECT_FALSE(hash_secret(SecretKind::token, wrong)) << i;
    }
}

TEST(Secret, IsNeverTheSameTwice) {
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i)
        EXPECT_TRUE(seen.insert(make_secret(SecretKind::token).text).second);
}

TEST(Nonce, Is22UrlSafeCharacters) {
    const auto nonce = make_nonce();
    EXPECT_EQ(nonce.size(), 22U);
    EXPECT_EQ(nonce.find_first_of("+/="), std::string::npos);
    EXPECT_NE(nonce, make_nonce());
}

}  // namespace

}  // namespace plimsoll::identity
