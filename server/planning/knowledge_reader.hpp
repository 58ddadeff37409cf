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

// Reads what planning needs to know (jobs::Needs), and the class of a device that arguments name as
// `node/device`. References must outlive it.
class KnowledgeReader {
  public:
    KnowledgeReader(teams::TeamRecordStore& records, queue::JobStore& jobs,
                    jobs::KindSettings settings = {})
        : records_(records), jobs_(jobs), settings_(std::move(settings)) {}

    using Outcome = tl::expected<void, Refusal>;
    // Gets the place of the arguments, and the arguments with the class of their device.
    using Work = std::function<Outcome(std::size_t, const nlohmann::json&, const jobs::Knowledge&)>;

    // Calls `work` for each of the arguments of one call, on the pool if one is given, and returns
    // the outcomes in their order. What all need is read once. What is refused by devices that were
    // read for an earlier call is decided again by the current ones.
    boost::asio::awaitable<Result<std::vector<Outcome>>> decide(
        TeamId team, std::span<const Arguments> all, Work work,
        boost::asio::thread_pool* pool = nullptr) const;

  private:
    // The devices, as planning sees them.
    struct Pool {
        std::chrono::steady_clock::time_point read_at;
        std::map<std::string, std::string, std::less<>> classes;  // by `node/device`
        std::vector<jobs::PoolDevice> gpus;
        std::vector<std::string> offers;
        std::vector<std::string> absent_offers;
    };
    using SharedPool = std::shared_ptr<const Pool>;

    struct Facts {
        SharedPool pool;         // none: nothing needs it
        bool is_recent = false;  // the pool was read for an earlier call
        std::map<const jobs::Contract*, jobs::Knowledge> kinds;
    };

    boost::asio::awaitable<Result<Facts>> read(TeamId team, std::span<const Arguments> all,
                                               bool anew) const;
    boost::asio::awaitable<Result<void>> read_pool() const;

    teams::TeamRecordStore& records_;
    queue::JobStore& jobs_;
    jobs::KindSettings settings_;
    mutable SharedPool last_pool_;  // none: not read yet
};

}  // namespace plimsoll::planning
