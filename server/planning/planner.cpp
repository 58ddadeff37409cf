#include "server/planning/planner.hpp"

#include "server/base/offload.hpp"
#include "server/jobs/records/dataset_reading.hpp"

#include <algorithm>

namespace plimsoll::planning {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

using Answered = tl::expected<Planned, Refusal>;

Answered of_plan(tl::expected<jobs::Plan, jobs::FieldErrors> plan) {
    if (!plan) return tl::unexpected<Refusal>(std::move(plan.error()));
    return Planned{std::move(*plan), {}};
}

Refusal refused_dataset(std::string why) {
    return jobs::FieldErrors{{"/dataset", "dataset", std::move(why)}};
}

Refusal no_dataset() {
    auto refusal = refused_dataset("The dataset was not found.");
    refusal.no_dataset = true;
    return refusal;
}

jobs::DatasetShape shape_of(const queue::Dataset& dataset) {
    return {to_public(dataset.id), dataset.name, dataset.format, dataset.columns};
}

bool leaves_something(const jobs::Contract& kind, const json& args) {
    return kind.complete != nullptr && (kind.is_complete == nullptr || !kind.is_complete(args));
}

}  // namespace

const jobs::Contract* Planner::kind(std::string_view name) const {
    const auto found = std::ranges::find(kinds_, name, &jobs::Contract::name);
    return found == kinds_.end() ? nullptr : &*found;
}

awaitable<Result<Planner::Known>> Planner::know(TeamId team, const json& specs) const {
    Known known;
    std::map<const jobs::Contract*, ArgumentCompletion::Names> needed;  // with which collections
    bool needs_devices = false;
    for (const json& spec : specs) {
        const auto& of = *kind(spec.at("kind").get_ref<const std::string&>());
        const json& args = spec.at("args");
        needs_devices = needs_devices || args.contains("device");
        if (!leaves_something(of, args)) continue;
        needed[&of].merge(ArgumentCompletion::collections_for(of, args));
    }
    if (needs_devices) {
        auto devices = co_await completion_.devices();
        if (!devices) co_return fail(std::move(devices.error()));
        known.devices = std::move(*devices);
    }
    for (auto& [of, collections] : needed) {
        auto knowledge = co_await completion_.knowledge(team, *of, std::move(collections));
        if (!knowledge) co_return fail(std::move(knowledge.error()));
        known.kinds.emplace(of->name, std::move(*knowledge));
    }
    co_return known;
}

tl::expected<std::optional<json>, Refusal> Planner::complete(const Known& known,
                                                             const jobs::Contract& kind,
                                                             const json& args,
                                                             std::optional<Timestamp> start) const {
    std::optional<json> placed;
    if (args.contains("device")) {
        auto found = ArgumentCompletion::with_class_of_device(args, known.devices);
        if (!found) return tl::unexpected<Refusal>(std::move(found.error()));
        placed = std::move(*found);
    }
    if (!leaves_something(kind, args)) return placed;
    const auto& now = known.kinds.at(kind.name);
    auto later = start ? std::optional(now) : std::nullopt;
    if (later) later->at = *start;
    auto completed = kind.complete(placed ? *placed : args, later ? *later : now);
    if (!completed) return tl::unexpected<Refusal>(std::move(completed.error()));
    return std::move(*completed);
}

awaitable<Answered> Planner::plan(TeamId team, const jobs::Contract& kind, const json& args,
                                  bool large, std::optional<Timestamp> start) {
    std::optional<json> placed;
    if (args.contains("device")) {
        auto found = co_await completion_.with_class_of_device(args);
        if (!found) co_return tl::unexpected(found.error());
        placed = std::move(*found);
    }
    const json& given = placed ? *placed : args;
    if (!leaves_something(kind, given)) co_return co_await plan_complete(team, kind, given, large);
    const auto completed = co_await completion_.complete(team, kind, given, start);
    if (!completed) co_return tl::unexpected(completed.error());
    co_return co_await plan_complete(team, kind, *completed, large);
}

