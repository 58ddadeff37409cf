#pragma once

#include "engine/base/result.hpp"
#include "server/base/author.hpp"
#include "server/base/id.hpp"
#include "server/base/time.hpp"

#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

namespace plimsoll::advice {

using boost::asio::awaitable;

using MeasurementId = Id<struct MeasurementTag>;

inline std::string to_public(MeasurementId id) {
    return public_id("meas", id.value);
}

constexpr int kCardsPerTeam = 24;
constexpr int kMeasurementsPerTeam = 1000;  // the oldest make room

// A GPU profile of a team.
struct Card {
    std::string id;
    std::string definition;  // TrainingCustomGpu of the contract, as JSON text
};

// What a real run took, against what was predicted for it.
struct Measurement {
    MeasurementId id;
    std::optional<JobId> job;  // whose report it belongs to
    std::string
        comparison_key;  // measurements of one comparison key correct each other's estimates
    std::int64_t predicted_bytes = 0;  // reserved
    std::int64_t measured_bytes = 0;
    std::string data;  // TrainingMeasurement of the contract without id and time, as JSON text
    Timestamp created_at;
};

// Implemented by server/postgres. What another team has is Errc::not_found, like what does not
// exist.
class RecordStore {
  public:
    virtual ~RecordStore() = default;

    virtual awaitable<Result<std::vector<Card>>> cards(TeamId team) = 0;
    // Makes or replaces it. Errc::conflict when the team has kCardsPerTeam others.
    virtual awaitable<Result<void>> put_card(Author author, Card card) = 0;
    virtual awaitable<Result<void>> remove_card(Author author, std::string id) = 0;

    // Newest first; of one job, or of all when `job` is empty.
    virtual awaitable<Result<std::vector<Measurement>>> measurements(TeamId team,
                                                                     std::optional<JobId> job,
                                                                     int limit) = 0;
    virtual awaitable<Result<Measurement>> add_measurement(Author author,
                                                           Measurement measurement) = 0;
    virtual awaitable<Result<void>> remove_measurement(Author author, MeasurementId id) = 0;
};

}  // namespace plimsoll::advice
