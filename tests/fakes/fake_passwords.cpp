#include "tests/fakes/fake_passwords.hpp"

#include <algorithm>
#include <cctype>

namespace plimsoll::fakes {

using identity::PasswordAttempt;

namespace {

std::chrono::seconds delay_after(int attempts) {
    if (attempts < identity::kFreePasswordAttempts) return {};
    const auto doublings = std::min(attempts - identity::kFreePasswordAttempts, 20);
    return std::min(std::chrono::seconds(1 << doublings), identity::kLongestPasswordWait);
}

}  // namespace

PasswordAttempt FakePasswords::begin(std::optional<UserId> user, std::string name,
                                     const std::string& address) {
    PasswordAttempt attempt;
    attempt.name = std::move(name);
    if (user && identity_.has_signed_in(*user, address)) attempt.source = address;
    auto& count = counts_[{attempt.name, attempt.source}];
    const auto open_at = count.last_at + delay_after(count.attempts);
    if (count.attempts > 0 && open_at > now()) {
        attempt.wait = std::chrono::ceil<std::chrono::seconds>(open_at - now());
        return attempt;
    }
    if (count.last_at < now() - std::chrono::hours(24)) count.attempts = 0;
    ++count.attempts;
    count.last_at = now();
    const auto person = user ? identity_.person(*user) : std::nullopt;
    if (!person || person->disabled) return attempt;
    attempt.user = user;
    attempt.team = identity_.last_team(*user);
    if (const auto found = passwords_.find(*user); found != passwords_.end()) {
        attempt.hash = found->second.hash;
    }
    return attempt;
}

FakePasswords::Answer<PasswordAttempt> FakePasswords::begin_attempt(std::string name,
                                                                    std::string address) {
    const auto user = identity_.find_person(name);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    co_return begin(user, "name " + name, address);
}

FakePasswords::Answer<PasswordAttempt> FakePasswords::begin_attempt(UserId user,
                                                                    std::string address) {
    co_return begin(user, "user " + std::to_string(user.value), address);
}

FakePasswords::Answer<void> FakePasswords::forget_attempts(PasswordAttempt attempt) {
    counts_.erase({attempt.name, attempt.source});
    co_return Result<void>{};
}

FakePasswords::Answer<void> FakePasswords::renew_hash(UserId user, std::string present,
                                                      std::string hash) {
    const auto found = passwords_.find(user);
    if (found != passwords_.end() && found->second.hash == present) {
        found->second.hash = std::move(hash);
    }
    co_return Result<void>{};
}

FakePasswords::Answer<std::optional<Timestamp>> FakePasswords::changed_at(UserId user) {
    const auto found = passwords_.find(user);
    if (found == passwords_.end()) co_return std::optional<Timestamp>{};
    co_return std::optional(found->second.changed_at);
}

FakePasswords::Answer<void> FakePasswords::change(Author author, std::string hash,
                                                  std::string present,
                                                  std::optional<SessionId> session) {
    const auto found = passwords_.find(author.user);
    const auto stored = found == passwords_.end() ? std::string() : found->second.hash;
    const bool may_begin = session && !identity_.is_opened_by_token(*session);
    if (stored != present || (present.empty() && !may_begin)) {
        co_return fail(Errc::conflict, "The password was not changed.");
    }
    replace(author.user, std::move(hash), session);
    co_return Result<void>{};
}

FakePasswords::Answer<void> FakePasswords::create_link(Author, UserId user, std::string link_hash,
                                                       Timestamp expires_at) {
    if (!identity_.person(user)) co_return fail(Errc::not_found, "The user was not found.");
    links_[link_hash] = {user, expires_at};
    co_return Result<void>{};
}

FakePasswords::Answer<void> FakePasswords::spend_link(std::string link_hash, std::string hash,
                                                      bool end_tokens) {
    const auto found = links_.find(link_hash);
    const auto person = found == links_.end() ? std::nullopt : identity_.person(found->second.user);
    if (!person || person->disabled || found->second.expires_at <= now()) {
        co_return fail(Errc::unauthenticated, "This link has already been used or has expired.");
    }
    replace(person->id, std::move(hash), {});
    if (end_tokens) identity_.end_credentials(person->id);
    co_return Result<void>{};
}

void FakePasswords::replace(UserId user, std::string hash, std::optional<SessionId> session) {
    passwords_[user] = {std::move(hash), now()};
    std::erase_if(links_, [&](const auto& link) { return link.second.user == user; });
    identity_.sign_out(user, session);
}

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
