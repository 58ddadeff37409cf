#pragma once

#include "server/planning/refusal.hpp"
#include "server/queue/store.hpp"
#include "server/queue/team_record_store.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::planning {

// Fills in what arguments leave to the server. What it is given must outlive it.
class ArgumentCompletion {
  public:
    ArgumentCompletion(queue::TeamRecordStore& records, queue::JobStore& jobs)
        : records_(records), jobs_(jobs) {}

    // By Contract::complete, which the kind must have.
    boost::asio::awaitable<tl::expected<nlohmann::json, Refusal>> complete(
        TeamId team, const jobs::Contract& kind, const nlohmann::json& args) const;

    // Arguments whose `device` names a device as `node/device`, with its `device_class`. Refused
    // where no such device is known, or where they name another class. One that is not connected is
    // waited for, as a class is.
    boost::asio::awaitable<tl::expected<nlohmann::json, Refusal>> with_class_of_device(
        const nlohmann::json& args) const;

  private:
    struct Pool {
        std::chrono::steady_clock::time_point read_at;
        std::vector<jobs::PoolDevice> gpus;
        std::vector<std::string> offers;
    };
    using SharedPool = std::shared_ptr<const Pool>;

    boost::asio::awaitable<Result<SharedPool>> read_pool() const;

    queue::TeamRecordStore& records_;
    queue::JobStore& jobs_;
    mutable SharedPool last_pool_;  // none: not read yet
};

}  // namespace plimsoll::planning
