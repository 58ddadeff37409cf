#pragma once

#include "server/base/fair_budget.hpp"
#include "server/planning/argument_completion.hpp"
#include "server/planning/refusal.hpp"
#include "server/queue/dataset_store.hpp"

#include <optional>
#include <span>
#include <utility>
#include <vector>

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

    // As plan() completes them, for what is no job.
    boost::asio::awaitable<Completed> complete(TeamId team, Arguments given) const;

    // `large`: parsing them takes long.
    boost::asio::awaitable<tl::expected<Planned, Refusal>> plan(TeamId team, Arguments given,
                                                                bool large = false);

    // Plans the jobs of one call, none of them on a dataset.
    using Plans = std::vector<tl::expected<jobs::Plan, Refusal>>;
    boost::asio::awaitable<Result<Plans>> plan_all(TeamId team,
                                                   std::span<const Arguments> all) const;

  private:
    using Answer = boost::asio::awaitable<tl::expected<Planned, Refusal>>;

    Answer plan_on_dataset(TeamId team, const jobs::Contract& kind, const nlohmann::json& args);
    Answer gather(TeamId team, const jobs::Contract& kind, const nlohmann::json& args,
                  const queue::Dataset& dataset);

    queue::DatasetStore& datasets_;
    Kinds kinds_;
    ArgumentCompletion completion_;
    boost::asio::thread_pool& pool_;
    jobs::KindSettings settings_;
    FairBudget gathering_{{.total = 4}};  // datasets being read into tasks: each may hold 100 MB
};

// The job of a spec from openapi.yaml, except its times and its plan.
queue::NewJob new_job(TeamId team, UserId submitter, const jobs::Contract& kind,
                      const nlohmann::json& spec);

}  // namespace plimsoll::planning
