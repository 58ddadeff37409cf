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

}  // namespace

const jobs::Contract* Planner::kind(std::string_view name) const {
    const auto found = std::ranges::find(kinds_, name, &jobs::Contract::name);
    return found == kinds_.end() ? nullptr : &*found;
}

awaitable<Completed> Planner::complete(TeamId team, Arguments given) const {
    Completed completed;
    const auto done = co_await completion_.complete(
        team, {&given, 1}, [&](std::size_t, Completed one) { completed = std::move(one); });
    if (!done) co_return tl::unexpected<Refusal>(done.error());
    co_return completed;
}

awaitable<Result<Planner::Plans>> Planner::plan_all(TeamId team,
                                                    std::span<const Arguments> all) const {
    Plans plans(all.size());
    const auto plan_one = [&](std::size_t place, const Completed& completed) {
        if (!completed) {
            plans[place] = tl::unexpected(completed.error());
        } else {
            const auto& [kind, given, start] = all[place];
            plans[place] = kind.plan(*completed ? **completed : given, settings_);
        }
    };
    const auto done = co_await completion_.complete(team, all, plan_one, &pool_);
    if (!done) co_return fail(done.error());
    co_return plans;
}

awaitable<Answered> Planner::plan(TeamId team, Arguments given, bool large) {
    const auto completed = co_await complete(team, given);
    if (!completed) co_return tl::unexpected(completed.error());
    const auto& kind = given.kind;
    const json& args = *completed ? **completed : given.args;
    const bool takes_datasets = kind.plan_dataset != nullptr || kind.gather_dataset != nullptr;
    if (takes_datasets && args.contains("dataset")) {
        co_return co_await plan_on_dataset(team, kind, args);
    }
    const auto work = [this, &kind, &args] { return kind.plan(args, settings_); };
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
    const auto place = gathering_.reserve({}, 1);
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
