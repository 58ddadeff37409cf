#pragma once

#include "server/advice/advisor.hpp"
#include "server/planning/refusal.hpp"
#include "server/queue/store.hpp"

#include <string_view>

#include <boost/asio/awaitable.hpp>

namespace plimsoll::planning {

// Fills in what the arguments of a kind that it knows leave to the server. What it is given must
// outlive it.
class ArgumentCompletion {
  public:
    ArgumentCompletion(advice::RecordStore& records, queue::JobStore& jobs,
                       const advice::Advisor& advisor)
        : records_(records), jobs_(jobs), advisor_(advisor) {}

    bool knows(std::string_view kind) const { return advisor_.knows(kind); }
    boost::asio::awaitable<tl::expected<nlohmann::json, Refusal>> complete(
        TeamId team, const nlohmann::json& args) const;

    // Arguments whose `device` names a device as `node/device`, with its `device_class`. Refused
    // where no such device is known, or where they name another class. One that is not connected is
    // waited for, as a class is.
    boost::asio::awaitable<tl::expected<nlohmann::json, Refusal>> with_class_of_device(
        const nlohmann::json& args) const;

  private:
    advice::RecordStore& records_;
    queue::JobStore& jobs_;
    const advice::Advisor& advisor_;
};

}  // namespace plimsoll::planning
