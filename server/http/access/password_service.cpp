#include "server/http/access/password_service.hpp"

#include "server/base/offload.hpp"
#include "server/http/access/caller_limits.hpp"
#include "server/http/access/network.hpp"
#include "server/identity/secret.hpp"
#include "server/identity/totp.hpp"

#include <utility>

namespace plimsoll::http {

using identity::PasswordAttempt;

namespace {

Problem code_needed() {
    Problem problem(401, "Send the current code from your authenticator app, or a recovery code.");
    problem.slug = kCodeNeeded;
    problem.errors = {{"/credentials/code", {}, "is required"}};
    return problem;
}

// A refusal of the code that was sent with the credentials.
Problem at_code(Problem problem) {
    if (problem.status == 401)
        problem.errors = {{"/credentials/code", {}, "is wrong or has already been used"}};
    return problem;
}

Problem too_soon(std::chrono::seconds wait) {
    const auto seconds = std::to_string(wait.count());
    Problem problem(429, "Too many attempts with a wrong password or code. Try again in " +
                             seconds + (wait.count() == 1 ? " second" : " seconds") +
                             ", or use a sign-in link.");
    problem.headers = rate_limited(
        "password-attempts", "q=1;w=" + std::to_string(identity::kLongestPasswordWait.count()),
        wait.count());
    return problem;
}

}  // namespace

PasswordService::PasswordService(identity::PasswordStore& store, identity::PasswordRules rules,
                                 std::string hasher)
    : store_(store), rules_(std::move(rules)), hasher_(std::move(hasher)) {}

PasswordService::~PasswordService() { thread_.join(); }

Outcome<FairBudget::Reservation> PasswordService::take_place(const std::string& address) {
    const FairBudget::Holder network{network_of(address), {}};
    if (auto place = places_.reserve(network, 1)) return std::move(*place);
    auto kept = known_.contains(network.caller) ? kept_places_.reserve(network, 1) : std::nullopt;
    if (kept) return std::move(*kept);
    return tl::unexpected(overloaded("Too many passwords are being checked. Try again."));
}

// Takes a place first: without one, nothing is counted, so that a flood costs the database and the
// processor no more than the places allow.
awaitable<Outcome<PasswordAttempt>> PasswordService::check(Begun begun, std::string password,
                                                           const std::string& address) {
    CO_TRY(const auto place, take_place(address));
    auto attempt = co_await std::move(begun);
    if (!attempt) co_return tl::unexpected<Problem>(attempt.error());
    if (attempt->wait.count() > 0) co_return tl::unexpected(too_soon(attempt->wait));
    const auto normalized = identity::normalize_password(password);
    const bool comparable = normalized && !attempt->hash.empty();
    const auto compare = [&] {
        return hasher_.compare(comparable ? attempt->hash : unmatched_hash_,
                               normalized ? *normalized : std::string());
    };
    auto compared = co_await offload(thread_, compare);
    if (!compared) co_return tl::unexpected<Problem>(compared.error());
    if (!compared->same || !comparable) co_return refuse(401, "The name or the password is wrong.");
    if (known_.size() < limits::kKnownNetworks) known_.insert(network_of(address));
    if (!compared->newer.empty()) {
        CO_TRY_DO(co_await store_.renew_hash(*attempt->user, attempt->hash, compared->newer));
        attempt->hash = std::move(compared->newer);
    }
    co_return std::move(*attempt);
}

awaitable<Outcome<PasswordAttempt>> PasswordService::forget(PasswordAttempt attempt) {
    CO_TRY_DO(co_await store_.forget_attempts(attempt));
    co_return std::move(attempt);
}

awaitable<Outcome<PasswordAttempt>> PasswordService::check(std::string name, std::string password,
                                                           std::string code, std::string address) {
    CO_TRY(auto attempt, co_await check(store_.begin_attempt(std::move(name), address),
                                        std::move(password), address));
    CO_TRY(const auto factor, co_await store_.second_factor(*attempt.user));
    if (factor && factor->confirmed_at) {
        if (code.empty()) co_return tl::unexpected(code_needed());
        if (auto spent = co_await spend(*attempt.user, *factor, code); !spent)
            co_return tl::unexpected(at_code(spent.error()));
    }
    co_return co_await forget(std::move(attempt));
}

awaitable<Outcome<PasswordAttempt>> PasswordService::check(UserId user, std::string password,
                                                           std::string address) {
    CO_TRY(auto attempt,
           co_await check(store_.begin_attempt(user, address), std::move(password), address));
    co_return co_await forget(std::move(attempt));
}

awaitable<Outcome<void>> PasswordService::check_code(UserId user, std::string code,
                                                     std::string address) {
    CO_TRY(const auto factor, co_await store_.second_factor(user));
    if (!factor || !factor->confirmed_at) co_return refuse(404, "You have no second factor.");
    CO_TRY(auto attempt, co_await store_.begin_attempt(user, std::move(address)));
    if (attempt.wait.count() > 0) co_return tl::unexpected(too_soon(attempt.wait));
    CO_TRY_DO(co_await spend(user, *factor, code));
    CO_TRY_DO(co_await forget(std::move(attempt)));
    co_return Outcome<void>{};
}

awaitable<Outcome<void>> PasswordService::spend(UserId user, const identity::SecondFactor& factor,
                                                const std::string& code) {
    Result<bool> spent = false;
    if (const auto step = identity::match_code(factor.secret, code, factor.now, factor.last_step))
        spent = co_await store_.spend_step(user, *step);
    else if (const auto hash = identity::hash_recovery_code(code))
        spent = co_await store_.spend_recovery_code(user, *hash);
    if (!spent) co_return tl::unexpected<Problem>(spent.error());
    if (!*spent)
        co_return refuse(401,
                         "The code is wrong or has already been used. Enter the app's next code, "
                         "or another recovery code.");
    co_return Outcome<void>{};
}

awaitable<Outcome<std::string>> PasswordService::hash(std::string password, std::string pointer,
                                                      std::string address) {
    CO_TRY(const auto place, take_place(address));
    const auto work = [&]() -> Result<std::string> {
        TRY(const auto normalized, identity::normalize_password(password));
        TRY_DO(identity::check_password(rules_, normalized));
        return hasher_.hash(normalized);
    };
    auto hashed = co_await offload(thread_, work);
    if (hashed) co_return std::move(*hashed);
    Problem problem(hashed.error());
    for (auto& error : problem.errors) error.pointer = pointer;
    co_return tl::unexpected(std::move(problem));
}

}  // namespace plimsoll::http
