#include "engine/base/json.hpp"
#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_plan.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/kinds/sentiment/contract/args.hpp"
#include "server/kinds/sentiment/contract/goal.hpp"
#include "server/kinds/sentiment/contract/model_choice.hpp"
#include "server/kinds/sentiment/contract/models.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace plimsoll::jobs::sentiment {
namespace {

// What scores the texts of a job.
struct Scoring {
    std::vector<ScoringModel> models;  // that a worker must have; none: VADER alone
    Args args;                         // of the plan

    TextKind texts() const { return args.models.empty() ? texts_of(models) : texts_of_all(models); }
};

// The texts' attributes by which models are chosen and evaluated.
struct TextAttributes {
    const nlohmann::json* items = nullptr;  // inline ones, if they have attributes
    bool labels = false;
    bool judged = false;  // a dataset's times or sources, by which a policy may choose
};

using Scored = tl::expected<Scoring, FieldErrors>;

Scoring scoring_by(std::optional<ScoringModel> model) {
    Scoring scoring;
    if (model) {
        scoring.args.model = {model->manifest.name, model->manifest.hash, model->form};
        scoring.models.push_back(std::move(*model));
    } else {
        scoring.args.model.name = kVader;
    }
    return scoring;
}

Scored by_model(const Request& request, const PlanningContext& planning_context,
                std::span<const Manifest> models) {
    const auto name = request.model.value_or(default_model(*planning_context.settings));
    const bool is_advertised = std::ranges::find(models, name, &Manifest::name) != models.end();
    if (name == kVader) return scoring_by(std::nullopt);
    if (!request.model && !is_advertised) {
        auto scoring = scoring_by(std::nullopt);
        // That vader takes the place of the usual model is no news.
        if (name != kPreferred) scoring.args.asked = name;
        return scoring;
    }
    TRY(auto found, named_model("/model", name, planning_context));
    TRY(auto model, in_form(std::move(found), request.form.value_or(std::string(kExactForm))));
    return scoring_by(std::move(model));
}

Scored by_goal(const Request& request, const PlanningContext& planning_context,
               std::span<const Manifest> models) {
    TRY(auto choice, choose_by_goal(*request.goal, request.form, planning_context, models));
    auto scoring = scoring_by(std::move(choice.model));
    scoring.args.goal = std::move(choice.reasons);
    return scoring;
}

// The chains of the policy that score inline texts. A text whose time cannot be read is an error of
// its own when it is scored.
std::set<std::size_t> chains_of_items(Chooser& chooser, const json* items) {
    std::set<std::size_t> used;
    const auto add = [&](const Result<ModelChoice>& choice) {
        if (choice) used.insert(choice->chain);
    };
    if (items == nullptr) {
        add(chooser.choose({}, {}));
        return used;
    }
    for (const json& item : *items) {
        std::optional<std::string_view> time;
        if (item.contains("time")) time = item["time"].get_ref<const std::string&>();
        add(chooser.choose(time, item.value("source", "")));
    }
    return used;
}

// The definition of a policy, a SentimentPolicyUpdate.
tl::expected<json, FieldErrors> definition_of(const std::string& id,
                                              const PlanningContext& planning_context) {
    if (id == kServerPolicy) return server_policy(*planning_context.settings);
    const auto& stored = planning_context.records_of(kPolicies);
    const auto found = std::ranges::find(stored, id, &TeamRecord::id);
    if (found != stored.end()) return json::parse(found->data);
    std::string known(kServerPolicy);
    for (const auto& policy : stored) known += ", " + policy.id;
    return refused("/policy", "unknown_policy",
                   "The team has no policy \"" + id + "\". Its policies: " + known + ".");
}

Scored by_policy(const std::string& id, const Request& request,
                 const PlanningContext& planning_context, std::span<const Manifest> models,
                 const TextAttributes& texts) {
    TRY(auto definition, definition_of(id, planning_context));
    if (request.form) definition["form"] = *request.form;
    const auto policy = parse_policy(definition);
    const auto at =
        std::chrono::floor<std::chrono::seconds>(planning_context.at.time_since_epoch());
    auto resolved =
        policy ? resolve(id, *policy, models, at.count()) : tl::unexpected(policy.error());
    if (!resolved) {
        for (auto& error : resolved.error()) {
            const bool is_of_job = error.pointer == "/form" && request.form;
            if (!is_of_job) error.pointer = "/policy";
        }
        return tl::unexpected(std::move(resolved.error()));
    }
    auto chooser = Chooser::of(*resolved);
    if (!chooser) return refused("/policy", "calendar", chooser.error().message);
    const auto& chains = resolved->chains;
    auto used = chains_of_items(*chooser, texts.items);
    for (std::size_t chain = 0; texts.judged && chain < chains.size(); ++chain) used.insert(chain);
    Scoring scoring;
    for (const auto& manifest : models) {
        const auto chain = std::ranges::find_if(used, [&](std::size_t place) {
            const auto& first = chains[place].models.front();
            return first.name == manifest.name && first.hash == manifest.hash;
        });
        if (chain == used.end()) continue;
        scoring.models.push_back({manifest, chains[*chain].models.front().form});
    }
    scoring.args.policy = std::move(*resolved);
    return scoring;
}

// By all models of a comparison.
Scored by_all(const Request& request, const PlanningContext& planning_context,
              const TextAttributes& texts) {
    Scoring scoring;
    auto& compared_models = scoring.args.models;
    for (const auto& name : request.models) {
        const auto pointer = "/models/" + std::to_string(compared_models.size());
        if (std::ranges::find(compared_models, name, &ComparedModel::name) != compared_models.end())
            return refused(pointer, "unique", "The model \"" + name + "\" is listed twice.");
        if (name == kVader) {
            compared_models.push_back({.name = name, .hash = {}, .form = {}});
            continue;
        }
        TRY(auto found, named_model(pointer, name, planning_context));
        TRY(auto model, in_form(std::move(found), request.form.value_or(std::string(kExactForm))));
        compared_models.push_back(compared(model));
        scoring.models.push_back(std::move(model));
    }
    const auto& options = request.options;
    if (texts.items != nullptr) {
        auto errors = unknown_labels(options.label_names, *texts.items);
        if (!errors.empty()) return tl::unexpected(std::move(errors));
    }
    if (!options.label_names.empty() && !texts.labels)
        return refused("/label_names", "not_used", "No text has a label: add labels, or omit it.");
    if (options.neutral_within &&
        std::ranges::all_of(compared_models, &ComparedModel::has_neutral)) {
        return refused("/neutral_within", "not_used",
                       "Each of the models has a neutral label: omit it.");
    }
    return scoring;
}

// Whether a policy chooses the models.
bool follows_policy(const Request& request, const KindSettings& settings) {
    if (request.policy) return true;
    const bool names_none = !request.model && !request.goal && request.models.empty();
    return names_none && follows_server_policy(settings);
}

Scored scoring_by_request(const Request& request, const PlanningContext& planning_context,
                          const TextAttributes& texts) {
    const bool compares = !request.models.empty();
    if (request.goal && (request.model || request.policy || compares)) {
        return refused("/goal", "one_of",
                       "A goal chooses the model: omit model, models and policy.");
    }
    if (compares && (request.model || request.policy))
        return refused("/models", "one_of", "Give only one of model, policy and models.");
    if (request.policy && request.model)
        return refused("/policy", "one_of", "Give a model or a policy, not both.");
    if (compares) return by_all(request, planning_context, texts);
    const auto models = models_of(planning_context.advertisements, planning_context.team);
    if (request.goal) return by_goal(request, planning_context, models);
    if (!follows_policy(request, *planning_context.settings))
        return by_model(request, planning_context, models);
    return by_policy(request.policy.value_or(std::string(kServerPolicy)), request, planning_context,
                     models, texts);
}

// Options that have no effect without a comparison, or on VADER.
FieldErrors options_without_effect(const Request& request, const Scoring& scoring) {
    const auto not_used = [](const char* pointer, const char* message) {
        return FieldErrors{{pointer, "not_used", message}};
    };
    const auto& options = request.options;
    if (scoring.args.models.empty()) {
        const char* why = "It only applies to comparisons: set \"models\".";
        if (!options.label_names.empty()) return not_used("/label_names", why);
        if (options.neutral_within) return not_used("/neutral_within", why);
    }
    // A policy may use VADER today, and another model tomorrow.
    if (!scoring.models.empty() || scoring.args.policy) return {};
    if (request.form && *request.form != kAutoForm)
        return not_used("/form", "VADER has no forms: omit it.");
    if (options.batch_size)
        return not_used("/batch_size", "VADER scores text by text, without batches: omit it.");
    if (!options.long_texts.empty())
        return not_used("/long_texts", "VADER reads every text to its end: omit it.");
    return {};
}

Scored scoring_for(const Request& request, const PlanningContext& planning_context,
                   const TextAttributes& texts) {
    auto scoring = scoring_by_request(request, planning_context, texts);
    if (!scoring) return scoring;
    if (auto errors = options_without_effect(request, *scoring); !errors.empty())
        return tl::unexpected(std::move(errors));
    scoring->args.options = request.options;
    scoring->args.proofs = used_proofs(scoring->models);
    scoring->args.accuracies = known_accuracies(scoring->models);
    return scoring;
}

constexpr std::array kCollections = {kPolicies, kSpeeds};

Needs needs(const json& args) {
    const auto request = args.get<Request>();
    Needs needs{.pool = request.model != kVader || request.policy || request.goal ||
                        !request.models.empty()};
    if (request.goal) needs.collections.insert(kSpeeds.name);
    if (request.policy && *request.policy != kServerPolicy)
        needs.collections.insert(kPolicies.name);
    return needs;
}

tl::expected<Plan, FieldErrors> plan(const json& args, const PlanningContext& planning_context) {
    const auto has_label = [](const json& item) { return item.contains("label"); };
    const auto items = args.find("items");
    const bool labels = items != args.end() && std::ranges::any_of(*items, has_label);
    TRY(auto scoring,
        scoring_for(args.get<Request>(), planning_context,
                    {.items = items == args.end() ? nullptr : &*items, .labels = labels}));
    TRY(auto tasks, cut_texts(scoring.texts(), args));
    auto& kept = scoring.args.keep;
    kept = kept_names(args);
    if (kept.size() > kMaxKept) {
        return refused("/items", "kept",
                       "The items keep members with more than " + std::to_string(kMaxKept) +
                           " different names.");
    }
    scoring.args.given = given_members(args);
    return Plan{.args = to_text(scoring.args),
                .requirement = requirement_of(scoring.models),
                .tasks = std::move(tasks)};
}

tl::expected<DatasetPlan, FieldErrors> plan_dataset(const json& args,
                                                    const PlanningContext& planning_context,
                                                    const DatasetShape& dataset) {
    using text::Attribute;
    const auto request = args.get<Request>();
    std::vector<Attribute> attributes;  // are used if the dataset has them
    if (follows_policy(request, *planning_context.settings))
        attributes = {Attribute::source, Attribute::time};
    if (!request.models.empty()) attributes = {Attribute::label};
    TRY(auto columns, columns_of(args, dataset, attributes));
    const auto has = [&](Attribute one) { return !columns.attributes[one].empty(); };
    TRY(auto scoring, scoring_for(request, planning_context,
                                  {.labels = has(Attribute::label),
                                   .judged = has(Attribute::source) || has(Attribute::time)}));
    auto plan = plan_texts(scoring.texts(), std::move(scoring.args), dataset, std::move(columns));
    if (plan) plan->plan.requirement = requirement_of(scoring.models);
    return plan;
}

std::vector<std::string_view> unfilled_columns(std::string_view stored) {
    std::vector<std::string_view> unfilled;
    const auto args = from_text<Args>(stored);
    if (!args) return unfilled;
    const auto add_unless = [&](bool filled, std::initializer_list<std::string_view> columns) {
        if (!filled) unfilled.insert(unfilled.end(), columns);
    };
    const auto is_given = [&](std::string_view member) {
        return std::ranges::find(args->given, member) != args->given.end();
    };
    const auto& source = args->source;
    add_unless(source.has_value(), {"line"});
    add_unless(source ? !source->columns.custom_id.empty() : is_given("custom_id"), {"custom_id"});
    for (const auto attribute : text::kColumnAttributes) {
        const auto name = name_of(attribute);
        add_unless(source ? !source->columns.attributes[attribute].empty() : is_given(name),
                   {column_of(attribute)});
    }
    const bool by_vader = !args->policy && args->models.empty() && args->model.name == kVader;
    add_unless(!by_vader, {"tokens", "truncated"});
    add_unless(args->policy.has_value(), {"form", "model_asked", "model_reason"});
    add_unless(!args->models.empty(), {"models"});
    add_unless(args->options.in_windows(), {"windows"});
    return unfilled;
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
                                          .unfilled_columns = unfilled_columns,
                                          .explain_missing = explain_missing_models};

}  // namespace plimsoll::jobs::sentiment
