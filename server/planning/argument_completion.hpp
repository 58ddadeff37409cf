#pragma once

#include "server/planning/refusal.hpp"
#include "server/queue/store.hpp"
#include "server/teams/team_record_store.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::planning {

// Arguments that have passed the kind's schema. What they refer to must live until the result is
// returned.
struct Arguments {
    const jobs::Contract& kind;
    const nlohmann::json& args;
    std::optional<Timestamp> start = {};  // of the job, unless it is now
};

// The completed arguments; none: nothing was left to the server.
using Completed = tl::expected<std::optional<nlohmann::json>, Refusal>;

// Fills in what arguments leave to the server: the class of a device named as `node/device`, and
// what Contract::complete fills in. References must outlive it.
class ArgumentCompletion {
  public:
    ArgumentCompletion(teams::TeamRecordStore& records, queue::JobStore& jobs,
                       jobs::KindSettings settings = {})
        : records_(records), jobs_(jobs), settings_(std::move(settings)) {}

    // Called once for each, with its place.
    using Then = std::function<void(std::size_t, Completed)>;

    // Completes the arguments of one call: what that needs is read once. With a pool, completes
    // them and calls `then` there.
    boost::asio::awaitable<Result<void>> complete(TeamId team, std::span<const Arguments> all,
                                                  Then then,
                                                  boost::asio::thread_pool* pool = nullptr) const;

  private:
    // The devices, as completing sees them.
    struct Pool {
        std::chrono::steady_clock::time_point read_at;
        std::map<std::string, std::string, std::less<>> classes;  // by `node/device`
        std::vector<jobs::PoolDevice> gpus;
        std::vector<std::string> offers;
        std::vector<std::string> absent_offers;
    };
    using SharedPool = std::shared_ptr<const Pool>;

    struct Facts {
        SharedPool pool;
        bool is_recent = false;  // the pool was read for an earlier call
        std::map<const jobs::Contract*, jobs::Knowledge> kinds;
    };

    boost::asio::awaitable<Result<Facts>> read(TeamId team, std::span<const Arguments> all,
                                               bool anew) const;
    boost::asio::awaitable<Result<void>> read_pool() const;
    static Completed complete_one(Facts& facts, const Arguments& one);

    teams::TeamRecordStore& records_;
    queue::JobStore& jobs_;
    jobs::KindSettings settings_;
    mutable SharedPool last_pool_;  // none: not read yet
};

}  // namespace plimsoll::planning
