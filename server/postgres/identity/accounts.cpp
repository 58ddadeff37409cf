#include "server/postgres/identity/identity_rows.hpp"
#include "server/postgres/identity/identity_store.hpp"
#include "server/postgres/pool/scope.hpp"
#include "server/postgres/sql.hpp"

namespace plimsoll::postgres {
using identity::Member;

namespace {

Error no_such_account() { return {Errc::not_found, "The service account was not found.", {}}; }

Member to_account(const Row& row) {
    auto account = to_member(row);
    account.user.service = true;
    return account;
}

// From a statement that returns one account.
Result<Member> one_account(Result<Rows> rows, Error if_none) {
    if (rows && !rows->empty()) return to_account((*rows)[0]);
    if (rows) return fail(std::move(if_none));
    if (rows.error().code == Errc::conflict)
        return fail(Errc::conflict, "A service account with this name already exists in the team.");
    return fail(std::move(rows.error()));
}

}  // namespace

awaitable<Result<void>> IdentityStore::remove_user(Author author, UserId user) {
    CO_TRY(auto rows,
           co_await run(across_teams(),
                        Statement::of(sql::identity_remove_user, user.value, std::nullopt,
                                      author.team.value, author.user.value, author.request_id)));
    if (rows.empty()) co_return fail(Errc::not_found, "The user was not found.");
    if (rows[0].get<bool>("removed")) co_return Result<void>{};
    co_return fail(Errc::conflict, "The installation must keep at least one system admin.");
}

awaitable<Result<std::vector<Member>>> IdentityStore::service_accounts(TeamId team) {
    co_return every(
        co_await run(in_team(team), Statement::of(sql::identity_service_accounts, team.value)),
        to_account);
}

awaitable<Result<Member>> IdentityStore::create_service_account(Author author, std::string name,
                                                                identity::Role role) {
    auto full = team_limit_reached(identity::kServiceAccountsPerTeam, "service accounts");
    co_return one_account(
        co_await run(
            across_teams(),
            Statement::of(sql::identity_create_service_account, author.team.value, std::move(name),
                          to_string(role), identity::kServiceAccountsPerTeam, author.user.value,
                          author.request_id)),
        std::move(full));
}

awaitable<Result<Member>> IdentityStore::update_service_account(
    Author author, UserId account, identity::ServiceAccountChange change) {
    std::optional<std::string> role;
    if (change.role) role = to_string(*change.role);
    co_return one_account(
        co_await run(across_teams(),
                     Statement::of(sql::identity_update_service_account, author.team.value,
                                   account.value, change.name, role, change.disabled,
                                   author.user.value, author.request_id, author.seen)),
        not_edited(author, no_such_account()));
}

awaitable<Result<void>> IdentityStore::remove_service_account(Author author, UserId account) {
    co_return found(
        co_await run(across_teams(),
                     Statement::of(sql::identity_remove_user, account.value, author.team.value,
                                   author.team.value, author.user.value, author.request_id)),
        no_such_account());
}

}  // namespace plimsoll::postgres
