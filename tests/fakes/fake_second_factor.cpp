#include "tests/fakes/fake_passwords.hpp"

namespace plimsoll::fakes {

using identity::SecondFactor;

FakePasswords::Answer<std::optional<SecondFactor>> FakePasswords::second_factor(UserId user) {
    const auto found = factors_.find(user);
    if (found == factors_.end()) co_return std::optional<SecondFactor>{};
    auto factor = found->second;
    factor.codes_left = static_cast<int>(recovery_[user].size());
    factor.now = now();
    co_return std::optional(std::move(factor));
}

FakePasswords::Answer<void> FakePasswords::offer_second_factor(UserId user, std::string secret) {
    const auto found = factors_.find(user);
    const bool confirmed = found != factors_.end() && found->second.confirmed_at;
    if (confirmed || !passwords_.contains(user)) {
        co_return fail(Errc::conflict, "You have a second factor, or no password.");
    }
    factors_[user] = {};
    factors_[user].secret = std::move(secret);
    co_return Result<void>{};
}

FakePasswords::Answer<void> FakePasswords::confirm_second_factor(
    Author author, std::string secret, std::int64_t step,
    std::vector<std::string> recovery_hashes) {
    const auto found = factors_.find(author.user);
    if (found == factors_.end() || found->second.confirmed_at || found->second.secret != secret) {
        co_return fail(
            Errc::conflict,
            "The second factor is confirmed already, or another setup has replaced this one.");
    }
    found->second.confirmed_at = now();
    found->second.last_step = step;
    identity_.with_factor.insert(author.user);
    recovery_[author.user] = {recovery_hashes.begin(), recovery_hashes.end()};
    co_return Result<void>{};
}

FakePasswords::Answer<bool> FakePasswords::spend_step(UserId user, std::int64_t step) {
    const auto found = factors_.find(user);
    if (found == factors_.end() || !found->second.confirmed_at || found->second.last_step >= step) {
        co_return false;
    }
    found->second.last_step = step;
    co_return true;
}

FakePasswords::Answer<bool> FakePasswords::spend_recovery_code(UserId user, std::string hash) {
    co_return recovery_[user].erase(hash) > 0;
}

FakePasswords::Answer<void> FakePasswords::remove_second_factor(Author, UserId user) {
    const auto found = factors_.find(user);
    const bool confirmed = found != factors_.end() && found->second.confirmed_at;
    factors_.erase(user);
    identity_.with_factor.erase(user);
    recovery_.erase(user);
    if (confirmed) co_return Result<void>{};
    co_return fail(Errc::not_found, "The user has no second factor.");
}

}  // namespace plimsoll::fakes
