#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/teams/team_record_store.hpp"

namespace plimsoll::postgres {

class TeamRecordStore final : public teams::TeamRecordStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit TeamRecordStore(Pool& pool) : pool_(pool) {}

    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    Answer<std::vector<jobs::TeamRecord>> list(jobs::Collection collection, TeamId team,
                                               teams::RecordFilter filter) override;
    Answer<jobs::TeamRecord> put(jobs::Collection collection, Author author,
                                 jobs::TeamRecord record) override;
    Answer<void> remove(jobs::Collection collection, Author author, std::string id) override;

  private:
    Pool& pool_;
};

}  // namespace plimsoll::postgres
