#pragma once

#include "server/identity/invitation_store.hpp"
#include "server/postgres/identity/principal_cache.hpp"
#include "server/postgres/pool/pool.hpp"

#include <memory>
#include <utility>

namespace plimsoll::postgres {

class InvitationStore final : public identity::InvitationStore {
  public:
    // `pool` has the role plimsoll_app and outlives this. `known`: the identity store's.
    InvitationStore(Pool& pool, std::shared_ptr<PrincipalCache> known)
        : pool_(pool), known_(std::move(known)) {}

    Answer<std::vector<identity::Invitation>> list(TeamId team) override;
    Answer<identity::Invitation> create(Author author, identity::NewInvitation invitation) override;
    Answer<void> revoke(Author author, identity::InvitationId id) override;
    Answer<identity::InvitationOffer> find(std::string hash) override;
    Answer<identity::Joined> accept(std::string hash, identity::Invitee who,
                                    std::string request_id) override;

  private:
    Answer<Rows> run(TeamId team, Statement statement);

    Pool& pool_;
    std::shared_ptr<PrincipalCache> known_;
};

}  // namespace plimsoll::postgres
