#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_plan.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/jobs/sentiment/contract/models.hpp"
#include "server/jobs/sentiment/contract/settings.hpp"
#include "server/jobs/sentiment/contract/texts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;

bool is_complete(const json& args) {
    return args.value("model", "") == kVader;
}

// Replaces a model's name by all that planning needs to know of it.
tl::expected<json, FieldErrors> complete(json args, const Knowledge& knowledge) {
    const auto models = models_of(knowledge.offers);
    const bool chosen = args.contains("model");
    const auto name = args.value("model", std::string(kPreferred));
    const auto found = std::ranges::find(models, name, &Manifest::name);
    if (found != models.end()) {
        args["model"] = json::parse(to_json(*found));
        return args;
    }
    if (!chosen) {
        args["model"] = kVader;
        return args;
    }
    std::string known(kVader);
    for (const auto& model : models) known += ", " + model.name;
    return tl::unexpected(
        FieldErrors{{"/model", "unknown_model",
                     "No worker has a model \"" + name + "\". There are: " + known +
                         ". `plimsoll model add` installs one on the machine where it runs."}});
}

// What planning needs to know of the model that complete() put into the arguments; VADER: nothing.
using Chosen = std::optional<Manifest>;
tl::expected<Chosen, FieldErrors> chosen_model(const json& args) {
    const json model = args.value("model", json(kVader));
    Chosen chosen;
    if (model.is_object()) {
        chosen = models::manifest_from_json(model.dump()).value();
    } else if (model != kVader) {
        return tl::unexpected(FieldErrors{{"/model", "unknown_model", "The model is not known."}});
    }
    if (!chosen && args.contains("batch_size")) {
        return tl::unexpected(
            FieldErrors{{"/batch_size", "not_used",
                         "VADER scores text by text, without batches: leave it out."}});
    }
    return chosen;
}

Requirement requirement_of(const Manifest& model) {
    return {.device_class = "gpu,cpu",
            .capability = capability_of(model.name, model.hash),
            .memory_bucket_mib = memory_mib(model),
            .model = resident_name(model.name, model.hash)};
}

json plan_args(const json& args, const Chosen& model) {
    if (!model) return {{"model", kVader}};
    json kept{{"model", model->name}, {"model_hash", model->hash}};
    if (const auto texts = args.find("batch_size"); texts != args.end())
        kept["batch_size"] = *texts;
    return kept;
}

tl::expected<Plan, FieldErrors> plan(const json& args, const KindSettings& /*settings*/) {
    const auto model = chosen_model(args);
    if (!model) return tl::unexpected(model.error());
    auto tasks = cut_texts(*model ? texts_of(**model) : kTexts, args);
    if (!tasks) return tl::unexpected(std::move(tasks.error()));
    Plan plan;
    plan.args = plan_args(args, *model).dump();
    plan.tasks = std::move(*tasks);
    if (*model) plan.requirement = requirement_of(**model);
    return plan;
}

tl::expected<DatasetPlan, FieldErrors> plan_dataset(const json& args, const DatasetShape& dataset) {
    const auto model = chosen_model(args);
    if (!model) return tl::unexpected(model.error());
    auto plan =
        plan_texts(*model ? texts_of(**model) : kTexts, args, dataset, plan_args(args, *model));
    if (plan && *model) plan->requirement = requirement_of(**model);
    return plan;
}

Result<std::string> failed_rows(std::string_view args, std::string_view input,
                                std::string_view reason) {
    return failed_text_rows(kTexts, args, input, reason);
}

}  // namespace

constinit extern const Contract kContract{.name = kName,
                                          .version = kVersion,
                                          .columns = kColumns,
                                          .settings = kSettings,
                                          .complete = complete,
                                          .is_complete = is_complete,
                                          .plan = plan,
                                          .plan_dataset = plan_dataset,
                                          .failed_rows = failed_rows};

}  // namespace plimsoll::jobs::sentiment
