// The second factor beside a password, and its recovery codes.
#include "tests/conformance/store_test.hpp"

#include <string>

namespace plimsoll::conformance {
namespace {

class SecondFactorPromises : public StoreTest {
  protected:
    SecondFactorPromises() : author_{people_.team, people_.user, "request-1"} {}

    identity::PasswordStore& store() { return stores_.passwords; }

    // A hash that no other test uses.
    std::string unique_hash(char fill) const {
        std::string text(32, fill);
        const auto team = std::to_string(people_.team.value);
        return text.replace(0, team.size(), team);
    }
    void set_password(UserId user) {
        const auto link = unique_hash(next_link_++);
        must(store().create_link(author_, user, link, in(std::chrono::hours(1))));
        must(store().spend_link(link, "a hash", false));
    }
    void add_factor() {
        set_password(people_.user);
        must(store().offer_second_factor(people_.user, secret_));
        must(store().confirm_second_factor(author_, secret_, 7, {hash_, unique_hash('2')}));
    }
    auto factor() { return must(store().second_factor(people_.user)); }

    Author author_;
    const std::string secret_ = std::string(20, 's');
    const std::string hash_ = unique_hash('1');
    char next_link_ = 'A';
};

TEST_F(SecondFactorPromises, AnOfferIsKeptUntilItIsConfirmed) {
    EXPECT_FALSE(factor());
    EXPECT_EQ(code(store().offer_second_factor(people_.user, secret_)), Errc::conflict)
        << "without a password";
    set_password(people_.user);
    must(store().offer_second_factor(people_.user, std::string(20, 'o')));
    must(store().offer_second_factor(people_.user, secret_));
    EXPECT_EQ(factor()->secret, secret_);
    EXPECT_FALSE(factor()->confirmed_at);
    EXPECT_FALSE(must(store().spend_step(people_.user, 8)));
    EXPECT_EQ(code(store().confirm_second_factor(author_, std::string(20, 'o'), 7, {hash_})),
              Errc::conflict);
    must(store().confirm_second_factor(author_, secret_, 7, {hash_}));
    EXPECT_TRUE(factor()->confirmed_at);
    EXPECT_EQ(factor()->last_step, 7);
    EXPECT_EQ(factor()->codes_left, 1);
    EXPECT_EQ(code(store().confirm_second_factor(author_, secret_, 8, {unique_hash('2')})),
              Errc::conflict);
    EXPECT_EQ(code(store().offer_second_factor(people_.user, secret_)), Errc::conflict);
}

TEST_F(SecondFactorPromises, ATimeStepIsUsedOnce) {
    add_factor();
    EXPECT_FALSE(must(store().spend_step(people_.user, 7)));
    EXPECT_TRUE(must(store().spend_step(people_.user, 9)));
    EXPECT_FALSE(must(store().spend_step(people_.user, 9)));
    EXPECT_FALSE(must(store().spend_step(people_.user, 8)));
    EXPECT_EQ(factor()->last_step, 9);
}

TEST_F(SecondFactorPromises, ARecoveryCodeIsUsedOnceAndOnlyByItsUser) {
    add_factor();
    EXPECT_FALSE(must(store().spend_recovery_code(others().user, hash_)));
    EXPECT_FALSE(must(store().spend_recovery_code(people_.user, unique_hash('?'))));
    EXPECT_TRUE(must(store().spend_recovery_code(people_.user, hash_)));
    EXPECT_FALSE(must(store().spend_recovery_code(people_.user, hash_)));
    EXPECT_EQ(factor()->codes_left, 1);
}

TEST_F(SecondFactorPromises, ANewPasswordKeepsTheSecondFactor) {
    add_factor();
    set_password(people_.user);
    EXPECT_TRUE(factor()->confirmed_at);
}

TEST_F(SecondFactorPromises, RemovingItRemovesItsRecoveryCodes) {
    add_factor();
    must(store().remove_second_factor(author_, people_.user));
    EXPECT_FALSE(factor());
    EXPECT_FALSE(must(store().spend_recovery_code(people_.user, hash_)));
    EXPECT_EQ(code(store().remove_second_factor(author_, people_.user)), Errc::not_found);
    must(store().offer_second_factor(people_.user, secret_));
    EXPECT_EQ(code(store().remove_second_factor(author_, people_.user)), Errc::not_found)
        << "was only offered";
    add_factor();
    EXPECT_EQ(factor()->codes_left, 2);
}

}  // namespace
}  // namespace plimsoll::conformance
