#include "server/identity/password_store.hpp"

#include "server/postgres/identity/principal_cache.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"
#include "server/postgres/stores.hpp"

#include <memory>
#include <utility>

namespace plimsoll::postgres {

using identity::PasswordAttempt;
using identity::SecondFactor;

namespace {

class PasswordStore final : public identity::PasswordStore {
  public:
    PasswordStore(Pool& pool, std::shared_ptr<PrincipalCache> known)
        : pool_(pool), known_(std::move(known)) {}

    awaitable<Result<PasswordAttempt>> begin_attempt(std::string name,
                                                     std::string address) override {
        return begin(std::move(name), std::nullopt, std::move(address));
    }

    awaitable<Result<PasswordAttempt>> begin_attempt(UserId user, std::string address) override {
        return begin(std::nullopt, user.value, std::move(address));
    }

    awaitable<Result<void>> forget_attempts(PasswordAttempt attempt) override {
        co_return done(
            co_await run(Statement::of(sql::passwords_forget_attempts,
                                       Bytes{std::move(attempt.name)}, std::move(attempt.source))));
    }

    awaitable<Result<void>> renew_hash(UserId user, std::string present,
                                       std::string hash) override {
        co_return done(co_await run(Statement::of(sql::passwords_renew_hash, user.value,
                                                  std::move(present), std::move(hash))));
    }

    awaitable<Result<std::optional<Timestamp>>> changed_at(UserId user) override {
        CO_TRY(auto rows, co_await run(Statement::of(sql::passwords_changed_at, user.value)));
        if (rows.empty()) co_return std::optional<Timestamp>{};
        co_return std::optional(rows[0].get<Timestamp>("changed_at"));
    }

    awaitable<Result<void>> change(Author author, std::string hash, std::string present,
                                   std::optional<SessionId> session) override {
        const auto cache = known_;
        CO_TRY(auto rows, co_await run(Statement::of(
                              sql::passwords_change, author.user.value, std::move(hash),
                              present.empty() ? std::nullopt : std::optional(std::move(present)),
                              session ? std::optional(session->value) : std::nullopt,
                              author.team.value, author.user.value, std::move(author.request_id))));
        cache->forget();
        if (rows[0].get<bool>("done")) co_return Result<void>{};
        co_return fail(Errc::conflict,
                       "The password was not changed. A first password is set in a session that a "
                       "sign-in link opened, or with a link from a system admin.");
    }

    awaitable<Result<void>> create_link(Author author, UserId user, std::string link_hash,
                                        Timestamp expires_at) override {
        co_return found(
            co_await run(Statement::of(sql::passwords_create_link, user.value,
                                       Bytes{std::move(link_hash)}, expires_at, author.team.value,
                                       author.user.value, std::move(author.request_id))),
            {Errc::not_found, "The user was not found.", {}});
    }

    awaitable<Result<void>> spend_link(std::string link_hash, std::string hash,
                                       bool end_tokens) override {
        const auto cache = known_;
        CO_TRY(auto rows,
               co_await run(Statement::of(sql::passwords_spend_link, Bytes{std::move(link_hash)},
                                          std::move(hash), end_tokens)));
        cache->forget();
        if (!rows[0].get<std::optional<std::int64_t>>("user_id")) {
            co_return fail(Errc::unauthenticated,
                           "This link has already been used or has expired.");
        }
        co_return Result<void>{};
    }

    awaitable<Result<std::optional<SecondFactor>>> second_factor(UserId user) override {
        CO_TRY(auto rows, co_await run(Statement::of(sql::second_factor_read, user.value)));
        if (rows.empty()) co_return std::optional<SecondFactor>{};
        const Row row = rows[0];
        SecondFactor factor;
        factor.secret = row.get<std::string>("secret");
        factor.confirmed_at = row.get<std::optional<Timestamp>>("confirmed_at");
        factor.last_step = row.get<std::int64_t>("last_step");
        factor.codes_left = row.get<std::int32_t>("codes_left");
        factor.now = row.get<Timestamp>("now");
        co_return std::optional(std::move(factor));
    }

    awaitable<Result<void>> offer_second_factor(UserId user, std::string secret) override {
        co_return found(co_await run(Statement::of(sql::second_factor_offer, user.value,
                                                   Bytes{std::move(secret)})),
                        {Errc::conflict,
                         "You already have a second factor, which must be removed first, or you "
                         "have no password.",
                         {}});
    }

    awaitable<Result<void>> confirm_second_factor(
        Author author, std::string secret, std::int64_t step,
        std::vector<std::string> recovery_hashes) override {
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

    awaitable<Result<bool>> spend_step(UserId user, std::int64_t step) override {
        CO_TRY(auto rows,
               co_await run(Statement::of(sql::second_factor_spend_step, user.value, step)));
        co_return !rows.empty();
    }

    awaitable<Result<bool>> spend_recovery_code(UserId user, std::string hash) override {
        CO_TRY(auto rows, co_await run(Statement::of(sql::second_factor_spend_recovery_code,
                                                     user.value, Bytes{std::move(hash)})));
        co_return !rows.empty();
    }

    awaitable<Result<void>> remove_second_factor(Author author, UserId user) override {
        co_return found(
            co_await run(Statement::of(sql::second_factor_remove, user.value, author.team.value,
                                       author.user.value, std::move(author.request_id))),
            {Errc::not_found, "The user has no second factor.", {}});
    }

  private:
    // Across teams; the rows of the statement.
    awaitable<Result<Rows>> run(Statement statement) {
        return run_in(pool_, across_teams(), std::move(statement));
    }

    awaitable<Result<PasswordAttempt>> begin(std::optional<std::string> name,
                                             std::optional<std::int64_t> user,
                                             std::string address) {
        CO_TRY(auto rows, co_await run(Statement::of(sql::passwords_begin_attempt, std::move(name),
                                                     user, std::move(address))));
        const Row row = rows[0];
        PasswordAttempt attempt;
        attempt.wait = std::chrono::seconds(row.get<std::int32_t>("wait_s"));
        attempt.user = row.get<std::optional<UserId>>("user_id");
        attempt.team = row.get<std::optional<TeamId>>("team_id");
        attempt.hash = row.get<std::optional<std::string>>("hash").value_or("");
        attempt.name = row.get<std::string>("name");
        attempt.source = row.get<std::string>("source");
        co_return attempt;
    }

    Pool& pool_;
    std::shared_ptr<PrincipalCache> known_;
};

}  // namespace

std::unique_ptr<identity::PasswordStore> make_password_store(
    Pool& pool, std::shared_ptr<PrincipalCache> known) {
    return std::make_unique<PasswordStore>(pool, std::move(known));
}

}  // namespace plimsoll::postgres
