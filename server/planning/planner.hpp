#pragma once

#include "server/base/fair_budget.hpp"
#include "server/planning/knowledge_reader.hpp"
#include "server/planning/refusal.hpp"
#include "server/queue/dataset_store.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
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

// Turns the arguments of a job into tasks, wherever the arguments come from: finds out what
// planning them needs to know, reads datasets and calls the kind. Single-threaded; references must
// outlive it.
class Planner {
  public:
    using Kinds = std::span<const jobs::Contract>;

    // `pool` does blocking work.
    Planner(queue::DatasetStore& datasets, Kinds kinds, KnowledgeReader knowledge,
            boost::asio::thread_pool& pool)
        : datasets_(datasets), kinds_(kinds), knowledge_(std::move(knowledge)), pool_(pool) {}
    Planner(const Planner&) = delete;
    Planner& operator=(const Planner&) = delete;

    // Null for an unknown kind.
    const jobs::Contract* kind(std::string_view name) const;

    // By Contract::estimate, which the kind must have.
    boost::asio::awaitable<tl::expected<std::string, Refusal>> estimate(
        TeamId team, Arguments given, boost::asio::thread_pool& computing) const;

    // `large`: parsing them takes long.
    boost::asio::awaitable<tl::expected<Planned, Refusal>> plan(TeamId team, Arguments given,
                                                                bool large = false);

    // Plans the jobs of one call, none of them on a dataset.
    using Plans = std::vector<tl::expected<jobs::Plan, Refusal>>;
    boost::asio::awaitable<Result<Plans>> plan_all(TeamId team,
                                                   std::span<const Arguments> all) const;

  private:
    using Answer = boost::asio::awaitable<tl::expected<Planned, Refusal>>;

    using Work = std::function<KnowledgeReader::Outcome(const nlohmann::json& args,
                                                        const jobs::Knowledge& knowledge)>;

    boost::asio::awaitable<KnowledgeReader::Outcome> decide(TeamId team, Arguments given, Work work,
                                                            boost::asio::thread_pool* pool) const;
    Answer plan_on_dataset(TeamId team, Arguments given);
    Answer gather(TeamId team, jobs::Gatherer& gatherer, const queue::Dataset& dataset);

    queue::DatasetStore& datasets_;
    Kinds kinds_;
    KnowledgeReader knowledge_;
    boost::asio::thread_pool& pool_;
    FairBudget gathering_{{.total = 4}};  // datasets being read into tasks: each may hold 100 MB
};

// The job of a spec from openapi.yaml, except its times and its plan.
queue::NewJob new_job(TeamId team, UserId submitter, const jobs::Contract& kind,
                      const nlohmann::json& spec);

}  // namespace plimsoll::planning
