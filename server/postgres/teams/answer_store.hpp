#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/queue/answer_store.hpp"

namespace plimsoll::postgres {

class AnswerStore final : public queue::AnswerStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit AnswerStore(Pool& pool) : pool_(pool) {}

    Answer<std::optional<queue::KeptAnswer>> reserve(TeamId team, std::string key,
                                                     std::string fingerprint) override;
    Answer<void> keep(TeamId team, std::string key, queue::KeptAnswer answer) override;
    Answer<void> release(TeamId team, std::string key) override;

  private:
    Pool& pool_;
};

}  // namespace plimsoll::postgres
