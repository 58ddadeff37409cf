#include "server/planning/planner.hpp"

#include "engine/base/json.hpp"
#include "server/base/background_priority.hpp"
#include "server/base/offload.hpp"
#include "server/jobs/records/dataset.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace plimsoll::planning {

namespace {

using Answered = tl::expected<Planned, Refusal>;

// The arguments with the class of the device that they name. The job waits for a device that is not
// connected, as it does for a class.
template <class Classes>
tl::expected<json, Refusal> with_class_of_device(const json& args, const Classes& classes) {
    const auto& name = args.at("device").get_ref<const std::string&>();
    const auto found = classes.find(name);
    if (found == classes.end()) {
        return tl::unexpected<Refusal>(jobs::FieldErrors{
            {"/device", "unknown_device",
             "There is no device \"" + name + "\": use node/device from GET /v1/devices."}});
    }
    const auto& device_class = found->second;
    if (args.value("device_class", device_class) != device_class) {
        return tl::unexpected<Refusal>(
            jobs::FieldErrors{{"/device_class", "other_class",
                               "The device is of class " + device_class + ": omit device_class."}});
    }
    json placed = args;
    placed["device_class"] = device_class;
    return placed;
}

// Before a dataset's name: its last version, and in a schedule only if it is not the one before.
constexpr std::string_view kNewest = "newest:";
constexpr std::string_view kNew = "new:";

// Keeps what a kind made, or says why it refused.
template <class Made>
PlanningContextReader::Outcome keep(tl::expected<Made, jobs::FieldErrors> made, Made& into) {
    if (!made) return tl::unexpected<Refusal>(std::move(made.error()));
    into = std::move(*made);
    return {};
}

Refusal refused_dataset(std::string why) {
    return jobs::FieldErrors{{"/dataset", "dataset", std::move(why)}};
}

Refusal no_dataset() {
    auto refusal = refused_dataset("The dataset was not found.");
    refusal.no_dataset = true;
    return refusal;
}

awaitable<Result<queue::Dataset>> newest_dataset(queue::DatasetStore& datasets, TeamId team,
                                                 std::string_view name) {
    constexpr int kPage = 200;
    std::optional<DatasetId> before;
    for (;;) {
        CO_TRY(const auto page, co_await datasets.list(team, before, kPage));
        const auto found = std::ranges::find_if(page, [&](const queue::Dataset& dataset) {
            return dataset.name == name && dataset.state == queue::DatasetState::ready;
        });
        if (found != page.end()) co_return *found;
        if (page.size() < kPage) co_return fail(Errc::not_found, "The dataset was not found.");
        before = page.back().id;
    }
}

jobs::DatasetShape shape_of(const queue::Dataset& dataset) {
    return {to_public(dataset.id), dataset.name, dataset.format, dataset.columns};
}

}  // namespace

awaitable<Result<std::vector<PlanningContextReader::Outcome>>> PlanningContextReader::decide(
    TeamId team, std::span<const Arguments> all, Work work, boost::asio::thread_pool* pool) const {
    std::vector<Outcome> outcomes(all.size());
    std::vector<std::size_t> open(all.size());
    std::iota(open.begin(), open.end(), 0);
    for (bool anew = false; !open.empty(); anew = true) {
        CO_TRY(auto facts, co_await read(team, all, anew));
        const auto decide_one = [&](std::size_t place) -> Outcome {
            const auto& [kind, args, start] = all[place];
            auto& known = facts.kinds.at(&kind);
            known.at = start.value_or(SystemClock().now());
            if (!args.contains("device")) return work(place, args, known);
            const auto placed = with_class_of_device(args, facts.pool->classes);
            return placed ? work(place, *placed, known) : tl::unexpected(placed.error());
        };
        const auto decide_open = [&] {
            for (const auto place : open) outcomes[place] = decide_one(place);
        };
        if (pool != nullptr)
            co_await offload(*pool, decide_open);
        else
            decide_open();
        std::erase_if(open, [&](std::size_t place) {
            return outcomes[place].has_value() || !facts.is_recent;
        });
    }
    co_return outcomes;
}

