#pragma once

#include "server/identity/provider_store.hpp"
#include "server/postgres/identity/principal_cache.hpp"
#include "server/postgres/pool/pool.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace plimsoll::postgres {

class ProviderStore final : public identity::ProviderStore {
  public:
    // `pool` has the role plimsoll_app and outlives this. `known`: the identity store's, which a
    // sign-in clears, because it changes roles.
    ProviderStore(Pool& pool, std::shared_ptr<PrincipalCache> known)
        : pool_(pool), known_(std::move(known)) {}

    Answer<bool> spend_state(std::string hash, Timestamp expires_at) override;
    Answer<identity::ProvidedSignIn> sign_in(identity::ProvidedUser user,
                                             std::string request_id) override;
    Answer<std::vector<identity::ProvidedIdentity>> identities(UserId user) override;
    Answer<void> unlink(Author author, UserId user, identity::IdentityId identity) override;

  private:
    // Across teams.
    Answer<Rows> run(Statement statement);

    Pool& pool_;
    std::shared_ptr<PrincipalCache> known_;
};

}  // namespace plimsoll::postgres
