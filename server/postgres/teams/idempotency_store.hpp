#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/teams/idempotency_store.hpp"

namespace plimsoll::postgres {

class IdempotencyStore final : public teams::IdempotencyStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit IdempotencyStore(Pool& pool) : pool_(pool) {}

    Answer<std::optional<teams::StoredResponse>> reserve(TeamId team, std::string key,
                                                         std::string fingerprint) override;
    Answer<void> keep(TeamId team, std::string key, teams::StoredResponse answer) override;
    Answer<void> release(TeamId team, std::string key) override;

  private:
    Pool& pool_;
};

}  // namespace plimsoll::postgres
