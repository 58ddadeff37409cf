#pragma once

#include "server/base/budget.hpp"
#include "server/planning/argument_completion.hpp"
#include "server/planning/refusal.hpp"
#include "server/queue/dataset_store.hpp"

#include <map>
#include <optional>
#include <span>
#include <utility>

#include <boost/asio/thread_pool.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::planning {

// A job on a dataset with one task per chunk: the estimated seconds per record and per byte of raw
// records.
struct OnDataset {
    DatasetId id;
    double seconds_per_record = 0;
    double seconds_per_byte = 0;
};

struct Planned {
    jobs::Plan plan;  // without tasks if it is on a dataset
    std::optional<OnDataset> dataset;
};

// Turns the arguments of a job into tasks, wherever the arguments come from: completes them, reads
// datasets and calls the kind. Single-threaded; references must outlive it.
class Planner {
  public:
    using Kinds = std::span<const jobs::Contract>;

    // `pool` does blocking work.
    Planner(queue::DatasetStore& datasets, Kinds kinds, ArgumentCompletion completion,
            boost::asio::thread_pool& pool, jobs::KindSettings settings = {})
        : datasets_(datasets),
          kinds_(kinds),
          completion_(completion),
          pool_(pool),
          settings_(std::move(settings)) {}
    Planner(const Planner&) = delete;
    Planner& operator=(const Planner&) = delete;

    // Null for an unknown kind.
    const jobs::Contract* kind(std::string_view name) const;

    // For complete arguments without a dataset; on any thread.
    tl::expected<jobs::Plan, jobs::FieldErrors> plan_alone(const jobs::Contract& kind,
                                                           const nlohmann::json& args) const {
        return kind.plan(args, settings_);
    }

    // `args` have passed the kind's schema and must live until the result is returned; `large`:
    // parsing them takes long; `start`: of the job, unless it is now.
    boost::asio::awaitable<tl::expected<Planned, Refusal>> plan(
        TeamId team, const jobs::Contract& kind, const nlohmann::json& args, bool large = false,
        std::optional<Timestamp> start = {});

    // Completes the specs of one call, reading what they need only once.
    struct Known {
        std::map<std::string_view, jobs::Knowledge> kinds;
        std::vector<queue::DeviceStatus> devices;
    };
    boost::asio::awaitable<Result<Known>> know(TeamId team, const nlohmann::json& specs) const;

    // The completed arguments; none: nothing was left to the server. On any thread.
    tl::expected<std::optional<nlohmann::json>, Refusal> complete(
        const Known& known, const jobs::Contract& kind, const nlohmann::json& args,
        std::optional<Timestamp> start) const;

  private:
    using Answer = boost::asio::awaitable<tl::expected<Planned, Refusal>>;

    Answer plan_complete(TeamId team, const jobs::Contract& kind, const nlohmann::json& args,
                         bool large);
    Answer plan_on_dataset(TeamId team, const jobs::Contract& kind, const nlohmann::json& args);
    Answer gather(TeamId team, const jobs::Contract& kind, const nlohmann::json& args,
                  const queue::Dataset& dataset);

    queue::DatasetStore& datasets_;
    Kinds kinds_;
    ArgumentCompletion completion_;
    boost::asio::thread_pool& pool_;
    jobs::KindSettings settings_;
    Budget gathering_{4};  // datasets being read into tasks: each may hold 100 MB
};

// The job of a spec from openapi.yaml, except its times and its plan.
queue::NewJob new_job(TeamId team, UserId submitter, const jobs::Contract& kind,
                      const nlohmann::json& spec);

}  // namespace plimsoll::planning
