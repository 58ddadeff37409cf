// People, teams, and the tokens, links and sessions that they sign in with.
#include "tests/conformance/store_test.hpp"

#include <string>

namespace plimsoll::conformance {
namespace {

using identity::Role;

class IdentityPromises : public StoreTest {
  protected:
    IdentityPromises() : author_{people_.team, people_.user, "request-1"} {}

    identity::IdentityStore& store() { return stores_.identity; }

    // A hash that no other test uses.
    std::string own_hash(char fill) const {
        std::string text(32, fill);
        const auto team = std::to_string(people_.team.value);
        return text.replace(0, team.size(), team);
    }
    identity::Token token_of(UserId user, std::optional<Timestamp> expires_at = {}) const {
        identity::Token token;
        token.user = user;
        token.name = "a token";
        token.hint = "plm_t_ab";
        token.scopes = {"jobs:read", "jobs:write"};
        token.expires_at = expires_at;
        return token;
    }
    identity::Token make_token(char fill, std::optional<Timestamp> expires_at = {}) {
        return must(
            store().create_token(author_, token_of(people_.user, expires_at), own_hash(fill), {}));
    }
    identity::User make_user(const std::string& name) {
        return must(store().create_user(author_, kind_ + name, "", false));
    }
    SessionId make_session(char fill, std::chrono::seconds time, std::optional<TokenId> token) {
        return must(store().create_session({people_.user, people_.team, token}, own_hash(fill),
                                           "a csrf value of its own", in(time)));
    }
    void make_link(char fill, std::chrono::seconds time) {
        must(store().create_sign_in_link(author_, people_.user, people_.team, own_hash(fill),
                                         in(time)));
    }

