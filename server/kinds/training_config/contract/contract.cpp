#include "engine/base/json.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "server/jobs/kind.hpp"
#include "server/jobs/records/results_converter.hpp"
#include "server/kinds/training_config/contract/advice.hpp"
#include "server/kinds/training_config/contract/collections.hpp"
#include "server/kinds/training_config/contract/complete.hpp"
#include "server/kinds/training_config/contract/limits.hpp"
#include "server/kinds/training_config/contract/options.hpp"
#include "server/kinds/training_config/contract/settings.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::jobs::training_config {
namespace {

constexpr std::array kColumns = {
    Column{"index"},
    Column{"gpu"},
    Column{"name"},
    Column{"fits"},
    Column{"max_batch"},
    Column{"batch"},
    Column{"accumulation_steps"},
    Column{"effective_batch"},
    Column{"peak_allocated_bytes"},
    Column{"peak_reserved_bytes"},
    Column{"device_used_bytes"},
    Column{"utilization_percent"},
    Column{"headroom_bytes"},
    Column{"low_bytes"},
    Column{"high_bytes"},
    Column{"samples_per_second"},
    Column{"learning_rate"},
    Column{"parallel_runs"},
    Column{"why"},
    Column{"error_code"},
    Column{"error"},
};

// One core: a search over batch sizes per card, and one more per what-if.
constexpr double kSecondsPerUnitOfWork = 0.0004;
constexpr double kSecondsOfProbe = 1;

std::int64_t work_of(const Request& request) {
    const auto& shape = request.report.shape;
    const auto runs = (request.report.what_ifs ? 9 : 1) + request.stages.size();
    return std::int64_t{shape.layers} * shape.channels * static_cast<std::int64_t>(runs);
}

Needs needs(const json& args) {
    const auto gpus = args.value("gpus", json::array());
    return {.pool = std::ranges::find(gpus, "auto") != gpus.end(),
            .collections = {kGpuProfiles.name, kMeasurements.name}};
}

// One task per card.
tl::expected<Plan, FieldErrors> plan(const json& args, const PlanningContext& planning_context) {
    TRY(auto completed, complete(args, planning_context));
    json& stored = completed;
    TRY(const auto request, accept_request(stored));
    Plan plan;
    // The resolved cards, whatever the defaults are where the tasks run.
    const bool names_none = !stored.contains("gpus") && !stored.contains("custom_gpus");
    stored["gpus"] = json::array();
    for (const auto& gpu : request.report.gpus) {
        stored["gpus"].push_back(gpu.id);
        // That of a file which is the default.
        if (names_none && gpu.architecture == ::plimsoll::training::kCustomArchitecture)
            stored["custom_gpus"].push_back(custom_gpu_json(gpu));
    }
    plan.args = stored.dump();
    for (std::size_t i = 0; i < request.report.gpus.size(); ++i) {
        plan.tasks.push_back(
            {.input = json{{"card", i}, {"gpu", request.report.gpus[i].id}}.dump(),
             .items = 1,
             .estimated_seconds = static_cast<double>(work_of(request)) * kSecondsPerUnitOfWork});
    }
    // One more task, which counts as the card after the last. All tasks of a job run on devices of
    // one class; it does not matter for the others.
    if (request.probe) {
        plan.requirement.device_class = "gpu,cpu";
        plan.tasks.push_back({.input = json{{"card", plan.tasks.size()}, {"gpu", kProbe}}.dump(),
                              .items = 1,
                              .estimated_seconds = kSecondsOfProbe});
    }
    return plan;
}

tl::expected<std::string, FieldErrors> estimate(const json& args,
                                                const PlanningContext& planning_context) {
    TRY(const auto completed, complete(args, planning_context));
    TRY(const auto request, accept_request(completed));
    if (request.probe)
        return refused("/probe", "needs_a_job",
                       "Only a job can measure a device; an estimate cannot.");
    TRY(const auto summary, estimate_now(request));
    return summary.dump();
}

Result<std::string> failed_rows(std::string_view /*args*/, std::string_view input,
                                std::string_view reason) {
    const json task = json::parse(input);
    auto row = failed_row(kColumns, reason);
    row["index"] = task.at("card");
    row["gpu"] = task.at("gpu");
    return row.dump() + "\n";
}

constexpr std::array kAnswers = {Answer{"createConfigurationComparison", comparison_answer}};
constinit const KindExtras kExtras{.answers = kAnswers};

}  // namespace

tl::expected<json, FieldErrors> estimate_now(const Request& request) {
    const auto cards = request.report.gpus.size();
    if (work_of(request) * static_cast<std::int64_t>(cards) > kMaxWorkAtOnce)
        return refused("", "too_much_at_once",
                       "The estimate would take too long: name fewer GPUs, set \"what_ifs\" to "
                       "false, or submit a job.");
    auto reports = cards_json(request);
    if (!reports)
        return refused(pointer_of(reports.error().where), "invalid", reports.error().message);
    return summary_json(request, std::move(*reports));
}

constinit extern const Contract kContract{.name = kName,
                                          .version = kVersion,
                                          .columns = kColumns,
                                          .settings = kSettings,
                                          .collections = kCollections,
                                          .needs = needs,
                                          .plan = plan,
                                          .failed_rows = failed_rows,
                                          .estimate = estimate,
                                          .extras = &kExtras};

}  // namespace plimsoll::jobs::training_config
