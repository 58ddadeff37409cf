#include "tests/fakes/fake_invitations.hpp"

#include "server/identity/identity.hpp"

#include <algorithm>
#include <cctype>

namespace plimsoll::fakes {

using identity::Invitation;
using identity::InvitationOffer;
using identity::Joined;

namespace {

tl::unexpected<Error> invites_nobody() {
    return fail(Errc::not_found,
                "This invitation is invalid, has been used or revoked, or has expired.");
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

}  // namespace

bool FakeInvitations::is_open(const Stored& stored) {
    return stored.open && stored.invitation.expires_at > SystemClock().now();
}

FakeInvitations::Answer<std::vector<Invitation>> FakeInvitations::list(TeamId team) {
    std::vector<Invitation> found;
    for (const auto& stored : stored_) {
        if (stored.team == team && is_open(stored)) found.push_back(stored.invitation);
    }
    co_return found;
}

FakeInvitations::Answer<Invitation> FakeInvitations::create(Author author,
                                                            identity::NewInvitation invitation) {
    const auto present = co_await list(author.team);
    if (present->size() >= identity::kInvitationsPerTeam) {
        co_return fail(Errc::conflict, "The team has the most open invitations.");
    }
    Stored stored;
    stored.team = author.team;
    stored.hash = std::move(invitation.hash);
    stored.token = invitation.origin.token;
    stored.invitation = {identity::InvitationId{static_cast<std::int64_t>(stored_.size()) + 1},
                         invitation.role,
                         lower(std::move(invitation.email)),
                         author.user,
                         identity_.name_of(author.user),
                         SystemClock().now(),
                         invitation.expires_at};
    stored_.push_back(stored);
    co_return stored.invitation;
}

FakeInvitations::Answer<void> FakeInvitations::revoke(Author author, identity::InvitationId id) {
    for (auto& stored : stored_) {
        if (stored.invitation.id != id || stored.team != author.team || !is_open(stored)) continue;
        stored.open = false;
        co_return Result<void>{};
    }
    co_return fail(Errc::not_found, "The invitation was not found.");
}

FakeInvitations::Answer<FakeInvitations::Stored*> FakeInvitations::valid(const std::string& hash) {
    const auto found = std::ranges::find(stored_, hash, &Stored::hash);
    if (found == stored_.end() || !is_open(*found)) co_return invites_nobody();
    if (found->token && !identity_.has_token(*found->token)) co_return invites_nobody();
    const auto maker = identity_.person(found->invitation.user);
    if (!maker || maker->disabled) co_return invites_nobody();
    const auto memberships = co_await identity_.memberships(maker->id);
    for (const auto& membership : *memberships) {
        if (membership.team.id != found->team || membership.team.archived) continue;
        const bool invites =
            identity::grants(membership.role, maker->administrator, "team:admin") &&
            identity::may_appoint(membership.role, maker->administrator, found->invitation.role);
        if (invites) co_return &*found;
    }
    co_return invites_nobody();
}

FakeInvitations::Answer<InvitationOffer> FakeInvitations::find(std::string hash) {
    const auto found = co_await valid(hash);
    if (!found) co_return fail(found.error());
    const auto& [id, role, email, user, user_name, created_at, expires_at] = (*found)->invitation;
    co_return InvitationOffer{identity_.name_of((*found)->team), role, email, user_name,
                              expires_at};
}

FakeInvitations::Answer<Joined> FakeInvitations::accept(std::string hash, identity::Invitee who,
                                                        std::string request_id) {
    const auto found = co_await valid(hash);
    if (!found) co_return fail(found.error());
    const auto& offer = (*found)->invitation;
    auto user = who.user;
    if (user && !offer.email.empty() && identity_.person(*user)->email != offer.email) {
        co_return fail(Errc::forbidden, "This invitation is for a different email address.");
    }
    if (!user) {
        const auto made =
            identity_.add_invited(who.name, offer.email.empty() ? who.email : offer.email);
        if (!made) co_return fail(made.error());
        user = *made;
    }
    const auto memberships = co_await identity_.memberships(*user);
    for (const auto& membership : *memberships) {
        if (membership.team.id == (*found)->team) co_return fail(Errc::conflict, "A member.");
    }
    (*found)->open = false;
    const auto team = (*found)->team;
    const auto joined =
        co_await identity_.set_member({team, *user, request_id}, team, *user, offer.role);
    if (!joined) co_return fail(joined.error());
    co_return Joined{*user, team};
}

}  // namespace plimsoll::fakes
