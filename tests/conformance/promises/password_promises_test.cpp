// Passwords, the links that set them, and how guessing is slowed down.
#include "tests/conformance/store_test.hpp"

#include <string>

namespace plimsoll::conformance {
namespace {

using identity::PasswordAttempt;

constexpr std::chrono::seconds kNone{0};
constexpr auto kHome = "192.0.2.7";
constexpr auto kAbroad = "198.51.100.9";

class PasswordPromises : public StoreTest {
  protected:
    PasswordPromises() : author_{people_.team, people_.user, "request-1"} {}

    identity::PasswordStore& store() { return stores_.passwords; }
    identity::IdentityStore& people() { return stores_.identity; }

    // A hash that no other test uses.
    std::string unique_hash(char fill) const {
        std::string text(32, fill);
        const auto team = std::to_string(people_.team.value);
        return text.replace(0, team.size(), team);
    }
    SessionId sign_in(char fill, const std::string& address = {},
                      std::optional<TokenId> token = {}) {
        return must(people().create_session({people_.user, people_.team, token, address, {}},
                                            unique_hash(fill), "a csrf value of its own",
                                            in(kLong)));
    }
    bool is_signed_in(char fill) { return !code(people().by_session(unique_hash(fill))); }
    void set_password(const std::string& hash) {
        must(store().create_link(author_, people_.user, unique_hash('~'), in(kLong)));
        must(store().spend_link(unique_hash('~'), hash, false));
    }
    PasswordAttempt attempt(const std::string& name, const std::string& address = kAbroad) {
        return must(store().begin_attempt(name, address));
    }

    // Whether another attempt must wait. Not for so short a time that a slow machine misses it.
    bool must_wait(const std::string& name, const std::string& address = kAbroad) {
        age_passwords(-kLong);
        const auto refused = attempt(name, address);
        age_passwords(kLong);
        EXPECT_EQ(refused.hash, "");
        return refused.wait > kNone;
    }

