#pragma once

#include "engine/base/result.hpp"
#include "server/base/author.hpp"
#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

// Stores the reports that a team pinned as baselines for later reports. Implemented by
// server/postgres. Another team's baseline is Errc::not_found, like a missing one. Every write adds
// an audit row in the same transaction.
namespace plimsoll::teams {

using BaselineId = Id<struct BaselineTag>;

inline std::string to_public(BaselineId id) {
    return public_id("base", id.value);
}

constexpr int kBaselinesPerTeam = 200;

// At most one per kind and comparison key.
struct Baseline {
    BaselineId id;
    std::string kind;
    std::string comparison_key;  // identifies comparable reports, in words; at most 8,192 bytes
    std::optional<JobId> job;    // the report's job; none if it has been deleted
    std::string pinned_by;       // user name; empty if deleted
    Timestamp pinned_at;
};

class BaselineStore {
  public:
    virtual ~BaselineStore() = default;

    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    // A baseline with the report's summary as JSON text, kept for as long as the baseline.
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
    // The baseline for reports with this comparison key; nullopt if none is pinned.
    virtual Answer<std::optional<Found>> find(TeamId team, std::string kind,
                                              std::string comparison_key) = 0;
    // Replaces the baseline with the same key. Errc::conflict if the team has kBaselinesPerTeam
    // others.
    virtual Answer<Baseline> pin(Author author, NewBaseline baseline) = 0;
    virtual Answer<void> remove(Author author, BaselineId id) = 0;
};

}  // namespace plimsoll::teams
