#pragma once

#include "server/identity/invitation_store.hpp"

namespace plimsoll::fakes {

// No invitations: they are tested on the real database.
class FakeInvitations final : public identity::InvitationStore {
  public:
    Answer<std::vector<identity::Invitation>> list(TeamId) override {
        co_return std::vector<identity::Invitation>{};
    }
    Answer<identity::Invitation> create(Author, identity::NewInvitation) override {
        co_return fail(Errc::unavailable, "The fake invites nobody.");
    }
    Answer<void> revoke(Author, identity::InvitationId) override { co_return nothing(); }
    Answer<identity::InvitationOffer> find(std::string) override { co_return nothing(); }
    Answer<identity::Joined> accept(std::string, identity::Invitee, std::string) override {
        co_return nothing();
    }

  private:
    static tl::unexpected<Error> nothing() { return fail(Errc::not_found, "No invitation."); }
};

}  // namespace plimsoll::fakes
