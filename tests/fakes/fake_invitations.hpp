#pragma once

#include "server/identity/invitation_store.hpp"
#include "tests/fakes/fake_identity.hpp"

#include <string>
#include <vector>

namespace plimsoll::fakes {

// Invitations in memory, into the teams of a FakeIdentity. It keeps no audit rows.
class FakeInvitations final : public identity::InvitationStore {
  public:
    explicit FakeInvitations(FakeIdentity& identity) : identity_(identity) {}

    Answer<std::vector<identity::Invitation>> list(TeamId team) override;
    Answer<identity::Invitation> create(Author author, identity::NewInvitation invitation) override;
    Answer<void> revoke(Author author, identity::InvitationId id) override;
    Answer<identity::InvitationOffer> find(std::string hash) override;
    Answer<identity::Joined> accept(std::string hash, identity::Invitee who,
                                    std::string request_id) override;

  private:
    struct Stored {
        identity::Invitation invitation;
        TeamId team;
        std::string hash;
        std::optional<TokenId> token = {};  // that it was created with
        bool open = true;                   // neither accepted nor revoked
    };

    static bool is_open(const Stored& stored);
    Answer<Stored*> valid(const std::string& hash);

    FakeIdentity& identity_;
    std::vector<Stored> stored_;
};

}  // namespace plimsoll::fakes
