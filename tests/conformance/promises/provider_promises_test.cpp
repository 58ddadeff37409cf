// Users who come with an identity provider, and the teams that their groups give them.
#include "tests/conformance/store_test.hpp"

#include <map>
#include <string>
#include <vector>

namespace plimsoll::conformance {
namespace {

using identity::MappedTeam;
using identity::ProvidedUser;
using identity::Role;

constexpr const char* kCsrf = "a csrf value of its own";

class ProviderPromises : public StoreTest {
  protected:
    ProviderPromises() : author_{people_.team, people_.user, "request-1"} {
        team_ = must(people().create_team(author_, kind_ + " team")).name;
    }

    identity::ProviderStore& store() { return stores_.providers; }
    identity::IdentityStore& people() { return stores_.identity; }

    // Of this test alone.
    ProvidedUser somebody(const std::string& subject,
                          std::optional<Role> role = Role::member) const {
        ProvidedUser user;
        user.issuer = "https://" + kind_;
        user.subject = subject;
        user.names = {kind_ + ' ' + subject};
        user.create = true;
        user.teams = {{team_, role}};
        return user;
    }
    identity::ProvidedSignIn sign_in(const ProvidedUser& user) {
        return must(store().sign_in(user, "request-2"));
    }
    std::optional<Errc> refusal(const ProvidedUser& user) {
        return code(store().sign_in(user, "request-2"));
    }
    std::map<std::string, Role> roles(UserId user) {
        std::map<std::string, Role> found;
        for (const auto& [team, role] : must(people().memberships(user))) found[team.name] = role;
        return found;
    }
    std::optional<identity::Account> account(UserId id) {
        for (const auto& one : must(people().users()))
            if (one.user.id == id) return one;
        return std::nullopt;
    }
    std::string state(char fill) const {
        std::string text(32, fill);
        const auto team = std::to_string(people_.team.value);
        return text.replace(0, team.size(), team);
    }

