// Invitations: what they offer, who may accept them, once, and what ends them.
#include "tests/conformance/store_test.hpp"

#include <algorithm>
#include <string>

namespace plimsoll::conformance {
namespace {

using identity::Invitee;
using identity::Role;

class InvitationPromises : public StoreTest {
  protected:
    InvitationPromises() : author_{people_.team, people_.user, "request-1"} {}

    identity::InvitationStore& store() { return stores_.invitations; }
    identity::IdentityStore& people() { return stores_.identity; }

    // A hash that no other test uses.
    std::string hash(char fill) const {
        std::string text(32, fill);
        const auto team = std::to_string(people_.team.value);
        return text.replace(0, team.size(), team);
    }
    identity::Invitation invite(char fill, Role role = Role::member,
                                const std::string& email = {}) {
        return must(store().create(author_, {role, email, hash(fill), in(kLong)}));
    }
    identity::Joined join(char fill, const std::string& name) {
        return must(store().accept(hash(fill), newcomer(name), "request-2"));
    }
    std::optional<Errc> refusal(char fill, const Invitee& who) {
        return code(store().accept(hash(fill), who, "request-2"));
    }
    Invitee newcomer(const std::string& name, const std::string& email = {}) const {
        return {.name = kind_ + ' ' + name, .email = email};
    }
    UserId make_user(const std::string& name, const std::string& email = {}) {
        return must(people().create_user(author_, kind_ + ' ' + name, email, false)).id;
    }
    std::optional<Role> role_of(UserId user) {
        for (const auto& member : must(people().members(people_.team)))
            if (member.user.id == user) return member.role;
        return std::nullopt;
    }
    std::size_t open_ones() { return must(store().list(people_.team)).size(); }

