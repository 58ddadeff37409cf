#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"
#include "server/base/fair_budget.hpp"
#include "server/jobs/kind.hpp"
#include "server/queue/dataset.hpp"
#include "server/queue/store.hpp"
#include "server/teams/team_record_store.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/thread_pool.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::planning {

// Why a job cannot be planned: the invalid arguments or, if there are none, the error.
struct Refusal {
    jobs::FieldErrors arguments;
    Error error;
    bool no_dataset = false;  // because the dataset does not exist or was deleted

    Refusal(jobs::FieldErrors errors) : arguments(std::move(errors)) {}
    Refusal(Error failure) : error(std::move(failure)) {}
};

// One sentence for people: "/texts/3: The text is empty."
std::string to_text(const Refusal& refusal);

// Arguments that have passed the kind's schema. What they refer to must live until the result is
// returned.
struct Arguments {
    const jobs::Contract& kind;
    const nlohmann::json& args;
    std::optional<Timestamp> start = {};  // of the job, unless it is now
};

// Reads what planning needs to know (jobs::Needs), and the class of a device that arguments name as
// `node/device`. References must outlive it.
class PlanningContextReader {
  public:
    // `recent`: for how long devices that were read serve other calls, too.
    PlanningContextReader(teams::TeamRecordStore& records, queue::JobStore& jobs,
                          jobs::KindSettings settings = {},
                          std::chrono::seconds recent = std::chrono::seconds(1))
        : records_(records), jobs_(jobs), settings_(std::move(settings)), recent_(recent) {}

    using Outcome = tl::expected<void, Refusal>;
    // Gets the place of the arguments, and the arguments with the class of their device.
    using Work =
        std::function<Outcome(std::size_t, const nlohmann::json&, const jobs::PlanningContext&)>;

    // Calls `work` for each of the arguments of one call, on the pool if one is given, and returns
    // the outcomes in their order. What all need is read once. What is refused by devices that were
    // read for an earlier call is decided again by the current ones.
    awaitable<Result<std::vector<Outcome>>> decide(TeamId team, std::span<const Arguments> all,
                                                   Work work,
                                                   boost::asio::thread_pool* pool = nullptr) const;

  private:
    // The devices, as planning sees them.
    struct Pool {
        std::chrono::steady_clock::time_point read_at;
        std::map<std::string, std::string, std::less<>> classes;  // by `node/device`
        std::vector<jobs::PoolDevice> gpus;
        std::vector<std::string> advertisements;
        std::vector<std::string> absent_advertisements;
    };
    using SharedPool = std::shared_ptr<const Pool>;

    struct Facts {
        SharedPool pool;         // none: nothing needs it
        bool is_recent = false;  // the pool was read for an earlier call
        std::map<const jobs::Contract*, jobs::PlanningContext> kinds;
    };

    awaitable<Result<Facts>> read(TeamId team, std::span<const Arguments> all, bool anew) const;
    awaitable<Result<void>> read_pool() const;

    teams::TeamRecordStore& records_;
    queue::JobStore& jobs_;
    jobs::KindSettings settings_;
    std::chrono::seconds recent_;
    mutable SharedPool last_pool_;  // none: not read yet
};

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
    Planner(queue::DatasetStore& datasets, Kinds kinds, PlanningContextReader planning_context,
            boost::asio::thread_pool& pool)
        : datasets_(datasets),
          kinds_(kinds),
          planning_context_(std::move(planning_context)),
          pool_(pool) {}
    Planner(const Planner&) = delete;
    Planner& operator=(const Planner&) = delete;

    // Null for an unknown kind.
    const jobs::Contract* kind(std::string_view name) const;

    // By Contract::estimate, which the kind must have.
    awaitable<tl::expected<std::string, Refusal>> estimate(
        TeamId team, Arguments given, boost::asio::thread_pool& computing) const;

    // `large`: parsing them takes long.
    awaitable<tl::expected<Planned, Refusal>> plan(TeamId team, Arguments given,
                                                   bool large = false);

    // Plans the jobs of one call, none of them on a dataset.
    using Plans = std::vector<tl::expected<jobs::Plan, Refusal>>;
    awaitable<Result<Plans>> plan_all(TeamId team, std::span<const Arguments> all) const;

  private:
    using Answer = awaitable<tl::expected<Planned, Refusal>>;

    using Work = std::function<PlanningContextReader::Outcome(
        const nlohmann::json& args, const jobs::PlanningContext& planning_context)>;

    awaitable<PlanningContextReader::Outcome> decide(TeamId team, Arguments given, Work work,
                                                     boost::asio::thread_pool* pool) const;
    Answer plan_on_dataset(TeamId team, Arguments given);
    Answer gather(TeamId team, jobs::Gatherer& gatherer, const queue::Dataset& dataset);

    queue::DatasetStore& datasets_;
    Kinds kinds_;
    PlanningContextReader planning_context_;
    boost::asio::thread_pool& pool_;
    FairBudget gathering_{{.total = 4}};  // datasets being read into tasks: each may hold 100 MB
};

// The job of a spec from openapi.yaml, except its times and its plan.
queue::NewJob new_job(TeamId team, UserId submitter, const jobs::Contract& kind,
                      const nlohmann::json& spec, const tracing::Context& trace);

}  // namespace plimsoll::planning