    Author author_;
};

TEST_F(PasswordPromises, ALinkSetsAPasswordOnceAndSignsOutEverywhere) {
    EXPECT_FALSE(must(store().changed_at(people_.user)));
    sign_in('s');
    must(people().create_sign_in_link(author_, people_.user, people_.team, unique_hash('l'),
                                      in(kLong)));
    must(store().create_link(author_, people_.user, unique_hash('1'), in(kLong)));
    must(store().create_link(author_, people_.user, unique_hash('2'), in(kLong)));
    must(store().spend_link(unique_hash('1'), "hash one", false));
    EXPECT_TRUE(must(store().changed_at(people_.user)));
    EXPECT_EQ(attempt(kind_).hash, "hash one");
    EXPECT_EQ(attempt(kind_).user, people_.user);
    EXPECT_EQ(attempt(kind_).team, people_.team);
    EXPECT_FALSE(is_signed_in('s'));
    EXPECT_EQ(code(store().spend_link(unique_hash('1'), "hash two", false)), Errc::unauthenticated);
    EXPECT_EQ(code(store().spend_link(unique_hash('2'), "hash two", false)), Errc::unauthenticated);
    EXPECT_EQ(code(people().spend_sign_in_link(unique_hash('l'))), Errc::unauthenticated);
    EXPECT_EQ(code(store().spend_link(unique_hash('?'), "hash two", false)), Errc::unauthenticated);
    EXPECT_EQ(attempt(kind_).hash, "hash one");
}

TEST_F(PasswordPromises, ALinkEndsTokensIfAsked) {
    const auto make = [&](char hash, std::optional<TokenId> parent) {
        identity::Token token;
        token.user = people_.user;
        token.name = std::string(1, hash);
        token.scopes = {"jobs:read"};
        return must(people().create_token(author_, token, unique_hash(hash), {parent, {}})).id;
    };
    const auto ended = [&](char hash) {
        return code(people().by_token(unique_hash(hash))) == Errc::unauthenticated;
    };
    make('u', make('t', {}));
    set_password("hash one");
    EXPECT_FALSE(ended('t'));
    must(store().create_link(author_, people_.user, unique_hash('1'), in(kLong)));
    must(store().spend_link(unique_hash('1'), "hash two", true));
    EXPECT_TRUE(ended('t'));
    EXPECT_TRUE(ended('u'));
}

TEST_F(PasswordPromises, AHashIsReplacedOnlyIfItIsTheOneThatWasCompared) {
    set_password("hash one");
    const auto changed_at = must(store().changed_at(people_.user));
    sign_in('s');
    must(store().renew_hash(people_.user, "hash of another", "hash two"));
    EXPECT_EQ(attempt(kind_).hash, "hash one");
    must(store().renew_hash(people_.user, "hash one", "hash two"));
    EXPECT_EQ(attempt(kind_).hash, "hash two");
    EXPECT_EQ(must(store().changed_at(people_.user)), changed_at) << "the same password";
    EXPECT_TRUE(is_signed_in('s'));
}

TEST_F(PasswordPromises, ALinkExpires) {
    must(store().create_link(author_, people_.user, unique_hash('x'), in(kLong)));
    age_passwords(2 * kLong);
    EXPECT_EQ(code(store().spend_link(unique_hash('x'), "hash", false)), Errc::unauthenticated);
}

TEST_F(PasswordPromises, LinksAreForPeople) {
    EXPECT_EQ(code(store().create_link(author_, UserId{999'999}, unique_hash('n'), in(kLong))),
              Errc::not_found);
    const auto robot =
        must(people().create_service_account(author_, "nightly", identity::Role::member)).user;
    EXPECT_EQ(code(store().create_link(author_, robot.id, unique_hash('n'), in(kLong))),
              Errc::not_found);
    const auto eve = must(people().create_user(author_, kind_ + " eve", "", false));
    must(store().create_link(author_, eve.id, unique_hash('n'), in(kLong)));
    must(people().update_user(author_, eve.id,
                              {.name = {}, .email = {}, .administrator = {}, .disabled = true}));
    EXPECT_EQ(code(store().spend_link(unique_hash('n'), "hash", false)), Errc::unauthenticated);
}

TEST_F(PasswordPromises, AChangeNeedsTheCurrentPassword) {
    const auto kept = sign_in('k');
    must(store().change(author_, "hash one", "", kept));
    sign_in('o');
    EXPECT_EQ(code(store().change(author_, "hash two", "", kept)), Errc::conflict);
    EXPECT_EQ(code(store().change(author_, "hash two", "another", kept)), Errc::conflict);
    must(store().change(author_, "hash two", "hash one", kept));
    EXPECT_EQ(attempt(kind_).hash, "hash two");
    EXPECT_TRUE(is_signed_in('k'));
    EXPECT_FALSE(is_signed_in('o'));
    must(store().change(author_, "hash three", "hash two", {}));
    EXPECT_FALSE(is_signed_in('k')) << "a token changed it";
}

TEST_F(PasswordPromises, ATokenSetsNoFirstPassword) {
    identity::Token token;
    token.user = people_.user;
    token.name = "a token";
    token.hint = "plm_t_ab";
    token.scopes = {"jobs:read"};
    const auto made = must(people().create_token(author_, token, unique_hash('t'), {}));
    EXPECT_EQ(code(store().change(author_, "hash", "", {})), Errc::conflict);
    EXPECT_EQ(code(store().change(author_, "hash", "", sign_in('b', {}, made.id))), Errc::conflict);
    EXPECT_FALSE(must(store().changed_at(people_.user)));
}

TEST_F(PasswordPromises, APersonSignsInByAddressOrName) {
    const auto ada =
        must(people().create_user(author_, kind_ + " ada", kind_ + "@example.com", false));
    must(store().create_link(author_, ada.id, unique_hash('a'), in(kLong)));
    must(store().spend_link(unique_hash('a'), "ada's hash", false));
    EXPECT_EQ(attempt(kind_ + "@Example.COM").hash, "ada's hash");
    EXPECT_EQ(attempt(kind_ + " ada").hash, "ada's hash");
    EXPECT_FALSE(attempt(kind_ + " ada").team) << "in no team";
    EXPECT_EQ(attempt(kind_ + " ADA").hash, "");
    must(people().update_user(author_, ada.id,
                              {.name = {}, .email = {}, .administrator = {}, .disabled = true}));
    EXPECT_EQ(attempt(kind_ + "@example.com").hash, "");
}

TEST_F(PasswordPromises, TheUserReturnsToTheTeamOfTheLastSession) {
    set_password("hash");
    const auto second = must(people().create_team(author_, kind_ + " second"));
    EXPECT_EQ(attempt(kind_).team, people_.team);
    must(people().create_session({people_.user, second.id, {}, {}, {}}, unique_hash('2'),
                                 "a csrf value of its own", in(kLong)));
    EXPECT_EQ(attempt(kind_).team, second.id);
    must(people().update_team(author_, second.id, {{}, true}));
    EXPECT_EQ(attempt(kind_).team, people_.team);
}

TEST_F(PasswordPromises, DelaysBetweenAttemptsGrow) {
    set_password("hash");
    for (const auto& name : {kind_, kind_ + " of nobody"}) {
        for (int i = 0; i < identity::kFreePasswordAttempts; ++i)
            EXPECT_EQ(attempt(name).wait, kNone) << name << i;
        std::chrono::seconds wait{1};
        for (int i = 0; i < 12; ++i) {
            age_passwords(-kLong);
            const auto refused = attempt(name);
            EXPECT_LE(refused.wait, kLong + wait) << name;
            EXPECT_GT(refused.wait, kLong + wait - std::chrono::seconds(20)) << name;
            EXPECT_EQ(refused.hash, "") << name;
            age_passwords(kLong + wait);
            EXPECT_EQ(attempt(name).wait, kNone) << name;
            wait = std::min(2 * wait, identity::kLongestPasswordWait);
        }
        age_passwords(std::chrono::hours(25));
        for (int i = 0; i < identity::kFreePasswordAttempts; ++i)
            EXPECT_EQ(attempt(name).wait, kNone) << name << i;
    }
}

TEST_F(PasswordPromises, TheRightPasswordResetsTheAttempts) {
    set_password("hash");
    for (int i = 1; i < identity::kFreePasswordAttempts; ++i) attempt(kind_);
    must(store().forget_attempts(attempt(kind_)));
    for (int i = 0; i < identity::kFreePasswordAttempts; ++i) EXPECT_EQ(attempt(kind_).wait, kNone);
    EXPECT_TRUE(must_wait(kind_));
}

TEST_F(PasswordPromises, StrangersCannotLockTheUserOut) {
    set_password("hash");
    sign_in('h', kHome);
    for (int i = 0; i < identity::kFreePasswordAttempts; ++i) attempt(kind_);
    EXPECT_TRUE(must_wait(kind_));
    EXPECT_TRUE(must_wait(kind_, "203.0.113.5")) << "strangers count together";
    const auto home = attempt(kind_, kHome);
    EXPECT_EQ(home.wait, kNone);
    EXPECT_EQ(home.hash, "hash");
    must(store().forget_attempts(home));
    EXPECT_TRUE(must_wait(kind_)) << "strangers are not forgiven with the person";
    for (int i = 0; i < identity::kFreePasswordAttempts; ++i) attempt(kind_, kHome);
    EXPECT_TRUE(must_wait(kind_, kHome));
}

TEST_F(PasswordPromises, TheCurrentPasswordHasItsOwnCount) {
    set_password("hash");
    for (int i = 0; i < identity::kFreePasswordAttempts; ++i)
        EXPECT_EQ(must(store().begin_attempt(people_.user, kAbroad)).hash, "hash");
    age_passwords(-kLong);
    EXPECT_GT(must(store().begin_attempt(people_.user, kAbroad)).wait, kNone);
    EXPECT_EQ(attempt(kind_).wait, kNone);
}

}  // namespace
}  // namespace plimsoll::conformance
