#pragma once

#include "engine/base/result.hpp"
#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

// Reports that a team pinned, for later ones to be compared with. Implemented by server/postgres.
// What another team has is Errc::not_found, like what does not exist. Every write leaves an audit
// row in the same transaction.
namespace plimsoll::queue {

using BaselineId = Id<struct BaselineTag>;

inline std::string to_public(BaselineId id) {
    return public_id("base", id.value);
}

constexpr int kBaselinesPerTeam = 200;

// At most one per kind and comparison key.
struct Baseline {
    BaselineId id;
    std::string kind;
    std::string
        comparison_key;        // what reports have in common that are compared; at most 8,192 bytes
    std::optional<JobId> job;  // whose report it was; none: the job has been deleted
    std::string pinned_by;     // name of a user; empty: deleted
    Timestamp pinned_at;
};

class BaselineStore {
  public:
    virtual ~BaselineStore() = default;

    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    struct Author {
        TeamId team;
        UserId user;
        std::string request_id;
    };
    // With the report's summary, as JSON text: it is kept for as long as the baseline is.
    struct Found {
        Baseline baseline;
        std::string summary;
    };
    struct NewBaseline {
        std::string kind;
        std::string comparison_key;
        JobId job;
        std::string summary;
    };

    // Ordered by kind and comparison key.
    virtual Answer<std::vector<Baseline>> list(TeamId team) = 0;
    // What a report with this comparison key is compared with; none: nothing is pinned.
    virtual Answer<std::optional<Found>> find(TeamId team, std::string kind,
                                              std::string comparison_key) = 0;
    // Takes the place of the one before. Errc::conflict when the team has kBaselinesPerTeam others.
    virtual Answer<Baseline> pin(Author author, NewBaseline baseline) = 0;
    virtual Answer<void> remove(Author author, BaselineId id) = 0;
};

}  // namespace plimsoll::queue