    Author author_;
    std::string team_;
};

TEST_F(ProviderPromises, AStateIsUsedOnce) {
    EXPECT_TRUE(must(store().spend_state(state('a'), in(kLong))));
    EXPECT_FALSE(must(store().spend_state(state('a'), in(kLong))));
    EXPECT_TRUE(must(store().spend_state(state('b'), in(kLong))));
}

TEST_F(ProviderPromises, TheFirstSignInCreatesAUserAndTheNextFindsIt) {
    auto ada = somebody("ada");
    ada.email = kind_ + "@Example.com";
    const auto first = sign_in(ada);
    const auto made = account(first.user).value();
    EXPECT_EQ(made.user.name, kind_ + " ada");
    EXPECT_NE(made.user.email, "");
    EXPECT_TRUE(made.provided);
    EXPECT_FALSE(account(people_.user)->provided);
    EXPECT_EQ(roles(first.user), (std::map<std::string, Role>{{team_, Role::member}}));
    ada.names = {"another name"};
    ada.email = "";
    ada.create = false;
    const auto again = sign_in(ada);
    EXPECT_EQ(again.user, first.user);
    EXPECT_EQ(again.team, first.team);
    EXPECT_EQ(account(first.user)->user.name, kind_ + " ada");
}

TEST_F(ProviderPromises, GroupsMakeSystemAdminsAndTheLastOneStays) {
    auto ada = somebody("ada");
    EXPECT_FALSE(account(sign_in(ada).user)->user.administrator);
    ada.admin = true;
    const auto made = sign_in(ada);
    EXPECT_TRUE(account(made.user)->user.administrator);
    EXPECT_FALSE(made.last_admin);
    ada.admin = std::nullopt;
    EXPECT_TRUE(account(sign_in(ada).user)->user.administrator) << "groups do not decide";
    std::vector<UserId> others;
    for (const auto& one : must(people().users()))
        if (one.user.administrator && one.user.id != made.user) others.push_back(one.user.id);
    const auto administrators = [&](bool yes) {
        identity::UserChange change;
        change.administrator = yes;
        for (const auto other : others) must(people().update_user(author_, other, change));
    };
    ada.admin = false;
    administrators(false);
    const auto last = sign_in(ada);
    EXPECT_TRUE(last.last_admin);
    EXPECT_TRUE(account(made.user)->user.administrator);
    administrators(true);
    if (!others.empty()) {
        EXPECT_FALSE(sign_in(ada).last_admin);
        EXPECT_FALSE(account(made.user)->user.administrator);
    }
}

TEST_F(ProviderPromises, AnIdentityIsUnlinked) {
    auto ada = somebody("ada");
    const auto [user, place] = std::pair(sign_in(ada).user, sign_in(ada).team);
    const auto found = must(store().identities(user));
    ASSERT_EQ(found.size(), 1U);
    const auto& one = found.front();
    EXPECT_EQ(one.issuer, ada.issuer);
    EXPECT_EQ(one.subject, ada.subject);
    EXPECT_LE(one.created_at, one.last_used_at);
    EXPECT_TRUE(must(store().identities(people_.user)).empty());
    EXPECT_EQ(code(store().unlink(author_, people_.user, one.id)), Errc::not_found);
    EXPECT_TRUE(account(user)->provided);
    must(people().create_session({user, place, {}, {}, {}}, state('s'), kCsrf, in(kLong)));
    must(store().unlink(author_, user, one.id));
    EXPECT_EQ(code(people().by_session(state('s'))), Errc::unauthenticated);
    EXPECT_EQ(code(store().unlink(author_, user, one.id)), Errc::not_found);
    EXPECT_FALSE(account(user)->provided);
    ada.create = false;
    EXPECT_EQ(refusal(ada), Errc::not_found);
}

TEST_F(ProviderPromises, SubjectsBelongToTheirIssuer) {
    auto ada = somebody("ada");
    const auto first = sign_in(ada);
    ada.issuer += ".evil.example";
    EXPECT_EQ(refusal(ada), Errc::conflict) << "the name is taken";
    ada.names.push_back(kind_ + " another");
    EXPECT_NE(sign_in(ada).user, first.user);
}

TEST_F(ProviderPromises, UsersAreCreatedOnlyIfConfigured) {
    auto eve = somebody("eve");
    eve.create = false;
    EXPECT_EQ(refusal(eve), Errc::not_found);
    EXPECT_EQ(refusal(somebody("eve", std::nullopt)), Errc::forbidden) << "in no team";
    const auto count = must(people().users()).size();
    auto lost = somebody("eve");
    lost.teams = {{kind_ + " of nobody", Role::member}};
    EXPECT_EQ(refusal(lost), Errc::forbidden);
    EXPECT_EQ(must(people().users()).size(), count);
}

TEST_F(ProviderPromises, TheFirstFreeNameIsTaken) {
    auto ada = somebody("ada");
    ada.names = {kind_, kind_ + " second", kind_ + " third"};
    EXPECT_EQ(account(sign_in(ada).user)->user.name, kind_ + " second");
    auto other = somebody("other");
    other.names = {kind_, kind_ + " second"};
    EXPECT_EQ(refusal(other), Errc::conflict);
}

TEST_F(ProviderPromises, AddressesLinkUsersOnlyIfConfigured) {
    const auto mia =
        must(people().create_user(author_, kind_ + " mia", kind_ + "@example.com", false));
    auto other = somebody("mia");
    other.names = {kind_ + " somebody"};
    other.email = kind_ + "@EXAMPLE.com";
    EXPECT_EQ(refusal(other), Errc::conflict);
    other.link = true;
    EXPECT_EQ(sign_in(other).user, mia.id);
    other.link = false;
    EXPECT_EQ(sign_in(other).user, mia.id) << "known by the subject";
    auto nobody = somebody("nobody");
    nobody.link = true;
    nobody.create = false;
    EXPECT_EQ(refusal(nobody), Errc::not_found) << "no address is not an address";
}

// Anybody can name an address: who does must not get the account of its owner.
TEST_F(ProviderPromises, AnAddressThatNobodyVerifiedLinksNobodyAndIsNotTaken) {
    const auto address = kind_ + "@example.com";
    must(stores_.invitations.create(author_, {Role::viewer, "", state('i'), in(kLong)}));
    const auto newcomer =
        must(stores_.invitations.accept(state('i'), {.name = kind_ + " eve", .email = address},
                                        "request-3"))
            .user;
    EXPECT_FALSE(account(newcomer)->email_verified);
    auto victim = somebody("victim");
    victim.email = address;
    victim.link = true;
    const auto signed_in = sign_in(victim).user;
    EXPECT_NE(signed_in, newcomer);
    EXPECT_TRUE(account(signed_in)->email_verified);
    const auto mia = must(people().create_user(author_, kind_ + " mia", "", false)).id;
    identity::UserChange change;
    change.email = address;
    EXPECT_EQ(code(people().update_user(author_, mia, change)), Errc::conflict);
}

TEST_F(ProviderPromises, TheFirstLinkEndsWhatWasMadeBefore) {
    const auto mia =
        must(people().create_user(author_, kind_ + " mia", kind_ + "@example.com", false)).id;
    must(people().set_member(author_, people_.team, mia, Role::member));
    const auto open = [&](char session, char token) {
        must(people().create_session({mia, people_.team, {}, {}, {}}, state(session), kCsrf,
                                     in(kLong)));
        identity::Token made;
        made.user = mia;
        made.name = "build";
        made.scopes = {"jobs:read"};
        must(people().create_token(author_, made, state(token), {}));
    };
    open('s', 't');
    auto linked = somebody("mia");
    linked.email = kind_ + "@example.com";
    linked.link = true;
    EXPECT_EQ(sign_in(linked).user, mia);
    EXPECT_EQ(code(people().by_session(state('s'))), Errc::unauthenticated);
    EXPECT_EQ(code(people().by_token(state('t'))), Errc::unauthenticated);
    open('u', 'v');
    sign_in(linked);
    EXPECT_FALSE(code(people().by_session(state('u'))));
    EXPECT_FALSE(code(people().by_token(state('v'))));
}

TEST_F(ProviderPromises, DisabledAndRemovedUsersStayOut) {
    const auto ivy = sign_in(somebody("ivy")).user;
    must(people().update_user(author_, ivy,
                              {.name = {}, .email = {}, .administrator = {}, .disabled = true}));
    EXPECT_EQ(refusal(somebody("ivy")), Errc::forbidden);
    must(people().remove_user(author_, ivy));
    auto again = somebody("ivy");
    again.create = false;
    EXPECT_EQ(refusal(again), Errc::not_found) << "the subject is forgotten";
    EXPECT_NE(sign_in(somebody("ivy")).user, ivy);
}

TEST_F(ProviderPromises, RolesFollowTheMapping) {
    const auto second = must(people().create_team(author_, kind_ + " second"));
    auto grace = somebody("grace", Role::admin);
    grace.teams.push_back({second.name, Role::viewer});
    const auto id = sign_in(grace).user;
    must(people().set_member(author_, people_.team, id, Role::member));
    const std::map<std::string, Role> all = {
        {team_, Role::admin}, {second.name, Role::viewer}, {kind_, Role::member}};
    EXPECT_EQ(roles(id), all);
    grace.teams = {
        {team_, std::nullopt}, {second.name, Role::member}, {"no such team", Role::owner}};
    const auto signed_in = sign_in(grace);
    EXPECT_EQ(roles(id),
              (std::map<std::string, Role>{{second.name, Role::member}, {kind_, Role::member}}))
        << "what the mapping does not name stays";
    EXPECT_EQ(signed_in.unknown_teams, std::vector<std::string>{"no such team"});
    EXPECT_TRUE(signed_in.ownerless_teams.empty());
}

TEST_F(ProviderPromises, AUserWhoWouldBeInNoTeamKeepsTheOldOnes) {
    const auto id = sign_in(somebody("grace")).user;
    EXPECT_EQ(refusal(somebody("grace", std::nullopt)), Errc::forbidden);
    EXPECT_EQ(roles(id), (std::map<std::string, Role>{{team_, Role::member}}));
}

TEST_F(ProviderPromises, ATeamKeepsItsLastOwner) {
    auto olga = somebody("olga", Role::owner);
    const auto second = must(people().create_team(author_, kind_ + " second"));
    olga.teams.push_back({second.name, Role::member});
    const auto signed_in = sign_in(olga);
    const auto id = signed_in.user;
    auto owned = must(people().memberships(id));
    TeamId team{};
    for (const auto& one : owned)
        if (one.team.name == team_) team = one.team.id;
    must(people().remove_member(author_, team, people_.user));
    for (const auto role : {std::optional<Role>(), std::optional(Role::viewer)}) {
        olga.teams = {{team_, role}, {second.name, Role::admin}};
        EXPECT_EQ(sign_in(olga).ownerless_teams, std::vector<std::string>{team_});
        EXPECT_EQ(roles(id),
                  (std::map<std::string, Role>{{team_, Role::owner}, {second.name, Role::admin}}));
    }
}

TEST_F(ProviderPromises, TheUserReturnsToTheTeamOfTheLastSession) {
    const auto second = must(people().create_team(author_, kind_ + " second"));
    auto ada = somebody("ada");
    ada.teams.push_back({second.name, Role::viewer});
    const auto first = sign_in(ada);
    EXPECT_NE(first.team, second.id);
    must(people().create_session({first.user, second.id, {}, {}, {}}, state('s'),
                                 "a csrf value of its own", in(kLong)));
    EXPECT_EQ(sign_in(ada).team, second.id);
}

// What a removed role ends is ended at once.
TEST_F(ProviderPromises, ASessionInALostTeamEnds) {
    const auto second = must(people().create_team(author_, kind_ + " second"));
    auto ada = somebody("ada");
    ada.teams.push_back({second.name, Role::viewer});
    const auto id = sign_in(ada).user;
    must(people().create_session({id, second.id, {}, {}, {}}, state('s'), "a csrf value of its own",
                                 in(kLong)));
    EXPECT_EQ(must(people().by_session(state('s'))).role, Role::viewer);
    ada.teams = {{team_, Role::member}, {second.name, Role::member}};
    sign_in(ada);
    EXPECT_EQ(must(people().by_session(state('s'))).role, Role::member);
    ada.teams = {{team_, Role::member}, {second.name, std::nullopt}};
    sign_in(ada);
    EXPECT_EQ(code(people().by_session(state('s'))), Errc::unauthenticated);
}

}  // namespace
}  // namespace plimsoll::conformance
