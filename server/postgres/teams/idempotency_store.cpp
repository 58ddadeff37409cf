#include "server/teams/idempotency_store.hpp"

#include "server/postgres/pool/pool.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"
#include "server/postgres/stores.hpp"

namespace plimsoll::postgres {

namespace {

constexpr int kKeptHours = 48;

class IdempotencyStore final : public teams::IdempotencyStore {
  public:
    explicit IdempotencyStore(Pool& pool) : pool_(pool) {}

    awaitable<Result<std::optional<teams::StoredResponse>>> reserve(
        TeamId team, std::string key, std::string fingerprint) override {
        CO_TRY(auto replies,
               co_await run_in(
                   pool_, kCallTimeout, in_team(team),
                   Statement::of(sql::answers_reserve, team, key, Bytes{fingerprint}, kKeptHours),
                   Statement::of(sql::answers_read, team, key, Bytes{fingerprint})));
        if (!replies[1].empty()) co_return std::nullopt;
        const Row row = replies.back()[0];
        if (!row.get<bool>("same"))
            co_return fail(Errc::conflict, "This Idempotency-Key was used with another request.");
        const auto status = row.get<Maybe<int>>("status");
        if (!status) co_return fail(Errc::cancelled, "The first request has no response yet.");
        co_return teams::StoredResponse{*status,
                                        row.get<Maybe<std::string>>("location").value_or(""),
                                        row.get<Maybe<std::string>>("body")};
    }

    awaitable<Result<void>> keep(TeamId team, std::string key,
                                 teams::StoredResponse answer) override {
        co_return done(co_await run_in(
            pool_, in_team(team),
            Statement::of(sql::answers_keep, team, std::move(key), answer.status,
                          unless_empty(std::move(answer.location)), std::move(answer.body))));
    }

    awaitable<Result<void>> release(TeamId team, std::string key) override {
        co_return done(co_await run_in(pool_, in_team(team),
                                       Statement::of(sql::answers_release, team, std::move(key))));
    }

  private:
    Pool& pool_;
};

}  // namespace

std::unique_ptr<teams::IdempotencyStore> make_idempotency_store(Pool& pool) {
    return std::make_unique<IdempotencyStore>(pool);
}

}  // namespace plimsoll::postgres
