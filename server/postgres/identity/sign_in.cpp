#include "server/postgres/identity/identity_rows.hpp"
#include "server/postgres/identity/identity_store.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {

using identity::Principal;

awaitable<Result<std::string>> IdentityStore::cursor_key() {
    CO_TRY(auto rows, co_await pool_.run(Statement::of(sql::identity_cursor_key), kCallTimeout));
    co_return rows[0].get<std::string>("value");
}

awaitable<Result<Principal>> IdentityStore::by_token(std::string hash) {
    return owner_of({identity::SecretKind::token, std::move(hash)});
}

awaitable<Result<Principal>> IdentityStore::by_session(std::string hash) {
    return owner_of({identity::SecretKind::session, std::move(hash)});
}

awaitable<Result<Principal>> IdentityStore::owner_of(Credential credential) {
    const auto cache = known_;  // this may be gone when the answer comes
    const auto now = PrincipalCache::Clock::now();
    if (auto found = cache->find(credential, now)) co_return std::move(*found);
    const auto question = cache->ask(now);
    auto found = co_await principals_->ask(credential);
    cache->keep(credential, found, question);
    co_return found;
}

awaitable<Result<identity::NewSession>> IdentityStore::spend_sign_in_link(std::string hash) {
    CO_TRY(auto rows, co_await pool_.run(
                          Statement::of(sql::identity_spend_sign_in_link, Bytes{std::move(hash)}),
                          kCallTimeout));
    if (rows.empty()) co_return fail(invalid_credential());
    const Row row = rows[0];
    co_return identity::NewSession{row.get<UserId>("user_id"), row.get<TeamId>("team_id"), {}};
}

awaitable<Result<SessionId>> IdentityStore::create_session(identity::NewSession who,
                                                           std::string hash, std::string csrf,
                                                           Timestamp expires_at) {
    const auto token = who.token ? std::optional(who.token->value) : std::nullopt;
    CO_TRY(auto rows,
           co_await run(in_team(who.team),
                        Statement::of(sql::identity_create_session, who.team.value, who.user.value,
                                      Bytes{std::move(hash)}, std::move(csrf), expires_at, token,
                                      std::move(who.address), std::move(who.agent))));
    co_return SessionId{rows[0].get<std::int64_t>("id")};
}

awaitable<Result<std::vector<identity::Session>>> IdentityStore::sessions(
    identity::SessionsOf whose) {
    co_return every(
        co_await run_in(pool_, across_teams(),
                        Statement::of(sql::identity_sessions, whose.team.value, whose.user.value,
                                      whose.whole_team, whose.all_teams)),
        to_session);
}

awaitable<Result<void>> IdentityStore::end_session(Author author, SessionId id) {
    co_return done(co_await run(
        across_teams(),
        Statement::of(sql::identity_end_session, id.value, author.user.value, author.request_id)));
}

awaitable<Result<void>> IdentityStore::switch_team(SessionId id, TeamId team) {
    CO_TRY(auto rows, co_await run(across_teams(),
                                   Statement::of(sql::identity_switch_team, id.value, team.value)));
    if (rows.empty() || !rows[0].get<bool>("is_member"))
        co_return fail(Errc::not_found, "The team was not found, or you are not a member of it.");
    if (rows[0].get<bool>("by_token")) {
        co_return fail(Errc::conflict,
                       "This session was opened with a token, which is valid in one team only.");
    }
    co_return Result<void>{};
}

awaitable<Result<void>> IdentityStore::create_sign_in_link(Author author, UserId user, TeamId team,
                                                           std::string hash, Timestamp expires_at) {
    auto rows = co_await run(
        across_teams(), Statement::of(sql::identity_create_sign_in_link, team.value, user.value,
                                      Bytes{std::move(hash)}, expires_at, author.team.value,
                                      author.user.value, std::move(author.request_id)));
    if (rows && rows->empty())
        co_return fail(Errc::conflict, "A service account cannot sign in: it uses tokens.");
    if (rows) co_return Result<void>{};
    if (rows.error().code == Errc::conflict)
        co_return fail(Errc::not_found, "The user is not a member of this team.");
    co_return fail(std::move(rows.error()));
}

awaitable<Result<bool>> IdentityStore::bootstrap(std::string user_name, std::string team_name,
                                                 std::string link_hash, Timestamp link_expires_at) {
    Batch batch;
    batch.push_back(across_teams());
    batch.push_back(Statement::of(sql::identity_bootstrap_lock));
    batch.push_back(Statement::of(sql::identity_bootstrap, std::move(user_name),
                                  std::move(team_name), Bytes{std::move(link_hash)},
                                  link_expires_at));
    CO_TRY(auto replies, co_await pool_.run(std::move(batch), kCallTimeout));
    co_return !replies.back().empty();
}

}  // namespace plimsoll::postgres
