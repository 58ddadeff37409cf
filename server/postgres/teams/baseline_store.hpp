#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/teams/baseline_store.hpp"

namespace plimsoll::postgres {

class BaselineStore final : public teams::BaselineStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit BaselineStore(Pool& pool) : pool_(pool) {}

    Answer<std::vector<teams::Baseline>> list(TeamId team) override;
    Answer<std::optional<Found>> find(TeamId team, std::string kind,
                                      std::string comparison_key) override;
    Answer<teams::Baseline> pin(Author author, NewBaseline baseline) override;
    Answer<void> remove(Author author, teams::BaselineId id) override;

  private:
    Answer<Replies> run(TeamId team, Statement statement);

    Pool& pool_;
};

}  // namespace plimsoll::postgres