    Author author_;
};

constexpr std::chrono::hours kHour{1};
constexpr std::chrono::seconds kPast{-1};

TEST_F(IdentityPromises, ATokenIdentifiesItsUser) {
    const auto token = make_token('t');
    EXPECT_EQ(token.user_name, kind_);
    const auto principal = must(store().by_token(own_hash('t')));
    EXPECT_EQ(principal.user.id, people_.user);
    EXPECT_EQ(principal.user.name, kind_);
    EXPECT_EQ(principal.team.id, people_.team);
    EXPECT_EQ(principal.team.name, kind_);
    EXPECT_EQ(principal.role, Role::owner);
    EXPECT_EQ(principal.token, token.id);
    EXPECT_FALSE(principal.session);
    EXPECT_EQ(principal.scopes.size(), 2u);
    const auto second = make_token('2').id;
    const auto listed = must(store().tokens(people_.team, people_.user));
    ASSERT_EQ(listed.size(), 2u);
    EXPECT_EQ(listed[0].id, token.id);
    EXPECT_EQ(listed[0].hint, "plm_t_ab");
    EXPECT_EQ(listed[0].user_name, kind_);
    EXPECT_TRUE(listed[0].last_used_at);
    EXPECT_EQ(listed[1].id, second);
    EXPECT_FALSE(listed[1].last_used_at);
}

TEST_F(IdentityPromises, AnUnknownExpiredOrRevokedTokenIsRejected) {
    EXPECT_EQ(code(store().by_token(own_hash('?'))), Errc::unauthenticated);
    make_token('e', in(kPast));
    EXPECT_EQ(code(store().by_token(own_hash('e'))), Errc::unauthenticated);
    const auto token = make_token('r');
    must(store().by_token(own_hash('r')));
    must(store().revoke_token(author_, token.id));
    EXPECT_EQ(code(store().by_token(own_hash('r'))), Errc::unauthenticated);
    EXPECT_EQ(code(store().revoke_token(author_, token.id)), Errc::not_found);
}

TEST_F(IdentityPromises, TokensCreatedWithATokenAreRevokedWithIt) {
    const auto make = [&](char fill, identity::TokenOrigin origin) {
        return must(store().create_token(author_, token_of(people_.user), own_hash(fill), origin));
    };
    const auto parent = make('p', {});
    const auto session = make_session('s', kHour, parent.id);
    const auto child = make('c', {.token = parent.id, .session = {}});
    make('g', {.token = child.id, .session = {}});
    make('i', {.token = {}, .session = session});
    make('u', {});
    must(store().revoke_token(author_, parent.id));
    for (const char fill : {'p', 'c', 'g', 'i'})
        EXPECT_EQ(code(store().by_token(own_hash(fill))), Errc::unauthenticated) << fill;
    EXPECT_EQ(code(store().by_session(own_hash('s'))), Errc::unauthenticated);
    EXPECT_FALSE(code(store().by_token(own_hash('u'))));
}

TEST_F(IdentityPromises, AUserHasABoundedNumberOfTokens) {
    const auto make = [&](int number) {
        auto hash = own_hash('n');
        hash.replace(20, 3, std::to_string(100 + number));
        return store().create_token(author_, token_of(people_.user), hash, {});
    };
    const auto first = must(make(0));
    for (int i = 1; i < identity::kTokensPerUser; ++i) must(make(i));
    EXPECT_EQ(code(make(identity::kTokensPerUser)), Errc::conflict);
    must(store().revoke_token(author_, first.id));
    must(make(identity::kTokensPerUser));
}

TEST_F(IdentityPromises, ATokenWorksImmediatelyEvenIfTriedBefore) {
    EXPECT_EQ(code(store().by_token(own_hash('b'))), Errc::unauthenticated);
    make_token('b');
    EXPECT_FALSE(code(store().by_token(own_hash('b'))));
}

TEST_F(IdentityPromises, AnotherTeamsTokenLooksMissing) {
    const auto token = make_token('o');
    const auto other = others();
    EXPECT_EQ(code(store().revoke_token({other.team, other.user, ""}, token.id)), Errc::not_found);
    EXPECT_TRUE(must(store().tokens(other.team, {})).empty());
    must(store().by_token(own_hash('o')));
}

TEST_F(IdentityPromises, ALinkOpensOneSession) {
    make_link('l', kHour);
    const auto who = must(store().spend_sign_in_link(own_hash('l')));
    EXPECT_EQ(who.user, people_.user);
    EXPECT_EQ(who.team, people_.team);
    EXPECT_EQ(code(store().spend_sign_in_link(own_hash('l'))), Errc::unauthenticated);

    const auto session =
        must(store().create_session(who, own_hash('s'), "a csrf value of its own", in(kHour)));
    const auto principal = must(store().by_session(own_hash('s')));
    EXPECT_EQ(principal.session, session);
    EXPECT_EQ(principal.csrf, "a csrf value of its own");
    EXPECT_TRUE(principal.scopes.empty());
    EXPECT_FALSE(principal.token);
    EXPECT_FALSE(principal.expires_at);
    must(store().end_session(author_, session));
    EXPECT_EQ(code(store().by_session(own_hash('s'))), Errc::unauthenticated);
}

TEST_F(IdentityPromises, SessionsAreListedOnlyToThoseConcerned) {
    const identity::NewSession here{people_.user, people_.team, {}, "192.0.2.7", "Mozilla/5.0"};
    const auto first =
        must(store().create_session(here, own_hash('s'), "a csrf value of its own", in(kHour)));
    make_session('e', kPast, std::nullopt);
    const auto mate = make_user(" mate").id;
    must(store().set_member(author_, people_.team, mate, Role::viewer));
    const auto theirs = must(store().create_session({mate, people_.team, {}}, own_hash('m'),
                                                    "a csrf value of its own", in(kHour)));
    const auto own = must(store().sessions({.user = people_.user, .team = people_.team}));
    ASSERT_EQ(own.size(), 1u);
    EXPECT_EQ(own[0].id, first);
    EXPECT_EQ(own[0].user_name, kind_);
    EXPECT_EQ(own[0].team.id, people_.team);
    EXPECT_EQ(own[0].address, "192.0.2.7");
    EXPECT_EQ(own[0].agent, "Mozilla/5.0");
    const auto all =
        must(store().sessions({.user = people_.user, .team = people_.team, .whole_team = true}));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[1].id, theirs);
    const auto other = others();
    EXPECT_TRUE(must(store().sessions({other.user, other.team, true, true})).empty());
    EXPECT_TRUE(must(store().sessions({people_.user, other.team, true, false})).empty());
    must(store().end_session(author_, theirs));
    EXPECT_EQ(code(store().by_session(own_hash('m'))), Errc::unauthenticated);
}

TEST_F(IdentityPromises, NobodyCanActInAnArchivedTeam) {
    make_token('a');
    make_session('b', kHour, std::nullopt);
    make_link('c', kHour);
    const auto archive = [&](bool archived) {
        return must(store().update_team(author_, people_.team, {{}, archived}));
    };
    EXPECT_TRUE(archive(true).archived);
    EXPECT_EQ(code(store().by_token(own_hash('a'))), Errc::unauthenticated);
    EXPECT_EQ(code(store().by_session(own_hash('b'))), Errc::unauthenticated);
    EXPECT_EQ(code(store().spend_sign_in_link(own_hash('c'))), Errc::unauthenticated);
    EXPECT_TRUE(must(store().memberships(people_.user)).empty());
    EXPECT_FALSE(archive(false).archived);
    must(store().by_token(own_hash('a')));
    must(store().by_session(own_hash('b')));
    must(store().spend_sign_in_link(own_hash('c')));
}

TEST_F(IdentityPromises, TeamNamesAreUnique) {
    const auto other = must(store().create_team(author_, kind_ + " second"));
    EXPECT_EQ(code(store().update_team(author_, people_.team, {other.name, {}})), Errc::conflict);
    EXPECT_EQ(must(store().update_team(author_, other.id, {kind_ + " third", {}})).name,
              kind_ + " third");
    EXPECT_EQ(code(store().update_team(author_, TeamId{999'999'999}, {"nobody", {}})),
              Errc::not_found);
}

TEST_F(IdentityPromises, ARemovedUserFreesTheName) {
    const auto ada = make_user(" ada").id;
    must(store().set_member(author_, people_.team, ada, Role::member));
    must(store().create_token(author_, token_of(ada), own_hash('d'), {}));
    must(store().remove_user(author_, ada));
    EXPECT_EQ(code(store().by_token(own_hash('d'))), Errc::unauthenticated);
    EXPECT_EQ(code(store().remove_user(author_, ada)), Errc::not_found);
    EXPECT_EQ(code(store().set_member(author_, people_.team, ada, Role::member)), Errc::not_found);
    for (const auto& one : must(store().users())) EXPECT_NE(one.user.id, ada);
    EXPECT_NE(make_user(" ada").id, ada) << "the name is free again";
    EXPECT_EQ(code(store().remove_user(author_, people_.user)), Errc::conflict)
        << "the team's last owner";
}

TEST_F(IdentityPromises, AServiceAccountBelongsToItsTeamAndActsByTokens) {
    const auto made = must(store().create_service_account(author_, "nightly", Role::member));
    EXPECT_TRUE(made.user.service);
    EXPECT_EQ(made.role, Role::member);
    EXPECT_EQ(code(store().create_service_account(author_, "nightly", Role::viewer)),
              Errc::conflict);
    const auto other = others();
    const Author theirs{other.team, other.user, ""};
    must(store().create_service_account(theirs, "nightly", Role::viewer));  // names are the team's
    must(store().create_token(author_, token_of(made.user.id), own_hash('c'), {}));
    const auto caller = must(store().by_token(own_hash('c')));
    EXPECT_TRUE(caller.user.service);
    EXPECT_EQ(caller.role, Role::member);
    EXPECT_EQ(code(store().create_sign_in_link(author_, made.user.id, people_.team, own_hash('k'),
                                               in(kHour))),
              Errc::conflict);
    for (const auto& member : must(store().members(people_.team)))
        EXPECT_NE(member.user.id, made.user.id);
    const auto changed =
        must(store().update_service_account(author_, made.user.id, {"hourly", Role::viewer, true}));
    EXPECT_EQ(changed.user.name, "hourly");
    EXPECT_EQ(changed.role, Role::viewer);
    EXPECT_EQ(code(store().by_token(own_hash('c'))), Errc::unauthenticated) << "disabled";
    EXPECT_EQ(code(store().update_service_account(theirs, made.user.id, {"x", {}, {}})),
              Errc::not_found);
    EXPECT_EQ(code(store().remove_service_account(theirs, made.user.id)), Errc::not_found);
    EXPECT_EQ(code(store().remove_user(author_, made.user.id)), Errc::not_found);
    must(store().remove_service_account(author_, made.user.id));
    EXPECT_TRUE(must(store().service_accounts(people_.team)).empty());
    EXPECT_EQ(must(store().service_accounts(other.team)).size(), 1u);
}

TEST_F(IdentityPromises, ATokenIsRenamed) {
    const auto token = make_token('n');
    must(store().rename_token(author_, token.id, "another name"));
    EXPECT_EQ(must(store().tokens(people_.team, people_.user))[0].name, "another name");
    const auto other = others();
    EXPECT_EQ(code(store().rename_token({other.team, other.user, ""}, token.id, "mine")),
              Errc::not_found);
}

TEST_F(IdentityPromises, ASessionEndsWithTheTokenThatOpenedIt) {
    const auto token = make_token('u', in(kHour));
    const auto by_token = must(store().by_token(own_hash('u')));
    ASSERT_TRUE(by_token.expires_at);
    make_session('v', 24 * kHour, token.id);
    EXPECT_EQ(must(store().by_session(own_hash('v'))).expires_at, by_token.expires_at);
    must(store().revoke_token(author_, token.id));
    EXPECT_EQ(code(store().by_session(own_hash('v'))), Errc::unauthenticated);
    make_session('z', 24 * kHour, make_token('w', in(kPast)).id);
    EXPECT_EQ(code(store().by_session(own_hash('z'))), Errc::unauthenticated);
}

TEST_F(IdentityPromises, AnExpiredLinkOrSessionIsRejected) {
    make_link('x', kPast);
    EXPECT_EQ(code(store().spend_sign_in_link(own_hash('x'))), Errc::unauthenticated);
    make_session('y', kPast, std::nullopt);
    EXPECT_EQ(code(store().by_session(own_hash('y'))), Errc::unauthenticated);
}

TEST_F(IdentityPromises, OnlyMembersGetLinksAndTokens) {
    const auto stranger = others();
    EXPECT_EQ(code(store().create_sign_in_link(author_, stranger.user, people_.team, own_hash('y'),
                                               in(kHour))),
              Errc::not_found);
    EXPECT_EQ(code(store().create_token(author_, token_of(stranger.user), own_hash('y'), {})),
              Errc::not_found);
}

TEST_F(IdentityPromises, ANameOrAnAddressIsUnique) {
    const auto grace =
        must(store().create_user(author_, kind_ + " grace", "Grace@" + kind_ + ".Example", true));
    EXPECT_TRUE(grace.administrator);
    EXPECT_EQ(grace.email.find_first_of("GE"), std::string::npos) << grace.email;
    EXPECT_EQ(code(store().create_user(author_, kind_ + " grace", "", false)), Errc::conflict);
    EXPECT_EQ(
        code(store().create_user(author_, kind_ + " hopper", "grace@" + kind_ + ".example", false)),
        Errc::conflict);
    EXPECT_EQ(make_user(" ada").email, "");
    EXPECT_FALSE(make_user(" tom").administrator) << "many have no address";
}

TEST_F(IdentityPromises, AUserIsChanged) {
    const auto ada = make_user(" ada");
    must(store().set_member(author_, people_.team, ada.id, Role::member));
    must(store().create_token(author_, token_of(ada.id), own_hash('d'), {}));
    make_user(" eve");
    const auto change = [&](identity::UserChange to) {
        return store().update_user(author_, ada.id, std::move(to));
    };
    const auto changed = must(change({.name = kind_ + " lovelace",
                                      .email = kind_ + "@Example.com",
                                      .administrator = true,
                                      .disabled = {}}));
    EXPECT_EQ(changed.name, kind_ + " lovelace");
    EXPECT_TRUE(changed.email.ends_with("@example.com"));
    EXPECT_TRUE(changed.administrator);
    EXPECT_FALSE(changed.disabled);
    EXPECT_EQ(must(change({.name = {}, .email = "", .administrator = {}, .disabled = {}})).email,
              "");
    EXPECT_EQ(
        code(change({.name = kind_ + " eve", .email = {}, .administrator = {}, .disabled = {}})),
        Errc::conflict);
    EXPECT_EQ(code(store().update_user(author_, UserId{999999}, {})), Errc::not_found);
}

TEST_F(IdentityPromises, PeopleJoinAndLeaveTeams) {
    const auto ada = make_user(" ada");
    must(store().set_member(author_, people_.team, ada.id, Role::viewer));
    must(store().set_member(author_, people_.team, ada.id, Role::member));
    EXPECT_EQ(code(store().set_member(author_, people_.team, UserId{999999}, Role::viewer)),
              Errc::not_found);
    const auto members = must(store().members(people_.team));
    ASSERT_EQ(members.size(), 2u);
    EXPECT_EQ(members[1].user.id, ada.id);
    EXPECT_EQ(members[1].role, Role::member);
    ASSERT_EQ(must(store().teams(ada.id)).size(), 1u);
    const auto root = must(store().create_user(author_, kind_ + " root", "", true));
    EXPECT_GE(must(store().teams(root.id)).size(), 1u) << "a system admin sees every team";
    EXPECT_TRUE(must(store().teams(UserId{999999})).empty());

    must(store().remove_member(author_, people_.team, ada.id));
    EXPECT_EQ(code(store().remove_member(author_, people_.team, ada.id)), Errc::not_found);
    EXPECT_TRUE(must(store().teams(ada.id)).empty());
}

TEST_F(IdentityPromises, ATeamKeepsAnOwner) {
    EXPECT_EQ(code(store().remove_member(author_, people_.team, people_.user)), Errc::conflict);
    EXPECT_EQ(code(store().set_member(author_, people_.team, people_.user, Role::member)),
              Errc::conflict);
    const auto ada = make_user(" ada");
    must(store().set_member(author_, people_.team, ada.id, Role::owner));
    must(store().remove_member(author_, people_.team, people_.user));
}

TEST_F(IdentityPromises, TheCreatorOfATeamOwnsIt) {
    const auto team = must(store().create_team(author_, kind_ + " new"));
    EXPECT_EQ(team.name, kind_ + " new");
    const auto members = must(store().members(team.id));
    ASSERT_EQ(members.size(), 1u);
    EXPECT_EQ(members[0].user.id, people_.user);
    EXPECT_EQ(members[0].role, Role::owner);
    EXPECT_EQ(code(store().create_team(author_, kind_ + " new")), Errc::conflict);
}

TEST_F(IdentityPromises, TokensAndLinksEndWithTheMembership) {
    const auto ada = make_user(" ada");
    must(store().set_member(author_, people_.team, ada.id, Role::member));
    must(store().create_token(author_, token_of(ada.id), own_hash('h'), {}));
    must(store().create_sign_in_link(author_, ada.id, people_.team, own_hash('j'), in(kHour)));
    must(store().by_token(own_hash('h')));
    must(store().remove_member(author_, people_.team, ada.id));
    EXPECT_EQ(code(store().by_token(own_hash('h'))), Errc::unauthenticated);
    EXPECT_EQ(code(store().spend_sign_in_link(own_hash('j'))), Errc::unauthenticated);
    EXPECT_EQ(code(store().create_token(author_, token_of(ada.id), own_hash('i'), {})),
              Errc::not_found);
    must(store().set_member(author_, people_.team, ada.id, Role::member));
    EXPECT_EQ(code(store().by_token(own_hash('h'))), Errc::unauthenticated) << "for good";
}

TEST_F(IdentityPromises, TheFirstStartHappensOnce) {
    EXPECT_FALSE(must(store().bootstrap("admin", "team", own_hash('b'), in(kHour))))
        << "this installation has users";
}

}  // namespace
}  // namespace plimsoll::conformance
