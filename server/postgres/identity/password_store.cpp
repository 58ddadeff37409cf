#include "server/postgres/identity/password_store.hpp"

#include "server/postgres/identity/identity_rows.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {

using boost::asio::awaitable;
using identity::PasswordAttempt;

awaitable<Result<Rows>> PasswordStore::run(Statement statement) {
    return run_in(pool_, across_teams(), std::move(statement));
}

awaitable<Result<PasswordAttempt>> PasswordStore::begin(std::optional<std::string> name,
                                                        std::optional<std::int64_t> user,
                                                        std::string address) {
    auto rows = co_await run(
        Statement::of(sql::passwords_begin_attempt, std::move(name), user, std::move(address)));
    if (!rows) co_return fail(std::move(rows.error()));
    const Row row = (*rows)[0];
    PasswordAttempt attempt;
    attempt.wait = std::chrono::seconds(row.get<std::int32_t>("wait_s"));
    attempt.user = row.get<std::optional<UserId>>("user_id");
    attempt.team = row.get<std::optional<TeamId>>("team_id");
    attempt.hash = row.get<std::optional<std::string>>("hash").value_or("");
    attempt.name = row.get<std::string>("name");
    attempt.source = row.get<std::string>("source");
    co_return attempt;
}

awaitable<Result<PasswordAttempt>> PasswordStore::begin_attempt(std::string name,
                                                                std::string address) {
    return begin(std::move(name), std::nullopt, std::move(address));
}

awaitable<Result<PasswordAttempt>> PasswordStore::begin_attempt(UserId user, std::string address) {
    return begin(std::nullopt, user.value, std::move(address));
}

awaitable<Result<void>> PasswordStore::forget_attempts(PasswordAttempt attempt) {
    co_return done(
        co_await run(Statement::of(sql::passwords_forget_attempts, Bytes{std::move(attempt.name)},
                                   std::move(attempt.source))));
}

awaitable<Result<void>> PasswordStore::renew_hash(UserId user, std::string present,
                                                  std::string hash) {
    co_return done(co_await run(
        Statement::of(sql::passwords_renew_hash, user.value, std::move(present), std::move(hash))));
}

awaitable<Result<std::optional<Timestamp>>> PasswordStore::changed_at(UserId user) {
    auto rows = co_await run(Statement::of(sql::passwords_changed_at, user.value));
    if (!rows) co_return fail(std::move(rows.error()));
    if (rows->empty()) co_return std::optional<Timestamp>{};
    co_return std::optional((*rows)[0].get<Timestamp>("changed_at"));
}

awaitable<Result<void>> PasswordStore::change(Author author, std::string hash, std::string present,
                                              std::optional<SessionId> session) {
    const auto cache = known_;
    auto rows = co_await run(
        Statement::of(sql::passwords_change, author.user.value, std::move(hash),
                      present.empty() ? std::nullopt : std::optional(std::move(present)),
                      session ? std::optional(session->value) : std::nullopt, author.team.value,
                      author.user.value, std::move(author.request_id)));
    if (!rows) co_return fail(std::move(rows.error()));
    cache->forget();
    if ((*rows)[0].get<bool>("done")) co_return Result<void>{};
    co_return fail(Errc::conflict,
                   "The password was not changed. A first password is set in a session that a "
                   "sign-in link opened, or with a link from a system admin.");
}

awaitable<Result<void>> PasswordStore::create_link(Author author, UserId user,
                                                   std::string link_hash, Timestamp expires_at) {
    co_return found(
        co_await run(Statement::of(sql::passwords_create_link, user.value,
                                   Bytes{std::move(link_hash)}, expires_at, author.team.value,
                                   author.user.value, std::move(author.request_id))),
        {Errc::not_found, "The user was not found.", {}});
}

awaitable<Result<void>> PasswordStore::spend_link(std::string link_hash, std::string hash) {
    const auto cache = known_;
    auto rows = co_await run(
        Statement::of(sql::passwords_spend_link, Bytes{std::move(link_hash)}, std::move(hash)));
    if (!rows) co_return fail(std::move(rows.error()));
    cache->forget();
    if (!(*rows)[0].get<std::optional<std::int64_t>>("user_id")) {
        co_return fail(Errc::unauthenticated, "This link has already been used or has expired.");
    }
    co_return Result<void>{};
}

}  // namespace plimsoll::postgres
