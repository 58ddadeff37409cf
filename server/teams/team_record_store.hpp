#pragma once

#include "engine/base/result.hpp"
#include "server/base/author.hpp"
#include "server/jobs/knowledge.hpp"

#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

namespace plimsoll::teams {

using boost::asio::awaitable;

// Records that teams keep for job kinds, by collection. Implemented by server/postgres; tests have
// a fake in memory. Another team's record is Errc::not_found, like a missing one.
class TeamRecordStore {
  public:
    virtual ~TeamRecordStore() = default;

    // In the collection's own order; of one job, or of all if `job` is empty.
    virtual awaitable<Result<std::vector<jobs::TeamRecord>>> list(jobs::Collection collection,
                                                                  TeamId team,
                                                                  std::optional<JobId> job,
                                                                  int limit) = 0;
    // Adds the record, or replaces the one with its ID. If the database numbers records,
    // `record.id` is empty and the result has it. Errc::conflict if the team has `collection.most`
    // others and none may be replaced.
    virtual awaitable<Result<jobs::TeamRecord>> put(jobs::Collection collection, Author author,
                                                    jobs::TeamRecord record) = 0;
    virtual awaitable<Result<void>> remove(jobs::Collection collection, Author author,
                                           std::string id) = 0;
};

}  // namespace plimsoll::teams