awaitable<Answered> Planner::plan_complete(TeamId team, const jobs::Contract& kind,
                                           const json& args, bool large) {
    const bool takes_datasets = kind.plan_dataset != nullptr || kind.gather_dataset != nullptr;
    if (takes_datasets && args.contains("dataset")) {
        co_return co_await plan_on_dataset(team, kind, args);
    }
    const auto work = [this, &kind, &args] { return plan_alone(kind, args); };
    if (!large) co_return of_plan(work());
    co_return of_plan(co_await offload(pool_, work));
}

awaitable<Answered> Planner::plan_on_dataset(TeamId team, const jobs::Contract& kind,
                                             const json& args) {
    const auto id = parse_public_id("data", args["dataset"].get_ref<const std::string&>());
    const auto dataset = co_await datasets_.get(team, DatasetId{id.value_or(0)});
    if (!dataset && dataset.error().code == Errc::not_found) {
        co_return tl::unexpected(no_dataset());
    }
    if (!dataset) co_return tl::unexpected<Refusal>(dataset.error());
    if (dataset->state != queue::DatasetState::ready) {
        co_return tl::unexpected(
            refused_dataset(dataset->state == queue::DatasetState::failed
                                ? "The dataset's file could not be read: " + dataset->error
                                : "The dataset is incomplete: its upload has not finished."));
    }
    if (kind.gather_dataset != nullptr) co_return co_await gather(team, kind, args, *dataset);
    auto plan = kind.plan_dataset(args, shape_of(*dataset));
    if (!plan) co_return tl::unexpected<Refusal>(std::move(plan.error()));
    Planned planned;
    planned.plan.args = std::move(plan->args);
    planned.plan.requirement = std::move(plan->requirement);
    planned.dataset = {dataset->id, plan->seconds_per_record, plan->seconds_per_byte};
    co_return planned;
}

// The dataset is read here, a chunk at a time, and its items are stored with the job.
awaitable<Answered> Planner::gather(TeamId team, const jobs::Contract& kind, const json& args,
                                    const queue::Dataset& dataset) {
    const auto place = gathering_.reserve(1);
    if (!place) {
        co_return tl::unexpected<Refusal>(
            Error{Errc::unavailable, "Too many datasets are being read.", {}});
    }
    auto gatherer = kind.gather_dataset(args, shape_of(dataset));
    if (!gatherer) co_return tl::unexpected<Refusal>(gatherer.error());
    const auto chunks = co_await datasets_.chunks(team, dataset.id);
    if (!chunks) co_return tl::unexpected<Refusal>(chunks.error());
    for (const auto& chunk : *chunks) {
        const auto content = co_await datasets_.chunk(team, dataset.id, chunk.seq);
        if (!content && content.error().code == Errc::not_found) {
            co_return tl::unexpected(no_dataset());
        }
        if (!content) co_return tl::unexpected<Refusal>(content.error());
        tl::expected<void, jobs::FieldErrors> taken;
        const auto work = [&] {
            return jobs::read_chunk(*content, [&](const text::RecordView& record) {
                taken = (*gatherer)->take(record);
                return taken.has_value();
            });
        };
        const auto read = co_await offload(pool_, work);
        if (!read) co_return tl::unexpected<Refusal>(read.error());
        if (!taken) co_return tl::unexpected<Refusal>(taken.error());
    }
    const auto cut = [&] { return (*gatherer)->finish(); };
    co_return of_plan(co_await offload(pool_, cut));
}

queue::NewJob new_job(TeamId team, UserId submitter, const jobs::Contract& kind, const json& spec) {
    queue::NewJob job;
    job.team = team;
    job.submitter = submitter;
    job.kind = kind.name;
    job.kind_version = kind.version;
    job.name = spec.value("name", "");
    job.labels = spec.value("labels", queue::Labels());
    job.priority = spec.value("priority", 0);
    if (const auto timeout = spec.find("timeout_seconds"); timeout != spec.end()) {
        job.timeout = queue::Seconds(timeout->get<double>());
    }
    if (spec.contains("unique")) job.unique_key = spec["unique"].at("key");
    return job;
}

}  // namespace plimsoll::planning
