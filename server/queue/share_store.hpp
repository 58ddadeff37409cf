#pragma once

#include "engine/base/result.hpp"
#include "server/queue/shares.hpp"
#include "server/queue/usage.hpp"

#include <boost/asio/awaitable.hpp>

// Teams' shares, holds and use, for the API. Implemented by server/postgres. Every write leaves an
// audit row in the same transaction.
namespace plimsoll::queue {

class ShareStore {
  public:
    virtual ~ShareStore() = default;

    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    // Who writes, for the audit row.
    struct Author {
        UserId user;
        std::string request_id;
    };

    // Of one team; without one, of all.
    virtual Answer<std::vector<Share>> shares(std::optional<TeamId> team) = 0;
    virtual Answer<std::vector<TeamLimit>> limits(std::optional<TeamId> team) = 0;
    // All of devices, and of teams that of one team; without one, of all.
    virtual Answer<std::vector<Hold>> holds(std::optional<TeamId> team) = 0;
    virtual Answer<std::vector<ClassOverview>> classes() = 0;
    // Everything that holds back vacuum, the longest first.
    virtual Answer<std::vector<VacuumHolder>> vacuum_holders() = 0;
    // By time, the greatest use first.
    virtual Answer<std::vector<Usage>> usage(UsageQuery query) = 0;

    // Errc::not_found: no such team.
    virtual Answer<void> set_share(Author author, TeamId team, std::string device_class,
                                   ShareTerms terms) = 0;
    // Errc::not_found: no such team.
    virtual Answer<void> set_limits(Author author, TeamId team, TeamLimits limits) = 0;
    // Errc::not_found: no such class.
    virtual Answer<void> set_class(Author author, std::string device_class,
                                   double half_life_seconds, double entry_limit_seconds) = 0;
    // Nothing is claimed any more when it returns; what runs goes on to its end. Errc::not_found:
    // there is no such team, class, node or device.
    virtual Answer<std::int64_t> hold(Author author, NewHold hold) = 0;
    // Of one team a hold that no administrator made; without a team, any. Errc::not_found.
    virtual Answer<void> resume(Author author, std::int64_t id, std::optional<TeamId> team) = 0;
    // Asks a device's worker to let go of what it keeps between tasks; JobStore::devices() tells
    // what became of it. Errc::not_found: no such device; Errc::conflict: no worker runs it.
    virtual Answer<void> ask_cleanup(Author author, std::string node, std::string device) = 0;
};

}  // namespace plimsoll::queue
