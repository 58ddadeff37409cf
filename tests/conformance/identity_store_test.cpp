#include "tests/conformance/store_test.hpp"

namespace plimsoll::conformance {
namespace {

using identity::Role;

class IdentityStoreTest : public StoreTest {
  protected:
    IdentityStoreTest() : author_{people_.team, people_.user, "request-1"} {}

    identity::IdentityStore& store() { return server_.identity(); }

    // A hash that no other test uses.
    std::string own_hash(char fill) const {
        std::string text(32, fill);
        const auto team = std::to_string(people_.team.value);
        return text.replace(0, team.size(), team);
    }
    static Timestamp in(std::chrono::seconds time) { return SystemClock().now() + time; }

    template <class T>
    std::optional<Errc> code(asio::awaitable<Result<T>> call) {
        auto result = run(std::move(call));
        return result ? std::optional<Errc>() : std::optional(result.error().code);
    }

    identity::Token make_token(char fill, std::optional<Timestamp> expires_at = {}) {
        identity::Token token;
        token.user = people_.user;
        token.name = "a token";
        token.hint = "plm_t_ab";
        token.scopes = {"jobs:read", "jobs:write"};
        token.expires_at = expires_at;
        return must(store().create_token(author_, token, own_hash(fill)));
    }

    // Actions of this test's team, oldest first.
    std::string audit() const {
        return Cluster::get().execute(
            "select string_agg(action, ' ' order by id) from plimsoll.audit_event where team_id "
            "= " +
            std::to_string(people_.team.value));
    }

