#pragma once

#include "server/postgres/pool/pool.hpp"
#include "server/teams/team_record_store.hpp"

#include <map>
#include <string_view>

namespace plimsoll::postgres {

// The statements of each collection are in its kind's folder (server/kinds/<kind>/store/*.sql),
// with parameters and columns as team_record_store.cpp passes and reads them.
class TeamRecordStore final : public teams::TeamRecordStore {
  public:
    // `pool` has the role plimsoll_app and outlives this.
    explicit TeamRecordStore(Pool& pool);

    template <class T>
    using Answer = queue::awaitable<Result<T>>;

    Answer<std::vector<jobs::TeamRecord>> list(jobs::Collection collection, TeamId team,
                                               std::optional<JobId> job, int limit) override;
    Answer<jobs::TeamRecord> put(jobs::Collection collection, Author author,
                                 jobs::TeamRecord record) override;
    Answer<void> remove(jobs::Collection collection, Author author, std::string id) override;

  private:
    // Throws std::out_of_range if the kind's folder lacks the statement.
    const Query& statement(jobs::Collection collection, std::string_view verb) const;
    Answer<Replies> run(TeamId team, Statement statement);

    Pool& pool_;
    std::map<std::string_view, Query> statements_;  // by name
};

}  // namespace plimsoll::postgres
