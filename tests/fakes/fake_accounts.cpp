// The part of FakeIdentity that is about service accounts, users who are removed, and changes of
// teams and tokens.
#include "tests/fakes/fake_identity.hpp"
#include "tests/fakes/stale.hpp"

#include <algorithm>

namespace plimsoll::fakes {

using identity::Member;

awaitable<Result<void>> FakeIdentity::remove_user(Author, UserId id) {
    const auto found = users_.find(id);
    if (found == users_.end() || found->second.service) {
        co_return fail(Errc::not_found, "The user was not found.");
    }
    const auto administrates = [id](const auto& entry) {
        return entry.first != id && entry.second.administrator && !entry.second.disabled;
    };
    if (found->second.administrator && !found->second.disabled &&
        std::ranges::none_of(users_, administrates)) {
        co_return fail(Errc::conflict, "Nobody would administrate.");
    }
    const auto teams = teams_;
    for (const auto& [team, value] : teams) {
        if (is_last_owner(team, id)) co_return fail(Errc::conflict, "No owner would be left.");
    }
    for (const auto& [team, value] : teams) leave_team(team, id);
    users_.erase(id);
    co_return Result<void>();
}

identity::User* FakeIdentity::account_of(TeamId team, UserId account) {
    const auto found = accounts_.find(account);
    return found != accounts_.end() && found->second == team ? &users_.at(account) : nullptr;
}

awaitable<Result<std::vector<Member>>> FakeIdentity::service_accounts(TeamId team) {
    std::vector<Member> found;
    for (const auto& [account, owner] : accounts_) {
        if (owner == team) found.push_back({users_.at(account), members_.at({team, account})});
    }
    co_return found;
}

awaitable<Result<Member>> FakeIdentity::create_service_account(Author author, std::string name,
                                                               identity::Role role) {
    const auto present = co_await service_accounts(author.team);
    for (const auto& account : *present) {
        if (account.user.name == name) co_return fail(Errc::conflict, "Taken.");
    }
    if (present->size() >= identity::kServiceAccountsPerTeam) {
        co_return fail(Errc::conflict, "Too many.");
    }
    const auto id = add_user(name, false);
    users_[id].service = true;
    accounts_[id] = author.team;
    members_[{author.team, id}] = role;
    co_return Member{users_[id], role};
}

awaitable<Result<Member>> FakeIdentity::update_service_account(
    Author author, UserId account, identity::ServiceAccountChange change) {
    auto* user = account_of(author.team, account);
    if (user == nullptr) co_return fail(Errc::not_found, "The account was not found.");
    const auto present = co_await service_accounts(author.team);
    for (const auto& other : *present) {
        if (other.user.id != account && other.user.name == change.name) {
            co_return fail(Errc::conflict, "Taken.");
        }
    }
    auto& role = members_.at({author.team, account});
    if (stale(author,
              {{"name", user->name}, {"role", to_string(role)}, {"disabled", user->disabled}})) {
        co_return fail(changed_meanwhile());
    }
    user->name = change.name.value_or(user->name);
    user->disabled = change.disabled.value_or(user->disabled);
    role = change.role.value_or(role);
    co_return Member{*user, role};
}

awaitable<Result<void>> FakeIdentity::remove_service_account(Author author, UserId account) {
    if (account_of(author.team, account) == nullptr) {
        co_return fail(Errc::not_found, "The account was not found.");
    }
    leave_team(author.team, account);
    accounts_.erase(account);
    users_.erase(account);
    co_return Result<void>();
}

awaitable<Result<identity::Team>> FakeIdentity::update_team(Author author, TeamId id,
                                                            identity::TeamChange change) {
    const auto found = teams_.find(id);
    if (found == teams_.end()) co_return fail(Errc::not_found, "The team was not found.");
    for (const auto& [other, team] : teams_) {
        if (other != id && team.name == change.name) co_return fail(Errc::conflict, "Taken.");
    }
    if (stale(author, {{"name", found->second.name}, {"archived", found->second.archived}})) {
        co_return fail(changed_meanwhile());
    }
    found->second.name = change.name.value_or(found->second.name);
    found->second.archived = change.archived.value_or(found->second.archived);
    co_return found->second;
}

awaitable<Result<void>> FakeIdentity::set_member(Author author, TeamId team, UserId user,
                                                 identity::Role role) {
    if (!users_.contains(user) || accounts_.contains(user)) {
        co_return fail(Errc::not_found, "The user was not found.");
    }
    const auto present = members_.find({team, user});
    if (stale(author, present == members_.end()
                          ? nlohmann::json()
                          : nlohmann::json{{"role", to_string(present->second)}})) {
        co_return fail(changed_meanwhile());
    }
    if (role != identity::Role::owner && is_last_owner(team, user)) {
        co_return fail(Errc::conflict, "The team would have no owner.");
    }
    members_[{team, user}] = role;
    co_return Result<void>();
}

awaitable<Result<void>> FakeIdentity::rename_token(Author author, TokenId id, std::string name) {
    for (auto& [hash, issued] : tokens_) {
        if (issued.team != author.team || issued.token.id != id) continue;
        if (stale(author, {{"name", issued.token.name}})) co_return fail(changed_meanwhile());
        issued.token.name = std::move(name);
        co_return Result<void>();
    }
    co_return fail(Errc::not_found, "The token was not found.");
}

}  // namespace plimsoll::fakes
