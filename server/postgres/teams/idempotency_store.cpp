#include "server/postgres/teams/idempotency_store.hpp"

#include "server/postgres/driver/optional.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {
namespace {

constexpr int kKeptHours = 48;

}  // namespace

asio::awaitable<Result<std::optional<teams::StoredResponse>>> IdempotencyStore::reserve(
    TeamId team, std::string key, std::string fingerprint) {
    auto replies = co_await run_in(
        pool_, kCallTimeout, in_team(team),
        Statement::of(sql::answers_reserve, team, key, Bytes{fingerprint}, kKeptHours),
        Statement::of(sql::answers_read, team, key, Bytes{fingerprint}));
    if (!replies) co_return fail(std::move(replies.error()));
    if (!(*replies)[1].empty()) co_return std::nullopt;
    const Row row = replies->back()[0];
    if (!row.get<bool>("same")) {
        co_return fail(Errc::conflict, "This Idempotency-Key was used with another request.");
    }
    const auto status = row.get<Maybe<int>>("status");
    if (!status) co_return fail(Errc::cancelled, "The first request has no response yet.");
    co_return teams::StoredResponse{*status, row.get<Maybe<std::string>>("location").value_or(""),
                                    row.get<Maybe<std::string>>("body")};
}

asio::awaitable<Result<void>> IdempotencyStore::keep(TeamId team, std::string key,
                                                     teams::StoredResponse answer) {
    co_return done(co_await run_in(
        pool_, in_team(team),
        Statement::of(sql::answers_keep, team, std::move(key), answer.status,
                      unless_empty(std::move(answer.location)), std::move(answer.body))));
}

asio::awaitable<Result<void>> IdempotencyStore::release(TeamId team, std::string key) {
    co_return done(co_await run_in(pool_, in_team(team),
                                   Statement::of(sql::answers_release, team, std::move(key))));
}

}  // namespace plimsoll::postgres
