#include "server/postgres/identity/identity_store.hpp"

#include "server/postgres/identity/identity_rows.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {

namespace {

Error user_exists() {
    return {
        Errc::conflict,
        "A user with this email address, or with a name that looks like this one, already exists.",
        {}};
}

template <class T>
std::vector<T> all(const Rows& rows, T (*from)(const Row&)) {
    std::vector<T> values;
    for (const Row row : rows) values.push_back(from(row));
    return values;
}

}  // namespace

awaitable<Result<Rows>> IdentityStore::run(Statement scope, Statement statement) {
    Batch batch;
    batch.push_back(std::move(scope));
    batch.push_back(std::move(statement));
    const auto cache = known_;
    auto replies = co_await pool_.run(std::move(batch), kCallTimeout);
    cache->forget();
    if (!replies) co_return fail(std::move(replies.error()));
    co_return std::move(replies->back());
}

awaitable<Result<std::vector<identity::Account>>> IdentityStore::users() {
    co_return every(co_await run(across_teams(), Statement::of(sql::identity_users)),
                    to_user_account);
}

awaitable<Result<identity::User>> IdentityStore::create_user(Author author, std::string name,
                                                             std::string email,
                                                             bool administrator) {
    auto rows = co_await run(
        across_teams(),
        Statement::of(sql::identity_create_user, std::move(name), unless_empty(std::move(email)),
                      administrator, author.team.value, author.user.value, author.request_id));
    if (rows) co_return to_user((*rows)[0]);
    if (rows.error().code == Errc::conflict) co_return fail(user_exists());
    co_return fail(std::move(rows.error()));
}

awaitable<Result<identity::User>> IdentityStore::update_user(Author author, UserId user,
                                                             identity::UserChange change) {
    auto rows =
        co_await run(across_teams(),
                     Statement::of(sql::identity_update_user, user.value, change.name, change.email,
                                   change.administrator, change.disabled, author.team.value,
                                   author.user.value, author.request_id, author.seen));
    if (!rows && rows.error().code == Errc::conflict) co_return fail(user_exists());
    if (!rows) co_return fail(std::move(rows.error()));
    if (rows->empty()) co_return fail(Errc::not_found, "The user was not found.");
    const Row row = (*rows)[0];
    if (!row.get<bool>("may"))
        co_return fail(Errc::conflict, "The installation must keep at least one system admin.");
    if (!row.get<std::optional<std::int64_t>>("id")) co_return fail(changed_meanwhile());
    co_return to_user(row);
}

awaitable<Result<std::vector<identity::Team>>> IdentityStore::teams(UserId user) {
    Batch batch;
    batch.push_back(across_teams());
    batch.push_back(Statement::of(sql::identity_user, user.value));
    batch.push_back(Statement::of(sql::identity_all_teams));
    batch.push_back(Statement::of(sql::identity_teams_of, user.value));
    CO_TRY(auto replies, co_await pool_.run(std::move(batch), kCallTimeout));
    const Rows& person = replies[1];
    const bool administrator = !person.empty() && person[0].get<bool>("is_admin");
    co_return all(administrator ? replies[2] : replies[3], to_team);
}

awaitable<Result<std::vector<identity::Membership>>> IdentityStore::memberships(UserId user) {
    Batch batch;
    batch.push_back(across_teams());
    batch.push_back(Statement::of(sql::identity_teams_of, user.value));
    CO_TRY(auto replies, co_await pool_.run(std::move(batch), kCallTimeout));
    co_return all(replies.back(), to_membership);
}

awaitable<Result<identity::Team>> IdentityStore::create_team(Author author, std::string name) {
    auto rows = co_await run(
        across_teams(), Statement::of(sql::identity_create_team, std::move(name), author.team.value,
                                      author.user.value, author.request_id));
    if (rows) co_return to_team((*rows)[0]);
    if (rows.error().code == Errc::conflict)
        co_return fail(Errc::conflict, "A team with this name already exists.");
    co_return fail(std::move(rows.error()));
}

