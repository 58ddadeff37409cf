// The part of FakeIdentity that FakePasswords stands on.
#include "tests/fakes/fake_identity.hpp"
#include "tests/fakes/stale.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace plimsoll::fakes {

std::optional<identity::User> FakeIdentity::person(UserId user) const {
    const auto found = users_.find(user);
    if (found == users_.end() || found->second.service) return std::nullopt;
    return found->second;
}

std::optional<UserId> FakeIdentity::find_person(const std::string& name) const {
    auto address = name;
    std::ranges::transform(address, address.begin(),
                           [](unsigned char c) { return std::tolower(c); });
    if (const auto owner = owner_of(address)) return owner;
    for (const auto& [id, user] : users_) {
        if (!user.email.empty() && user.email == address) return id;
    }
    for (const auto& [id, user] : users_) {
        if (!user.service && user.name == name) return id;
    }
    return std::nullopt;
}

std::optional<UserId> FakeIdentity::owner_of(std::string email) const {
    std::ranges::transform(email, email.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const auto& [id, user] : users_) {
        if (!email.empty() && user.email == email && !unverified_.contains(id)) return id;
    }
    return std::nullopt;
}

bool FakeIdentity::is_taken(const std::string& name, UserId except) const {
    const auto look = [](const std::string& text) {
        std::istringstream words(text);
        std::string shown;
        for (std::string word; words >> word;) shown += word + ' ';
        std::ranges::transform(shown, shown.begin(),
                               [](unsigned char c) { return std::tolower(c); });
        return shown;
    };
    return std::ranges::any_of(users_, [&](const auto& entry) {
        const auto& [id, user] = entry;
        return !user.service && id != except && look(user.name) == look(name);
    });
}

Result<UserId> FakeIdentity::add_invited(const std::string& name, const std::string& email) {
    if (is_taken(name)) return fail(Errc::conflict, "Taken.");
    const auto id = add_user(name, false);
    auto& address = users_[id].email = email;
    std::ranges::transform(address, address.begin(),
                           [](unsigned char c) { return std::tolower(c); });
    unverified_.insert(id);
    return id;
}

void FakeIdentity::end_credentials(UserId user) {
    sign_out(user, {});
    std::erase_if(tokens_, [&](const auto& entry) { return entry.second.token.user == user; });
}

std::optional<TeamId> FakeIdentity::last_team(UserId user) const {
    std::optional<TeamId> team;
    for (const auto& [place, role] : members_) {
        if (place.second == user && !teams_.at(place.first).archived && !team) team = place.first;
    }
    const auto last = last_teams_.find(user);
    if (last != last_teams_.end() && members_.contains({last->second, user}) &&
        !teams_.at(last->second).archived) {
        team = last->second;
    }
    return team;
}

std::optional<TeamId> FakeIdentity::team_named(const std::string& name) const {
    for (const auto& [id, team] : teams_) {
        if (team.name == name && !team.archived) return id;
    }
    return std::nullopt;
}

bool FakeIdentity::has_signed_in(UserId user, const std::string& network) const {
    return networks_.contains({user, network});
}

bool FakeIdentity::has_token(TokenId id) const {
    return std::ranges::any_of(tokens_,
                               [id](const auto& one) { return one.second.token.id == id; });
}

bool FakeIdentity::is_opened_by_token(SessionId session) const {
    return std::ranges::any_of(sessions_, [session](const auto& entry) {
        return entry.second.id == session && entry.second.who.token;
    });
}

void FakeIdentity::sign_out(UserId user, std::optional<SessionId> except) {
    std::erase_if(sessions_, [&](const auto& entry) {
        return entry.second.who.user == user && entry.second.id != except;
    });
    std::erase_if(links_, [user](const auto& entry) { return entry.second.who.user == user; });
}

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