    Author author_;
};

TEST_F(InvitationPromises, ANewUserJoinsOnce) {
    const auto made = invite('a', Role::admin);
    EXPECT_EQ(made.user, people_.user);
    EXPECT_EQ(made.user_name, kind_);
    const auto offer = must(store().find(hash('a')));
    EXPECT_EQ(offer.team_name, kind_);
    EXPECT_EQ(offer.role, Role::admin);
    EXPECT_EQ(offer.invited_by, kind_);
    EXPECT_EQ(offer.expires_at, made.expires_at);
    const auto joined = join('a', "ada");
    EXPECT_EQ(joined.team, people_.team);
    EXPECT_EQ(role_of(joined.user), Role::admin);
    EXPECT_EQ(refusal('a', newcomer("eve")), Errc::not_found);
    EXPECT_EQ(code(store().find(hash('a'))), Errc::not_found);
    EXPECT_EQ(open_ones(), 0u);
}

TEST_F(InvitationPromises, AnExistingUserJoins) {
    const auto mia = make_user("mia");
    invite('a', Role::viewer);
    invite('b');
    EXPECT_EQ(must(store().accept(hash('a'), {.user = mia}, "request-2")).user, mia);
    EXPECT_EQ(role_of(mia), Role::viewer);
    EXPECT_EQ(refusal('b', {.user = mia}), Errc::conflict) << "a member already";
    EXPECT_EQ(open_ones(), 1u) << "and the invitation is left for another";
}

TEST_F(InvitationPromises, AnInvitationToAnAddressIsForItsOwner) {
    EXPECT_EQ(invite('a', Role::member, kind_ + "@Example.COM").email,
              must(store().find(hash('a'))).email);
    EXPECT_EQ(refusal('a', {.user = make_user("mia")}), Errc::forbidden);
    const auto joined =
        must(store().accept(hash('a'), newcomer("zoe", kind_ + "@example.org"), "request-2"));
    must(people().create_session({joined.user, joined.team, {}, {}, {}}, hash('s'),
                                 "a csrf value of its own", in(kLong)));
    const auto zoe = must(people().by_session(hash('s'))).user;
    EXPECT_NE(zoe.email, kind_ + "@example.org") << "the invitation's address counts";
    EXPECT_NE(zoe.email, "");
}

TEST_F(InvitationPromises, ATakenNameDoesNotUseUpTheInvitation) {
    make_user("mia", kind_ + "@example.com");
    invite('a');
    EXPECT_EQ(refusal('a', newcomer("mia")), Errc::conflict);
    for (const auto* look : {"MIA", "mia ", " mia", "mla", "m1a"})
        EXPECT_EQ(refusal('a', newcomer(look)), Errc::conflict) << look;
    EXPECT_FALSE(refusal('a', newcomer("mina", kind_ + "@example.com")))
        << "it does not tell whether an address is known";
}

TEST_F(InvitationPromises, RevokedAndExpiredInvitationsAreRejected) {
    const auto made = invite('a');
    const Author stranger{others().team, people_.user, "request-2"};
    EXPECT_EQ(code(store().revoke(stranger, made.id)), Errc::not_found);
    must(store().revoke(author_, made.id));
    EXPECT_EQ(code(store().revoke(author_, made.id)), Errc::not_found);
    EXPECT_EQ(refusal('a', newcomer("ada")), Errc::not_found);
    must(store().create(author_, {Role::member, "", hash('b'), in(-kLong)}));
    EXPECT_EQ(code(store().find(hash('b'))), Errc::not_found);
    EXPECT_EQ(refusal('b', newcomer("ada")), Errc::not_found);
    EXPECT_EQ(open_ones(), 0u);
    EXPECT_EQ(code(store().find(hash('?'))), Errc::not_found);
}

TEST_F(InvitationPromises, AnInvitationEndsWithTheTokenThatCreatedIt) {
    identity::Token token;
    token.user = people_.user;
    token.name = "leaked";
    token.scopes = {"team:admin"};
    const auto leaked = must(people().create_token(author_, token, hash('t'), {}));
    must(store().create(author_, {Role::admin, "", hash('a'), in(kLong), {leaked.id, {}}}));
    EXPECT_FALSE(code(store().find(hash('a'))));
    must(people().revoke_token(author_, leaked.id));
    EXPECT_EQ(code(store().find(hash('a'))), Errc::not_found);
    EXPECT_EQ(refusal('a', newcomer("eve")), Errc::not_found);
}

TEST_F(InvitationPromises, AnInvitationEndsWithTheRightsOfItsCreator) {
    const auto adam = make_user("adam");
    const Author maker{people_.team, adam, "request-2"};
    const auto made_by = [&](char fill, Role role) {
        must(store().create(maker, {role, "", hash(fill), in(kLong)}));
        return !code(store().find(hash(fill)));
    };
    must(people().set_member(author_, people_.team, adam, Role::admin));
    EXPECT_TRUE(made_by('a', Role::admin));
    EXPECT_FALSE(made_by('b', Role::owner)) << "an admin makes no owner";
    must(people().set_member(author_, people_.team, adam, Role::member));
    EXPECT_EQ(code(store().find(hash('a'))), Errc::not_found);
    must(people().set_member(author_, people_.team, adam, Role::admin));
    EXPECT_FALSE(code(store().find(hash('a'))));
    must(people().update_user(author_, adam,
                              {.name = {}, .email = {}, .administrator = {}, .disabled = true}));
    EXPECT_EQ(code(store().find(hash('a'))), Errc::not_found);
}

TEST_F(InvitationPromises, AnArchivedTeamInvitesNobody) {
    invite('a');
    must(people().update_team(author_, people_.team, {{}, true}));
    EXPECT_EQ(code(store().find(hash('a'))), Errc::not_found);
    EXPECT_EQ(refusal('a', newcomer("ada")), Errc::not_found);
}

TEST_F(InvitationPromises, OpenInvitationsPerTeamAreLimited) {
    for (int i = 0; i < identity::kInvitationsPerTeam; ++i) invite(static_cast<char>(i + 1));
    EXPECT_EQ(code(store().create(author_, {Role::member, "", hash('~'), in(kLong)})),
              Errc::conflict);
    const auto all = must(store().list(people_.team));
    EXPECT_TRUE(std::ranges::is_sorted(
        all, {}, [](const identity::Invitation& invitation) { return invitation.id.value; }));
    must(store().revoke(author_, all.front().id));
    invite('~');
    EXPECT_EQ(open_ones(), static_cast<std::size_t>(identity::kInvitationsPerTeam));
}

}  // namespace
}  // namespace plimsoll::conformance