awaitable<Result<identity::Team>> IdentityStore::update_team(Author author, TeamId team,
                                                             identity::TeamChange change) {
    auto rows = co_await run(
        across_teams(),
        Statement::of(sql::identity_update_team, team.value, change.name, change.archived,
                      author.team.value, author.user.value, author.request_id, author.seen));
    if (rows && rows->empty())
        co_return fail(not_edited(author, {Errc::not_found, "The team was not found.", {}}));
    if (rows) co_return to_team((*rows)[0]);
    if (rows.error().code == Errc::conflict)
        co_return fail(Errc::conflict, "A team with this name already exists.");
    co_return fail(std::move(rows.error()));
}

awaitable<Result<std::vector<identity::Member>>> IdentityStore::members(TeamId team) {
    co_return every(co_await run(in_team(team), Statement::of(sql::identity_members, team.value)),
                    to_member);
}

awaitable<Result<void>> IdentityStore::set_member(Author author, TeamId team, UserId user,
                                                  identity::Role role) {
    co_return found(co_await run(across_teams(),
                                 Statement::of(sql::identity_set_member, team.value, user.value,
                                               to_string(role), author.team.value,
                                               author.user.value, author.request_id, author.seen)),
                    not_edited(author, {Errc::not_found, "The user was not found.", {}}));
}

awaitable<Result<void>> IdentityStore::remove_member(Author author, TeamId team, UserId user) {
    co_return found(
        co_await run(across_teams(),
                     Statement::of(sql::identity_remove_member, team.value, user.value,
                                   author.team.value, author.user.value, author.request_id)),
        {Errc::not_found, "The member was not found.", {}});
}

awaitable<Result<std::vector<identity::Token>>> IdentityStore::tokens(TeamId team,
                                                                      std::optional<UserId> user) {
    std::optional<std::int64_t> only;
    if (user) only = user->value;
    co_return every(
        co_await run(in_team(team), Statement::of(sql::identity_tokens, team.value, only)),
        to_token);
}

awaitable<Result<identity::Token>> IdentityStore::create_token(Author author, identity::Token token,
                                                               std::string hash,
                                                               identity::TokenOrigin origin) {
    const std::vector<std::string> scopes(token.scopes.begin(), token.scopes.end());
    std::optional<std::int64_t> parent;
    if (origin.token) parent = origin.token->value;
    std::optional<std::int64_t> session;
    if (origin.session) session = origin.session->value;
    auto rows =
        co_await run(in_team(author.team),
                     Statement::of(sql::identity_create_token, author.team.value, token.user.value,
                                   token.name, Bytes{std::move(hash)}, token.hint, scopes,
                                   token.expires_at, parent, session, identity::kTokensPerUser,
                                   author.team.value, author.user.value, author.request_id));
    if (!rows) {
        if (rows.error().code == Errc::conflict)
            co_return fail(Errc::not_found, "The user is not a member of this team.");
        co_return fail(std::move(rows.error()));
    }
    if (rows->empty()) {
        co_return fail(Errc::conflict, "The user has " + std::to_string(identity::kTokensPerUser) +
                                           " tokens in this team, the maximum. Revoke one first.");
    }
    const Row row = (*rows)[0];
    token.id = TokenId{row.get<std::int64_t>("id")};
    token.user_name = row.get<std::optional<std::string>>("user_name").value_or("");
    token.created_at = row.get<Timestamp>("created_at");
    co_return token;
}

awaitable<Result<void>> IdentityStore::rename_token(Author author, TokenId id, std::string name) {
    co_return found(co_await run(in_team(author.team),
                                 Statement::of(sql::identity_rename_token, id.value,
                                               std::move(name), author.team.value,
                                               author.user.value, author.request_id, author.seen)),
                    not_edited(author, {Errc::not_found, "The token was not found.", {}}));
}

awaitable<Result<void>> IdentityStore::revoke_token(Author author, TokenId id) {
    co_return found(
        co_await run(in_team(author.team),
                     Statement::of(sql::identity_revoke_token, id.value, author.team.value,
                                   author.user.value, author.request_id)),
        {Errc::not_found, "The token was not found.", {}});
}

}  // namespace plimsoll::postgres
