#pragma once

#include "engine/base/result.hpp"
#include "server/base/author.hpp"
#include "server/base/awaitable.hpp"
#include "server/queue/shares.hpp"
#include "server/queue/store.hpp"

// Stores teams' shares, limits, holds and usage for the API. Implemented by server/postgres. Every
// write adds an audit row in the same transaction.
namespace plimsoll::queue {

class ShareStore {
  public:
    virtual ~ShareStore() = default;

    template <class T>
    using Answer = awaitable<Result<T>>;

    // Of one team, or of all teams if none is given.
    virtual Answer<std::vector<Share>> shares(std::optional<TeamId> team) = 0;
    virtual Answer<std::vector<TeamLimit>> limits(std::optional<TeamId> team) = 0;
    // All holds of devices, and the holds of one team, or of all teams if none is given.
    virtual Answer<std::vector<Hold>> holds(std::optional<TeamId> team) = 0;
    virtual Answer<std::vector<ClassOverview>> classes() = 0;
    // Everything that blocks vacuum, oldest first.
    virtual Answer<std::vector<VacuumHolder>> vacuum_holders() = 0;
    // Ordered by time, then by usage, largest first.
    virtual Answer<std::vector<Usage>> usage(UsageQuery query) = 0;

    // Errc::not_found: the team does not exist.
    virtual Answer<void> set_share(Author author, TeamId team, std::string device_class,
                                   ShareTerms terms) = 0;
    // Errc::not_found: the team does not exist.
    virtual Answer<void> set_limits(Author author, TeamId team, TeamLimits limits) = 0;
    // Errc::not_found: the class does not exist.
    virtual Answer<void> set_class(Author author, std::string device_class,
                                   double half_life_seconds, double entry_limit_seconds) = 0;
    // When it returns, nothing more is claimed; running tasks finish. Errc::not_found: the team,
    // class, node or device does not exist.
    virtual Answer<std::int64_t> hold(Author author, NewHold hold) = 0;
    // With a team: only that team's holds, and none made by a system admin. Errc::not_found
    // otherwise.
    virtual Answer<void> resume(Author author, std::int64_t id, std::optional<TeamId> team) = 0;
    // Asks a device's worker to release what it keeps between tasks; JobStore::devices() reports
    // the result. Errc::not_found: the device does not exist; Errc::conflict: no worker runs it.
    virtual Answer<void> ask_cleanup(Author author, std::string node, std::string device) = 0;
};

}  // namespace plimsoll::queue