    Author author_;
};

TEST_F(IdentityStoreTest, ATokenProvesWhoseItIs) {
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
    const auto listed = must(store().tokens(people_.team, people_.user));
    ASSERT_EQ(listed.size(), 1u);
    EXPECT_EQ(listed[0].hint, "plm_t_ab");
    EXPECT_TRUE(listed[0].last_used_at);
}

TEST_F(IdentityStoreTest, WhatIsUnknownExpiredOrRevokedProvesNothing) {
    EXPECT_EQ(code(store().by_token(own_hash('?'))), Errc::unauthenticated);
    make_token('e', in(std::chrono::seconds(-1)));
    EXPECT_EQ(code(store().by_token(own_hash('e'))), Errc::unauthenticated);
    const auto token = make_token('r');
    must(store().by_token(own_hash('r')));
    must(store().revoke_token(author_, token.id));
    EXPECT_EQ(code(store().by_token(own_hash('r'))), Errc::unauthenticated);
    EXPECT_EQ(code(store().revoke_token(author_, token.id)), Errc::not_found);
    EXPECT_EQ(audit(), "token.create token.create token.revoke");
}

TEST_F(IdentityStoreTest, WhatAnotherServerRevokesIsSoonRefusedHere) {
    const auto token = make_token('n');
    must(store().by_token(own_hash('n')));
    Cluster::get().execute("update plimsoll.token set revoked_at = clock_timestamp() where id = " +
                           std::to_string(token.id.value));
    std::optional<Errc> told;
    while (!told) told = code(store().by_token(own_hash('n')));
    EXPECT_EQ(told, Errc::unauthenticated);
}

TEST_F(IdentityStoreTest, ATokenWorksAtOnceThoughItWasTriedBefore) {
    EXPECT_EQ(code(store().by_token(own_hash('b'))), Errc::unauthenticated);
    make_token('b');
    EXPECT_FALSE(code(store().by_token(own_hash('b'))));
}

TEST_F(IdentityStoreTest, AnotherTeamsTokenLooksLikeNone) {
    const auto token = make_token('o');
    const auto others = make_people(kind_ + " others");
    EXPECT_EQ(code(store().revoke_token({others.user, others.team, ""}, token.id)),
              Errc::not_found);
    EXPECT_TRUE(must(store().tokens(others.team, {})).empty());
    must(store().by_token(own_hash('o')));
}

TEST_F(IdentityStoreTest, ALinkOpensOneSession) {
    must(store().create_sign_in_link(author_, people_.user, people_.team, own_hash('l'),
                                     in(std::chrono::hours(1))));
    const auto who = must(store().spend_sign_in_link(own_hash('l')));
    EXPECT_EQ(who.user, people_.user);
    EXPECT_EQ(who.team, people_.team);
    EXPECT_EQ(code(store().spend_sign_in_link(own_hash('l'))), Errc::unauthenticated);

    const auto session = must(store().create_session(who, own_hash('s'), "a csrf value of its own",
                                                     in(std::chrono::hours(1))));
    const auto principal = must(store().by_session(own_hash('s')));
    EXPECT_EQ(principal.session, session);
    EXPECT_EQ(principal.csrf, "a csrf value of its own");
    EXPECT_TRUE(principal.scopes.empty());
    EXPECT_FALSE(principal.token);
    must(store().end_session(session));
    EXPECT_EQ(code(store().by_session(own_hash('s'))), Errc::unauthenticated);
    EXPECT_EQ(audit(), "link.create session.create session.end");
}

TEST_F(IdentityStoreTest, ASessionOpenedWithATokenEndsWithIt) {
    const auto end = in(std::chrono::hours(1));
    const auto token = make_token('u', end);
    const auto by_token = must(store().by_token(own_hash('u')));
    ASSERT_TRUE(by_token.expires_at);
    must(store().create_session({people_.user, people_.team, token.id}, own_hash('v'),
                                "a csrf value of its own", in(std::chrono::hours(24))));
    EXPECT_EQ(must(store().by_session(own_hash('v'))).expires_at, by_token.expires_at);
    must(store().revoke_token(author_, token.id));
    EXPECT_EQ(code(store().by_session(own_hash('v'))), Errc::unauthenticated);

    const auto over = make_token('w', in(std::chrono::seconds(-1)));
    must(store().create_session({people_.user, people_.team, over.id}, own_hash('z'),
                                "a csrf value of its own", in(std::chrono::hours(24))));
    EXPECT_EQ(code(store().by_session(own_hash('z'))), Errc::unauthenticated);
}

TEST_F(IdentityStoreTest, AnExpiredLinkOpensNothing) {
    must(store().create_sign_in_link(author_, people_.user, people_.team, own_hash('x'),
                                     in(std::chrono::seconds(-1))));
    EXPECT_EQ(code(store().spend_sign_in_link(own_hash('x'))), Errc::unauthenticated);
    const auto stranger = make_people(kind_ + " stranger");
    EXPECT_EQ(code(store().create_sign_in_link(author_, stranger.user, people_.team, own_hash('y'),
                                               in(std::chrono::hours(1)))),
              Errc::not_found);
}

TEST_F(IdentityStoreTest, PeopleJoinAndLeaveTeams) {
    const auto ada = must(store().create_user(author_, kind_ + " ada", "", false));
    EXPECT_EQ(ada.email, "");
    EXPECT_FALSE(ada.administrator);
    const auto grace =
        must(store().create_user(author_, kind_ + " grace", "Grace@" + kind_ + ".example", true));
    EXPECT_NE(grace.email.find("grace@"), std::string::npos);
    EXPECT_EQ(code(store().create_user(author_, kind_ + " ada", "", false)), Errc::conflict);

    must(store().set_member(author_, people_.team, ada.id, Role::viewer));
    must(store().set_member(author_, people_.team, ada.id, Role::member));
    EXPECT_EQ(code(store().set_member(author_, people_.team, UserId{999999}, Role::viewer)),
              Errc::not_found);
    const auto members = must(store().members(people_.team));
    ASSERT_EQ(members.size(), 2u);
    EXPECT_EQ(members[1].user.id, ada.id);
    EXPECT_EQ(members[1].role, Role::member);
    ASSERT_EQ(must(store().teams(ada.id)).size(), 1u);
    // An administrator sees every team.
    EXPECT_GT(must(store().teams(grace.id)).size(), 0u);

    must(store().remove_member(author_, people_.team, ada.id));
    EXPECT_EQ(code(store().remove_member(author_, people_.team, ada.id)), Errc::not_found);
    EXPECT_TRUE(must(store().teams(ada.id)).empty());
    EXPECT_EQ(audit(), "user.create user.create member.set member.set member.remove");
}

TEST_F(IdentityStoreTest, ATeamKeepsAnOwner) {
    EXPECT_EQ(code(store().remove_member(author_, people_.team, people_.user)), Errc::conflict);
    EXPECT_EQ(code(store().set_member(author_, people_.team, people_.user, Role::member)),
              Errc::conflict);
    EXPECT_EQ(audit(), "");
}

TEST_F(IdentityStoreTest, WhoeverMakesATeamOwnsIt) {
    const auto team = must(store().create_team(author_, kind_ + " new"));
    const auto members = must(store().members(team.id));
    ASSERT_EQ(members.size(), 1u);
    EXPECT_EQ(members[0].user.id, people_.user);
    EXPECT_EQ(members[0].role, Role::owner);
    EXPECT_EQ(code(store().create_team(author_, kind_ + " new")), Errc::conflict);
}

TEST_F(IdentityStoreTest, AMembersTokensGoWithTheMembership) {
    const auto ada = must(store().create_user(author_, kind_ + " ada", "", false));
    must(store().set_member(author_, people_.team, ada.id, Role::member));
    identity::Token token;
    token.user = ada.id;
    token.name = "hers";
    token.hint = "plm";
    must(store().create_token(author_, token, own_hash('h')));
    must(store().by_token(own_hash('h')));
    must(store().remove_member(author_, people_.team, ada.id));
    EXPECT_EQ(code(store().by_token(own_hash('h'))), Errc::unauthenticated);
    EXPECT_EQ(code(store().create_token(author_, token, own_hash('i'))), Errc::not_found);
}

TEST_F(IdentityStoreTest, TheFirstStartIsOver) {
    // This installation has users.
    EXPECT_FALSE(
        must(store().bootstrap("admin", "team", own_hash('b'), in(std::chrono::hours(1)))));
}

}  // namespace
}  // namespace plimsoll::conformance
