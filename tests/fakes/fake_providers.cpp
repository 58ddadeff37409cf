#include "tests/fakes/fake_providers.hpp"

#include <algorithm>
#include <cctype>

namespace plimsoll::fakes {

using identity::ProvidedSignIn;
using identity::ProvidedUser;

FakeProviders::Answer<bool> FakeProviders::spend_state(std::string hash, Timestamp) {
    co_return spent_.insert(std::move(hash)).second;
}

std::optional<UserId> FakeProviders::known(const ProvidedUser& user) const {
    const auto found = subjects_.find({user.issuer, user.subject});
    if (found != subjects_.end() && identity_.person(found->second.user)) {
        return found->second.user;
    }
    return user.link ? identity_.owner_of(user.email) : std::nullopt;
}

FakeProviders::Answer<bool> FakeProviders::has_place(std::optional<UserId> id,
                                                     const ProvidedUser& user) {
    std::set<std::string> places;
    if (id) {
        const auto memberships = co_await identity_.memberships(*id);
        for (const auto& membership : *memberships) places.insert(membership.team.name);
    }
    for (const auto& [name, role] : user.teams) {
        if (!role) places.erase(name);
        if (role && identity_.team_named(name)) places.insert(name);
    }
    co_return !places.empty();
}

FakeProviders::Answer<UserId> FakeProviders::found_or_made(const ProvidedUser& user) {
    auto id = known(user);
    if (!id && !user.create)
        co_return fail(Errc::not_found, "No user matches this account of the provider.");
    if (id) {
        const auto person = identity_.person(*id);
        if (!person || person->disabled) co_return fail(Errc::forbidden, "The user is disabled.");
    }
    const auto taken = id ? std::nullopt : identity_.owner_of(user.email);
    if (taken) co_return fail(Errc::conflict, "The address is taken.");
    if (!*co_await has_place(id, user)) {
        co_return fail(Errc::forbidden, "The user would be in no team: see oidc.groups.");
    }
    for (const auto& name : user.names) {
        if (id) break;
        const auto made = co_await identity_.create_user({}, name, user.email, false);
        if (made) id = made->id;
    }
    if (!id) co_return fail(Errc::conflict, "Every name is taken.");
    co_return *id;
}

FakeProviders::Answer<ProvidedSignIn> FakeProviders::sign_in(ProvidedUser user,
                                                             std::string request_id) {
    const auto id = co_await found_or_made(user);
    if (!id) co_return fail(id.error());
    const auto now = SystemClock().now();
    const auto place = subjects_.find({user.issuer, user.subject});
    if (place == subjects_.end()) {
        identity_.end_credentials(*id);
        subjects_[{user.issuer, user.subject}] = {*id, {next_++}, now, now};
    } else {
        place->second.last_used_at = now;
    }
    identity_.provided.insert(*id);
    ProvidedSignIn signed_in;
    signed_in.user = *id;
    for (const auto& [name, role] : user.teams) {
        const auto team = identity_.team_named(name);
        if (!team) {
            signed_in.unknown_teams.push_back(name);
            continue;
        }
        const Author author{*team, *id, request_id};
        const auto followed = role ? co_await identity_.set_member(author, *team, *id, *role)
                                   : co_await identity_.remove_member(author, *team, *id);
        if (!followed && followed.error().code == Errc::conflict) {
            signed_in.ownerless_teams.push_back(name);
        }
    }
    signed_in.team = identity_.last_team(*id).value();
    if (user.admin) {
        identity::UserChange change;
        change.administrator = *user.admin;
        const auto followed = co_await identity_.update_user({}, *id, std::move(change));
        signed_in.last_admin = !followed;
    }
    co_return signed_in;
}

FakeProviders::Answer<std::vector<identity::ProvidedIdentity>> FakeProviders::identities(
    UserId user) {
    std::vector<identity::ProvidedIdentity> found;
    for (const auto& [name, known] : subjects_) {
        if (known.user != user) continue;
        found.push_back({known.id, name.first, name.second, known.created_at, known.last_used_at});
    }
    std::ranges::sort(found, {}, [](const auto& one) { return one.id.value; });
    co_return found;
}

FakeProviders::Answer<void> FakeProviders::unlink(Author, UserId user,
                                                  identity::IdentityId identity) {
    const auto gone = std::erase_if(subjects_, [&](const auto& one) {
        return one.second.user == user && one.second.id == identity;
    });
    if (gone == 0) co_return fail(Errc::not_found, "The user has no such identity.");
    const bool left =
        std::ranges::any_of(subjects_, [&](const auto& one) { return one.second.user == user; });
    if (!left) identity_.provided.erase(user);
    identity_.sign_out(user, {});
    co_return Result<void>{};
}

}  // namespace plimsoll::fakes
