#pragma once

#include "server/advice/records.hpp"
#include "server/postgres/pool/pool.hpp"

namespace plimsoll::postgres {

class AdviceStore final : public advice::RecordStore {
  public:
    // `pool` is of the role plimsoll_app and outlives this.
    explicit AdviceStore(Pool& pool) : pool_(pool) {}

    template <class T>
    using Answer = advice::awaitable<Result<T>>;

    Answer<std::vector<advice::Card>> cards(TeamId team) override;
    Answer<void> put_card(Author author, advice::Card card) override;
    Answer<void> remove_card(Author author, std::string id) override;
    Answer<std::vector<advice::Measurement>> measurements(TeamId team, std::optional<JobId> job,
                                                          int limit) override;
    Answer<advice::Measurement> add_measurement(Author author,
                                                advice::Measurement measurement) override;
    Answer<void> remove_measurement(Author author, advice::MeasurementId id) override;

  private:
    Answer<Replies> run(TeamId team, Statement statement);

    Pool& pool_;
};

}  // namespace plimsoll::postgres
