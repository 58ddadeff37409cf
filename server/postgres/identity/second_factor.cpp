#include "server/postgres/identity/password_store.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {

using boost::asio::awaitable;
using identity::SecondFactor;

awaitable<Result<std::optional<SecondFactor>>> PasswordStore::second_factor(UserId user) {
    auto rows = co_await run(Statement::of(sql::second_factor_read, user.value));
    if (!rows) co_return fail(std::move(rows.error()));
    if (rows->empty()) co_return std::optional<SecondFactor>{};
    const Row row = (*rows)[0];
    SecondFactor factor;
    factor.secret = row.get<std::string>("secret");
    factor.confirmed_at = row.get<std::optional<Timestamp>>("confirmed_at");
    factor.last_step = row.get<std::int64_t>("last_step");
    factor.codes_left = row.get<std::int32_t>("codes_left");
    factor.now = row.get<Timestamp>("now");
    co_return std::optional(std::move(factor));
}

awaitable<Result<void>> PasswordStore::offer_second_factor(UserId user, std::string secret) {
    co_return found(
        co_await run(Statement::of(sql::second_factor_offer, user.value, Bytes{std::move(secret)})),
        {Errc::conflict,
         "You already have a second factor, which must be removed first, or you have no password.",
         {}});
}

awaitable<Result<void>> PasswordStore::confirm_second_factor(
    Author author, std::string secret, std::int64_t step,
    std::vector<std::string> recovery_hashes) {
    std::vector<Bytes> hashes;
    for (auto& hash : recovery_hashes) hashes.push_back(Bytes{std::move(hash)});
    co_return found(
        co_await run(Statement::of(sql::second_factor_confirm, author.user.value,
                                   Bytes{std::move(secret)}, step, hashes, author.team.value,
                                   author.user.value, std::move(author.request_id))),
        {Errc::conflict,
         "The second factor is confirmed already, or another setup has replaced this one.",
         {}});
}

awaitable<Result<bool>> PasswordStore::spend_step(UserId user, std::int64_t step) {
    auto rows = co_await run(Statement::of(sql::second_factor_spend_step, user.value, step));
    if (!rows) co_return fail(std::move(rows.error()));
    co_return !rows->empty();
}

awaitable<Result<bool>> PasswordStore::spend_recovery_code(UserId user, std::string hash) {
    auto rows = co_await run(
        Statement::of(sql::second_factor_spend_recovery_code, user.value, Bytes{std::move(hash)}));
    if (!rows) co_return fail(std::move(rows.error()));
    co_return !rows->empty();
}

awaitable<Result<void>> PasswordStore::remove_second_factor(Author author, UserId user) {
    co_return found(
        co_await run(Statement::of(sql::second_factor_remove, user.value, author.team.value,
                                   author.user.value, std::move(author.request_id))),
        {Errc::not_found, "The user has no second factor.", {}});
}

}  // namespace plimsoll::postgres
