#pragma once

#include "server/planning/refusal.hpp"
#include "server/queue/store.hpp"
#include "server/teams/team_record_store.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::planning {

// Fills in what arguments leave to the server. References must outlive it.
class ArgumentCompletion {
  public:
    ArgumentCompletion(teams::TeamRecordStore& records, queue::JobStore& jobs,
                       jobs::KindSettings settings = {})
        : records_(records), jobs_(jobs), settings_(std::move(settings)) {}

    // By Contract::complete, which the kind must have. `start`: of the job, unless it is now.
    boost::asio::awaitable<tl::expected<nlohmann::json, Refusal>> complete(
        TeamId team, const jobs::Contract& kind, const nlohmann::json& args,
        std::optional<Timestamp> start = {}) const;

    // Names of the kind's collections, and those that completing these arguments needs.
    using Names = std::set<std::string_view>;
    static Names collections_for(const jobs::Contract& kind, const nlohmann::json& args);

    // The current facts about a team that Contract::complete needs, with these of its collections.
    boost::asio::awaitable<Result<jobs::Knowledge>> knowledge(TeamId team,
                                                              const jobs::Contract& kind,
                                                              Names collections) const;

    // Arguments whose `device` names a device as `node/device`, with its `device_class` filled in.
    // Refused if no such device is known, or if they name another class. The job waits for a device
    // that is not connected, as it does for a class.
    boost::asio::awaitable<tl::expected<nlohmann::json, Refusal>> with_class_of_device(
        const nlohmann::json& args) const;

    // The same with the given devices.
    static tl::expected<nlohmann::json, Refusal> with_class_of_device(
        const nlohmann::json& args, const std::vector<queue::DeviceStatus>& devices);

    boost::asio::awaitable<Result<std::vector<queue::DeviceStatus>>> devices() const {
        return jobs_.devices();
    }

  private:
    struct Pool {
        std::chrono::steady_clock::time_point read_at;
        std::vector<jobs::PoolDevice> gpus;
        std::vector<std::string> offers;
        std::vector<std::string> absent_offers;
    };
    using SharedPool = std::shared_ptr<const Pool>;

    boost::asio::awaitable<Result<SharedPool>> read_pool() const;
    boost::asio::awaitable<Result<void>> read_records(TeamId team, const jobs::Contract& kind,
                                                      Names collections,
                                                      jobs::Knowledge& into) const;

    teams::TeamRecordStore& records_;
    queue::JobStore& jobs_;
    jobs::KindSettings settings_;
    mutable SharedPool last_pool_;  // none: not read yet
};

}  // namespace plimsoll::planning