awaitable<Result<PlanningContextReader::Facts>> PlanningContextReader::read(
    TeamId team, std::span<const Arguments> all, bool anew) const {
    std::map<const jobs::Contract*, jobs::Needs> needed;
    bool needs_pool = false;
    for (const auto& one : all) {
        auto& needs = needed[&one.kind];
        if (one.kind.needs != nullptr) {
            auto more = one.kind.needs(one.args);
            needs.pool = needs.pool || more.pool;
            needs.collections.merge(more.collections);
        }
        needs_pool = needs_pool || needs.pool || one.args.contains("device");
    }
    Facts facts;
    bool has_records = false;
    for (const auto& [kind, needs] : needed) {
        auto& known = facts.kinds[kind];
        known.team = team;
        known.settings = &settings_;
        for (const auto& collection : kind->collections) {
            if (!needs.collections.contains(collection.name)) continue;
            CO_TRY(auto records,
                   co_await records_.list(collection, team, {.limit = collection.planning}));
            known.records.emplace(collection.name, std::move(records));
            has_records = true;
        }
    }
    if (!needs_pool) co_return facts;
    // Otherwise every submit that needs no records would cost one more query. Offers change with
    // heartbeats, so recent ones suffice, unless they lead to a refusal.
    facts.is_recent = !anew && !has_records && last_pool_ != nullptr &&
                      std::chrono::steady_clock::now() - last_pool_->read_at < recent_;
    if (!facts.is_recent) {
        CO_TRY_DO(co_await read_pool());
    }
    facts.pool = last_pool_;
    for (auto& [kind, known] : facts.kinds) {
        if (!needed.at(kind).pool) continue;
        known.devices = facts.pool->gpus;
        known.advertisements = facts.pool->advertisements;
        known.absent_advertisements = facts.pool->absent_advertisements;
    }
    co_return facts;
}

awaitable<Result<void>> PlanningContextReader::read_pool() const {
    CO_TRY(const auto devices, co_await jobs_.devices());
    const auto pool = std::make_shared<Pool>();
    pool->read_at = std::chrono::steady_clock::now();
    const auto now = SystemClock().now();
    for (const auto& device : devices) {
        pool->classes.emplace(device.node + "/" + device.device, device.device_class);
        if (may_come_back(device, now)) {
            if (auto advertisements = queue::advertisements_of(device); !advertisements.empty())
                pool->absent_advertisements.push_back(std::move(advertisements));
        }
        if (!is_ready(device)) continue;
        if (device.device_class == "gpu")
            pool->gpus.push_back({device.node, device.name, device.memory_bytes});
        if (auto advertisements = queue::advertisements_of(device); !advertisements.empty())
            pool->advertisements.push_back(std::move(advertisements));
    }
    last_pool_ = pool;
    co_return Result<void>();
}

std::string to_text(const Refusal& refusal) {
    if (refusal.arguments.empty()) return refusal.error.message;
    const auto& first = refusal.arguments.front();
    return first.pointer + ": " + first.message;
}

const jobs::Contract* Planner::kind(std::string_view name) const {
    const auto found = std::ranges::find(kinds_, name, &jobs::Contract::name);
    return found == kinds_.end() ? nullptr : &*found;
}

awaitable<PlanningContextReader::Outcome> Planner::decide(TeamId team, Arguments given, Work work,
                                                          boost::asio::thread_pool* pool) const {
    const auto outcomes = co_await planning_context_.decide(
        team, {&given, 1},
        [&](std::size_t, const json& args, const jobs::PlanningContext& planning_context) {
            return work(args, planning_context);
        },
        pool);
    if (!outcomes) co_return tl::unexpected<Refusal>(outcomes.error());
    co_return outcomes->front();
}

awaitable<tl::expected<std::string, Refusal>> Planner::estimate(
    TeamId team, Arguments given, boost::asio::thread_pool& computing) const {
    std::string summary;
    const auto work = [&](const json& args, const jobs::PlanningContext& planning_context) {
        const BackgroundPriority background_priority;
        return keep(given.kind.estimate(args, planning_context), summary);
    };
    CO_TRY_DO(co_await decide(team, given, work, &computing));
    co_return summary;
}

awaitable<Result<Planner::Plans>> Planner::plan_all(TeamId team,
                                                    std::span<const Arguments> all) const {
    Plans plans(all.size());
    const auto work = [&](std::size_t place, const json& args,
                          const jobs::PlanningContext& planning_context) {
        return keep(all[place].kind.plan(args, planning_context), *plans[place]);
    };
    CO_TRY(const auto outcomes, co_await planning_context_.decide(team, all, work, &pool_));
    for (std::size_t i = 0; i < plans.size(); ++i)
        if (!outcomes[i]) plans[i] = tl::unexpected(outcomes[i].error());
    co_return plans;
}

