#pragma once

#include "engine/base/result.hpp"
#include "server/base/author.hpp"
#include "server/base/awaitable.hpp"
#include "server/jobs/planning_context.hpp"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::teams {

// Which records of a collection, and what of them.
struct RecordFilter {
    std::optional<UserId> member = {};  // whose, in a collection of members' own
    std::optional<JobId> job = {};
    std::optional<std::string> section = {};
    std::optional<std::string> name = {};
    std::optional<int> limit = {};  // none: as many as the collection may have
    bool with_data = true;          // else `data` stays empty
};

// Records that teams and their members keep, by collection. Implemented by server/postgres. Another
// team's or member's record is Errc::not_found, like a missing one.
class TeamRecordStore {
  public:
    virtual ~TeamRecordStore() = default;

    // By section and name; those without names newest first.
    virtual awaitable<Result<std::vector<jobs::TeamRecord>>> list(jobs::Collection collection,
                                                                  TeamId team,
                                                                  RecordFilter filter = {}) = 0;
    // Adds the record, or replaces the one with its name. Errc::conflict if the team or the member
    // has `collection.max` others; of records without names, the oldest make room.
    virtual awaitable<Result<jobs::TeamRecord>> put(jobs::Collection collection, Author author,
                                                    jobs::TeamRecord record) = 0;
    virtual awaitable<Result<void>> remove(jobs::Collection collection, Author author,
                                           std::string id) = 0;
};

}  // namespace plimsoll::teams
