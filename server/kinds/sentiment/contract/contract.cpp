#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_plan.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/kinds/sentiment/contract/scoring.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/contract/speed.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;

constexpr std::array kCollections = {kPolicies, kSpeeds};

Needs needs(const json& args) {
    const auto request = args.get<Request>();
    Needs needs{.pool = request.model != kVader || request.policy || request.goal ||
                        !request.models.empty()};
    if (request.goal) needs.collections.insert(kSpeeds.name);
    if (request.policy && *request.policy != kServerPolicy) {
        needs.collections.insert(kPolicies.name);
    }
    return needs;
}

tl::expected<Plan, FieldErrors> plan(const json& args, const Knowledge& knowledge) {
    const auto has_label = [](const json& item) { return item.contains("label"); };
    const auto items = args.find("items");
    const bool labels = items != args.end() && std::ranges::any_of(*items, has_label);
    auto scoring =
        scoring_for(args.get<Request>(), knowledge,
                    {.items = items == args.end() ? nullptr : &*items, .labels = labels});
    if (!scoring) return tl::unexpected(std::move(scoring.error()));
    auto tasks = cut_texts(scoring->texts(), args);
    if (!tasks) return tl::unexpected(std::move(tasks.error()));
    auto& kept = scoring->args.keep;
    kept = kept_names(args);
    if (kept.size() > kMostKept) {
        return refused("/items", "kept",
                       "The items keep members with more than " + std::to_string(kMostKept) +
                           " different names.");
    }
    return Plan{.args = to_text(scoring->args),
                .requirement = requirement_of(scoring->models),
                .tasks = std::move(*tasks)};
}

tl::expected<DatasetPlan, FieldErrors> plan_dataset(const json& args, const Knowledge& knowledge,
                                                    const DatasetShape& dataset) {
    using text::Attribute;
    const auto request = args.get<Request>();
    std::vector<Attribute> attributes;  // are used if the dataset has them
    if (follows_policy(request, *knowledge.settings))
        attributes = {Attribute::source, Attribute::time};
    if (!request.models.empty()) attributes = {Attribute::label};
    auto columns = columns_of(args, dataset, attributes);
    if (!columns) return tl::unexpected(std::move(columns.error()));
    const auto has = [&](Attribute one) { return !columns->attributes[one].empty(); };
    auto scoring = scoring_for(request, knowledge,
                               {.labels = has(Attribute::label),
                                .judged = has(Attribute::source) || has(Attribute::time)});
    if (!scoring) return tl::unexpected(std::move(scoring.error()));
    auto plan =
        plan_texts(scoring->texts(), std::move(scoring->args), dataset, std::move(*columns));
    if (plan) plan->plan.requirement = requirement_of(scoring->models);
    return plan;
}

}  // namespace

constinit extern const Contract kContract{.name = kName,
                                          .version = kVersion,
                                          .columns = kColumns,
                                          .settings = kSettings,
                                          .unused_variables = kUnusedVariables,
                                          .collections = kCollections,
                                          .needs = needs,
                                          .plan = plan,
                                          .plan_dataset = plan_dataset,
                                          .failed_rows = failed_text_rows<kTexts>,
                                          .explain_lack = explain_missing_models};

}  // namespace plimsoll::jobs::sentiment
