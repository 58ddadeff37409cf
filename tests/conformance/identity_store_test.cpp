#include "server/identity/audit_store.hpp"
#include "tests/conformance/store_test.hpp"

namespace plimsoll::conformance {
namespace {

using identity::Role;

class IdentityStoreTest : public StoreTest {
  protected:
    IdentityStoreTest() : author_{people_.team, people_.user, "request-1"} {}

    identity::IdentityStore& store() { return stores_.identity; }

    // A hash that no other test uses.
    std::string own_hash(char fill) const {
        std::string text(32, fill);
        const auto team = std::to_string(people_.team.value);
        return text.replace(0, team.size(), team);
    }
    static Timestamp in_an_hour() { return SystemClock().now() + std::chrono::hours(1); }

    identity::Token make_token(char fill) {
        identity::Token token;
        token.user = people_.user;
        token.name = "a token";
        token.hint = "plm_t_ab";
        token.scopes = {"jobs:read", "jobs:write"};
        return must(store().create_token(author_, token, own_hash(fill), {}));
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

TEST_F(IdentityStoreTest, ATokenThatAnotherServerRevokesIsSoonRefused) {
    const auto token = make_token('n');
    must(store().by_token(own_hash('n')));
    Cluster::get().execute("update plimsoll.token set revoked_at = clock_timestamp() where id = " +
                           std::to_string(token.id.value));
    auto answer = run(store().by_token(own_hash('n')));
    while (answer) answer = run(store().by_token(own_hash('n')));
    EXPECT_EQ(answer.error().code, Errc::unauthenticated);
}

TEST_F(IdentityStoreTest, AWriteLeavesAnAuditRowUnlessItIsRefused) {
    const auto token = make_token('a');
    must(store().revoke_token(author_, token.id));
    EXPECT_FALSE(run(store().revoke_token(author_, token.id)));
    EXPECT_EQ(audit(), "token.create token.revoke");
    must(store().create_sign_in_link(author_, people_.user, people_.team, own_hash('l'),
                                     in_an_hour()));
    must(store().end_session(
        author_, must(store().create_session(must(store().spend_sign_in_link(own_hash('l'))),
                                             own_hash('s'), "csrf", in_an_hour()))));
    const auto ada = must(store().create_user(author_, kind_ + " ada", "", false)).id;
    EXPECT_FALSE(run(store().create_user(author_, kind_ + " ada", "", false)));
    must(store().set_member(author_, people_.team, ada, Role::member));
    must(store().remove_member(author_, people_.team, ada));
    EXPECT_FALSE(run(store().remove_member(author_, people_.team, people_.user)));
    EXPECT_EQ(audit(),
              "token.create token.revoke link.create session.create session.end user.create "
              "member.set member.remove");
}

TEST_F(IdentityStoreTest, AuditEventsAreReadByTheirTeam) {
    const auto list = [this](identity::AuditQuery query) {
        query.limit = 10;
        return must(stores_.audit.list(std::move(query)));
    };
    const auto token = make_token('q');
    must(store().rename_token(author_, token.id, "another name"));
    const auto of_team = list({.team = people_.team});
    ASSERT_EQ(of_team.size(), 2u);
    EXPECT_EQ(of_team[0].action, "token.update") << "newest first";
    EXPECT_EQ(of_team[0].target, std::to_string(token.id.value));
    EXPECT_EQ(of_team[0].user, people_.user);
    EXPECT_EQ(of_team[0].user_name, kind_);
    EXPECT_EQ(of_team[0].request_id, "request-1");
    EXPECT_EQ(of_team[0].data, R"({"name": "another name"})");
    EXPECT_EQ(list({.team = people_.team, .before = of_team[0].id}).size(), 1u);
    EXPECT_EQ(list({.team = people_.team, .action = "token.create"}).size(), 1u);
    EXPECT_EQ(list({.team = people_.team, .action = "token"}).size(), 2u);
    EXPECT_EQ(list({.team = people_.team, .action = "tok"}).size(), 0u);
    EXPECT_EQ(list({.team = people_.team, .nouns = {"session"}}).size(), 0u);
    EXPECT_EQ(list({.team = people_.team, .target = "0"}).size(), 0u);
    EXPECT_EQ(list({.team = people_.team, .until = of_team[1].at}).size(), 0u);
    EXPECT_EQ(list({.team = people_.team, .from = of_team[0].at}).size(), 1u);
    EXPECT_TRUE(list({.team = TeamId{people_.team.value + 1'000'000}}).empty());
    const auto everywhere = list({.user = people_.user});
    ASSERT_EQ(everywhere.size(), 2u);
    EXPECT_EQ(everywhere[0].team, people_.team);
    EXPECT_EQ(everywhere[0].team_name, kind_);
}

}  // namespace
}  // namespace plimsoll::conformance