awaitable<Answered> Planner::plan(TeamId team, Arguments given, bool large) {
    if (given.kind.plan_dataset != nullptr && given.args.contains("dataset"))
        co_return co_await plan_on_dataset(team, given);
    Planned planned;
    const auto work = [&](const json& args, const jobs::PlanningContext& planning_context) {
        return keep(given.kind.plan(args, planning_context), planned.plan);
    };
    CO_TRY_DO(co_await decide(team, given, work, large ? &pool_ : nullptr));
    co_return planned;
}

awaitable<Answered> Planner::plan_on_dataset(TeamId team, Arguments given) {
    const std::string_view asked = given.args["dataset"].get_ref<const std::string&>();
    const auto name = asked.starts_with(kNew)      ? asked.substr(kNew.size())
                      : asked.starts_with(kNewest) ? asked.substr(kNewest.size())
                                                   : std::string_view();
    const auto id = parse_public_id("data", std::string(asked));
    const auto dataset = name.empty() ? co_await datasets_.get(team, DatasetId{id.value_or(0)})
                                      : co_await newest_dataset(datasets_, team, name);
    if (!dataset && dataset.error().code == Errc::not_found) co_return tl::unexpected(no_dataset());
    if (!dataset) co_return tl::unexpected<Refusal>(dataset.error());
    if (dataset->state != queue::DatasetState::ready) {
        co_return tl::unexpected(
            refused_dataset(dataset->state == queue::DatasetState::failed
                                ? "The dataset's file could not be read: " + dataset->error
                                : "The dataset is incomplete: its upload has not finished."));
    }
    jobs::DatasetPlan plan;
    const auto work = [&](const json& args, const jobs::PlanningContext& planning_context) {
        return keep(given.kind.plan_dataset(args, planning_context, shape_of(*dataset)), plan);
    };
    // The job says which version it had.
    auto args = given.args;
    args["dataset"] = to_public(dataset->id);
    if (const auto done = co_await decide(team, {given.kind, args, given.start}, work, nullptr);
        !done) {
        co_return tl::unexpected(done.error());
    }
    if (plan.gatherer) co_return co_await gather(team, *plan.gatherer, *dataset);
    co_return Planned{std::move(plan.plan),
                      OnDataset{dataset->id, plan.seconds_per_record, plan.seconds_per_byte}};
}

// The dataset is read here, a chunk at a time, and its items are stored with the job.
awaitable<Answered> Planner::gather(TeamId team, jobs::Gatherer& gatherer,
                                    const queue::Dataset& dataset) {
    const auto place = gathering_.reserve({}, 1);
    if (!place) {
        co_return tl::unexpected<Refusal>(
            Error{Errc::unavailable, "Too many datasets are being read.", {}});
    }
    CO_TRY(const auto chunks, co_await datasets_.chunks(team, dataset.id));
    for (const auto& chunk : chunks) {
        const auto content = co_await datasets_.chunk(team, dataset.id, chunk.seq);
        if (!content && content.error().code == Errc::not_found)
            co_return tl::unexpected(no_dataset());
        if (!content) co_return tl::unexpected<Refusal>(content.error());
        tl::expected<void, jobs::FieldErrors> taken;
        const auto work = [&] {
            return jobs::read_chunk(*content, [&](const text::RecordView& record) {
                taken = gatherer.take(record);
                return taken.has_value();
            });
        };
        CO_TRY_DO(co_await offload(pool_, work));
        if (!taken) co_return tl::unexpected<Refusal>(taken.error());
    }
    const auto cut = [&] { return gatherer.finish(); };
    CO_TRY(auto plan, co_await offload(pool_, cut));
    co_return Planned{std::move(plan), {}};
}

queue::NewJob new_job(TeamId team, UserId submitter, const jobs::Contract& kind, const json& spec,
                      const tracing::Context& trace) {
    queue::NewJob job;
    job.trace = trace;
    job.team = team;
    job.submitter = submitter;
    job.kind = kind.name;
    job.kind_version = kind.version;
    job.name = spec.value("name", "");
    job.labels = spec.value("labels", queue::Labels());
    job.priority = spec.value("priority", 0);
    if (const auto timeout = spec.find("timeout_seconds"); timeout != spec.end())
        job.timeout = queue::Seconds(timeout->get<double>());
    if (spec.contains("unique")) job.unique_key = spec["unique"].at("key");
    return job;
}

}  // namespace plimsoll::planning
