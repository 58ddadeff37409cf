#include "server/jobs/kind.hpp"
#include "server/jobs/records/text_plan.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/kinds/sentiment/contract/comparison.hpp"
#include "server/kinds/sentiment/contract/form.hpp"
#include "server/kinds/sentiment/contract/goal.hpp"
#include "server/kinds/sentiment/contract/model_choice.hpp"
#include "server/kinds/sentiment/contract/server_policy.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {
namespace {

using nlohmann::json;

constexpr std::array kCollections = {kPolicies, kSpeeds};

FieldErrors one_error(std::string pointer, std::string rule, std::string message) {
    return {{std::move(pointer), std::move(rule), std::move(message)}};
}

bool is_complete(const json& args) {
    return args.value("model", "") == kVader && !args.contains("policy") &&
           !args.contains("models") && !args.contains("goal");
}

bool needs_records(const json& args, std::string_view collection) {
    if (collection == kSpeeds.name) return args.contains("goal");
    return args.contains("policy") && args["policy"] != kServerPolicy;
}

const KindSettings& settings_of(const Knowledge& knowledge) {
    return knowledge.settings != nullptr ? *knowledge.settings : kUsualSettings;
}

// Replaces a policy's name with everything that planning and scoring need to know about it.
tl::expected<json, FieldErrors> with_policy(json args, const std::string& id,
                                            const Knowledge& knowledge,
                                            std::span<const Manifest> models) {
    auto definition = server_policy(settings_of(knowledge));
    if (id != kServerPolicy) {
        const auto& stored = knowledge.records.at(kPolicies.name);
        const auto found = std::ranges::find(stored, id, &TeamRecord::id);
        if (found == stored.end()) {
            std::string known(kServerPolicy);
            for (const auto& policy : stored) known += ", " + policy.id;
            return tl::unexpected(
                one_error("/policy", "unknown_policy",
                          "The team has no policy \"" + id + "\". Its policies: " + known + "."));
        }
        definition = json::parse(found->data);
    }
    const auto at = std::chrono::floor<std::chrono::seconds>(knowledge.at.time_since_epoch());
    if (args.contains("form")) definition["form"] = args["form"];
    const auto policy = parse_policy(definition);
    auto resolved =
        policy ? resolve(id, *policy, models, at.count()) : tl::unexpected(policy.error());
    if (!resolved) {
        for (auto& error : resolved.error()) {
            const bool is_of_job = error.pointer == "/form" && args.contains("form");
            if (!is_of_job) error.pointer = "/policy";
        }
        return tl::unexpected(std::move(resolved.error()));
    }
    args["policy"] = to_json(*resolved);
    auto manifests = json::array();
    for (const auto& model : models) manifests.push_back(json::parse(models::to_json(model)));
    args["manifests"] = std::move(manifests);
    return args;
}

// Replaces the name of a model or a policy with everything that planning needs to know about it.
tl::expected<json, FieldErrors> complete(json args, const Knowledge& knowledge) {
    const auto models = models_of(knowledge.offers, knowledge.team);
    const auto& settings = settings_of(knowledge);
    const bool chosen = args.contains("model");
    if (args.contains("goal")) {
        if (chosen || args.contains("policy") || args.contains("models")) {
            return tl::unexpected(one_error(
                "/goal", "one_of", "A goal chooses the model: omit model, models and policy."));
        }
        const auto goal = args["goal"].get<std::string>();
        return with_goal(std::move(args), goal, knowledge, models);
    }
    if (args.contains("models")) {
        if (chosen || args.contains("policy")) {
            return tl::unexpected(
                one_error("/models", "one_of", "Give only one of model, policy and models."));
        }
        return with_compared(std::move(args), knowledge);
    }
    if (args.contains("policy")) {
        if (chosen) {
            return tl::unexpected(
                one_error("/policy", "one_of", "Give a model or a policy, not both."));
        }
        const auto id = args["policy"].get<std::string>();
        return with_policy(std::move(args), id, knowledge, models);
    }
    if (!chosen && follows_server_policy(settings)) {
        return with_policy(std::move(args), std::string(kServerPolicy), knowledge, models);
    }
    const auto usual = usual_model(settings);
    if (!chosen && std::ranges::find(models, usual, &Manifest::name) == models.end()) {
        args["model"] = kVader;
        return args;
    }
    const auto found = named_model("/model", args.value("model", usual), knowledge);
    if (!found) return tl::unexpected(found.error());
    auto form = form_of(*found, args.value("form", std::string(kExactForm)));
    if (!form) return tl::unexpected(std::move(form.error()));
    args["model"] = to_json(ScoringModel{*found, std::move(*form)});
    return args;
}

// What scores the texts of a job.
struct Scoring {
    std::vector<ScoringModel> models;  // that a worker must have; none: VADER alone
    json args;                         // of the plan
};

tl::expected<Scoring, FieldErrors> scoring_by_model(const json& args) {
    const json model = args.value("model", json(kVader));
    Scoring scoring;
    if (model.is_object()) {
        scoring.models.push_back(scoring_model_from_json(model));
        const auto& [only, form] = scoring.models.front();
        scoring.args = {{"model", only.name}, {"model_hash", only.hash}, {"form", form}};
    } else if (model == kVader) {
        scoring.args = {{"model", kVader}};
    } else {
        return tl::unexpected(one_error("/model", "unknown_model", "The model is unknown."));
    }
    if (args.contains("goal")) scoring.args["goal"] = args["goal"];
    return scoring;
}

// The chains of the policy that score inline texts. A text whose time cannot be read is an error of
// its own when it is scored.
std::set<std::size_t> chains_of_items(Chooser& chooser, const json& args) {
    std::set<std::size_t> used;
    const auto add = [&](const Result<ModelChoice>& choice) {
        if (choice) used.insert(choice->chain);
    };
    if (!args.contains("items")) {
        add(chooser.choose({}, {}));
        return used;
    }
    for (const json& item : args["items"]) {
        std::optional<std::string_view> time;
        if (item.contains("time")) time = item["time"].get_ref<const std::string&>();
        add(chooser.choose(time, item.value("source", "")));
    }
    return used;
}

tl::expected<Scoring, FieldErrors> scoring_by_policy(const json& args, bool judged) {
    auto chooser = Chooser::of(resolved_policy_from_json(args.at("policy")));
    if (!chooser) return tl::unexpected(one_error("/policy", "calendar", chooser.error().message));
    const auto& chains = chooser->policy().chains;
    auto used = chains_of_items(*chooser, args);
    if (judged) {
        for (std::size_t chain = 0; chain < chains.size(); ++chain) used.insert(chain);
    }
    Scoring scoring{.models = {}, .args = {{"policy", args.at("policy")}}};
    for (const json& one : args.at("manifests")) {
        auto manifest = models::manifest_from_json(one.dump()).value();
        const auto chain = std::ranges::find_if(used, [&](std::size_t place) {
            const auto& first = chains[place].models.front();
            return first.name == manifest.name && first.hash == manifest.hash;
        });
        if (chain == used.end()) continue;
        scoring.models.push_back({std::move(manifest), chains[*chain].models.front().form});
    }
    return scoring;
}

// By all models of a comparison; the first is the one in use.
tl::expected<Scoring, FieldErrors> scoring_by_all(const json& args, bool labelled) {
    if (auto errors = unknown_labels(args); !errors.empty()) {
        return tl::unexpected(std::move(errors));
    }
    Scoring scoring;
    std::vector<ComparedModel> models;
    for (const json& one : args.at("models")) {
        if (one.is_object()) {
            scoring.models.push_back(scoring_model_from_json(one));
            models.push_back(compared(scoring.models.back()));
        } else {
            models.push_back({.name = std::string(kVader), .hash = {}, .form = {}});
        }
    }
    if (args.contains("label_names") && !labelled) {
        return tl::unexpected(
            one_error("/label_names", "not_used", "No text has a label: add labels, or omit it."));
    }
    if (args.contains("neutral_within") &&
        std::ranges::all_of(models, &ComparedModel::has_neutral)) {
        return tl::unexpected(one_error("/neutral_within", "not_used",
                                        "Each of the models has a neutral label: omit it."));
    }
    scoring.args = {{"models", to_json(models)}};
    for (const char* member : {"label_names", "neutral_within"}) {
        if (args.contains(member)) scoring.args[member] = args[member];
    }
    return scoring;
}

// The attributes of the texts.
struct Given {
    bool labels = false;
    bool judged = false;  // a dataset's times or sources, by which a policy may choose
};

tl::expected<Scoring, FieldErrors> scoring_of(const json& args, Given given) {
    for (const char* member : {"label_names", "neutral_within"}) {
        if (args.contains(member) && !args.contains("models")) {
            return tl::unexpected(one_error(std::string("/") + member, "not_used",
                                            "It only applies to comparisons: set \"models\"."));
        }
    }
    auto scoring = args.contains("models")   ? scoring_by_all(args, given.labels)
                   : args.contains("policy") ? scoring_by_policy(args, given.judged)
                                             : scoring_by_model(args);
    if (!scoring) return scoring;
    if (auto wrong = form_without_model(args, scoring->models)) {
        return tl::unexpected(std::move(*wrong));
    }
    // A policy may use VADER today, and another model tomorrow.
    if (scoring->models.empty() && !args.contains("policy")) {
        if (args.contains("batch_size")) {
            return tl::unexpected(one_error(
                "/batch_size", "not_used", "VADER scores text by text, without batches: omit it."));
        }
        if (args.contains("long_texts")) {
            return tl::unexpected(one_error("/long_texts", "not_used",
                                            "VADER reads every text to its end: omit it."));
        }
    }
    if (auto proofs = used_proofs(scoring->models); !proofs.empty()) {
        scoring->args["proofs"] = std::move(proofs);
    }
    if (auto known = known_accuracies(scoring->models); !known.empty()) {
        scoring->args["accuracies"] = std::move(known);
    }
    for (const char* member : {"batch_size", "long_texts"}) {
        if (args.contains(member)) scoring->args[member] = args[member];
    }
    return scoring;
}

TextKind texts_for(const json& args, const Scoring& scoring) {
    return args.contains("models") ? texts_of_all(scoring.models) : texts_of(scoring.models);
}

tl::expected<Plan, FieldErrors> plan(const json& args, const KindSettings& /*settings*/) {
    const auto has_label = [](const json& item) { return item.contains("label"); };
    const auto items = args.find("items");
    const bool labels = items != args.end() && std::ranges::any_of(*items, has_label);
    const auto scoring = scoring_of(args, {.labels = labels});
    if (!scoring) return tl::unexpected(scoring.error());
    auto tasks = cut_texts(texts_for(args, *scoring), args);
    if (!tasks) return tl::unexpected(std::move(tasks.error()));
    auto plan_args = scoring->args;
    if (auto kept = kept_names(args); kept.size() > kMostKept) {
        return tl::unexpected(one_error("/items", "kept",
                                        "The items keep members with more than " +
                                            std::to_string(kMostKept) + " different names."));
    } else if (!kept.empty()) {
        plan_args["keep"] = std::move(kept);
    }
    return Plan{.args = plan_args.dump(),
                .requirement = requirement_of(scoring->models),
                .tasks = std::move(*tasks)};
}

// A policy uses the columns named like the members of an item, if none are given; so does a
// comparison.
json with_usual_columns(json args, const DatasetShape& dataset) {
    std::vector<const char*> members;
    if (args.contains("policy")) members = {"source", "time"};
    if (args.contains("models")) members = {"label"};
    for (const char* member : members) {
        const bool is_there = std::ranges::find(dataset.columns, member) != dataset.columns.end();
        const bool is_named = args.contains("columns") && args["columns"].contains(member);
        if (is_there && !is_named) args["columns"][member] = member;
    }
    return args;
}

tl::expected<DatasetPlan, FieldErrors> plan_dataset(const json& given,
                                                    const DatasetShape& dataset) {
    const json args = with_usual_columns(given, dataset);
    const auto columns = args.value("columns", json::object());
    const auto scoring =
        scoring_of(args, {.labels = columns.contains("label"),
                          .judged = columns.contains("source") || columns.contains("time")});
    if (!scoring) return tl::unexpected(scoring.error());
    auto plan = plan_texts(texts_for(args, *scoring), args, dataset, scoring->args);
    if (plan) plan->requirement = requirement_of(scoring->models);
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
                                          .unused_variables = kUnusedVariables,
                                          .collections = kCollections,
                                          .complete = complete,
                                          .is_complete = is_complete,
                                          .needs_records = needs_records,
                                          .plan = plan,
                                          .plan_dataset = plan_dataset,
                                          .failed_rows = failed_rows,
                                          .explain_lack = explain_missing_models};

}  // namespace plimsoll::jobs::sentiment
