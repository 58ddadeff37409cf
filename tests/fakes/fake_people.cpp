// The part of FakeIdentity that FakePasswords stands on.
#include "tests/fakes/fake_identity.hpp"

#include <algorithm>
#include <cctype>

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
    for (const auto& [id, user] : users_) {
        if (!user.email.empty() && user.email == address) return id;
    }
    for (const auto& [id, user] : users_) {
        if (!user.service && user.name == name) return id;
    }
    return std::nullopt;
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
