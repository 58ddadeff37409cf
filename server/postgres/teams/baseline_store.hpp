#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/queue/baseline_store.hpp"

namespace plimsoll::postgres {

class BaselineStore final : public queue::BaselineStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit BaselineStore(Pool& pool) : pool_(pool) {}

    Answer<std::vector<queue::Baseline>> list(TeamId team) override;
    Answer<std::optional<Found>> find(TeamId team, std::string kind,
                                      std::string comparison_key) override;
    Answer<queue::Baseline> pin(Author author, NewBaseline baseline) override;
    Answer<void> remove(Author author, queue::BaselineId id) override;

  private:
    Answer<Replies> run(TeamId team, Statement statement);

    Pool& pool_;
};

}  // namespace plimsoll::postgres
