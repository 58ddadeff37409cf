// The part of FakeIdentity that FakePasswords stands on.
#include "tests/fakes/fake_identity.hpp"

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

}  // namespace plimsoll::fakes
