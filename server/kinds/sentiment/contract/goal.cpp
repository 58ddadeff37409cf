#include "server/kinds/sentiment/contract/goal.hpp"

#include "engine/base/format_number.hpp"
#include "engine/base/json.hpp"
#include "server/kinds/sentiment/contract/models.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plimsoll::jobs::sentiment {
namespace {

using Names = std::vector<std::string_view>;

// The Catalyst guide's choice, then the closest alternatives. VADER is always available.
struct Goal {
    std::string_view name;
    Names models;
    std::string_view form;  // of jobs that name none
};

const std::array<Goal, 4>& goals() {
    static const std::array<Goal, 4> kGoals = {{
        {"no_gpu", {kVader}, kExactForm},
        {"speed", {"distilbert", kVader}, kAutoForm},
        {"accuracy", {"finbert", "roberta", "distilbert", kVader}, kExactForm},
        {"balanced", {"roberta", "finbert", "distilbert", kVader}, kAutoForm},
    }};
    return kGoals;
}

constexpr std::array<std::string_view, 3> kGuidesModels = {"finbert", "roberta", "distilbert"};

// A model in the form that the job would use, with its measurements here.
struct Candidate {
    std::string name;
    std::string form;                    // empty for VADER
    const Manifest* manifest = nullptr;  // none: VADER
    Speed speed = {};
    const models::Accuracy* accuracy = nullptr;

    std::string title() const { return form.empty() ? name : name + " in " + form; }
};

// The name of the model in use, by which lanes prefer it.
std::string lane_of(const Candidate& candidate) {
    if (candidate.manifest == nullptr) return {};
    return resident_name(candidate.name, candidate.manifest->hash, candidate.form);
}

Candidate candidate_of(const Manifest& model, std::string form) {
    Candidate made{.name = model.name, .form = std::move(form), .manifest = &model};
    const auto measured = std::ranges::find(model.accuracies, made.form, &models::Accuracy::form);
    if (measured != model.accuracies.end()) made.accuracy = &*measured;
    return made;
}

const Manifest* first_of(const Names& names, std::span<const Manifest> models) {
    for (const auto name : names) {
        const auto found = std::ranges::find(models, name, &Manifest::name);
        if (found != models.end()) return &*found;
    }
    return nullptr;
}

// The chosen model, null for VADER, and after it all others that some goal may choose; a model that
// has not proven the form in fp32.
std::vector<Candidate> candidates_for(const Manifest* chosen, const std::string& chosen_form,
                                      const std::string& asked, std::span<const Manifest> models) {
    const Candidate vader{.name = std::string(kVader), .form = {}};
    std::vector<Candidate> all = {chosen == nullptr ? vader : candidate_of(*chosen, chosen_form)};
    for (const auto name : kGuidesModels) {
        const auto* other = first_of({name}, models);
        if (other == nullptr || other == chosen) continue;
        all.push_back(
            candidate_of(*other, form_of(*other, asked).value_or(std::string(kExactForm))));
    }
    if (chosen != nullptr) all.push_back(vader);
    return all;
}

json to_json(const Candidate& candidate) {
    const auto* proof =
        candidate.manifest == nullptr ? nullptr : passed_proof(*candidate.manifest, candidate.form);
    const bool is_timed = candidate.speed.texts > 0;
    return {
        {"model", candidate.name},
        {"form", candidate.form.empty() ? json(nullptr) : json(candidate.form)},
        {"seconds_per_text", is_timed ? json(candidate.speed.seconds_per_text()) : json(nullptr)},
        {"texts", candidate.speed.texts},
        {"speedup", proof == nullptr ? json(nullptr) : json(proof->speedup)},
        {"accuracy", candidate.accuracy == nullptr ? json(nullptr) : json(*candidate.accuracy)}};
}

// "finbert in fp32: 21.4 ms of device time per text, over 1,200 texts, accuracy not measured".
std::string numbers_of(const Candidate& candidate) {
    auto text = candidate.title() + ": ";
    text += candidate.speed.texts == 0
                ? "speed not measured"
                : fmt::format("{} ms of device time per text, over {} texts",
                              format_figure(1000 * candidate.speed.seconds_per_text()),
                              format_count(candidate.speed.texts));
    if (candidate.manifest != nullptr && candidate.accuracy == nullptr) {
        text += ", accuracy not measured";
    } else if (candidate.accuracy != nullptr) {
        const auto& found = *candidate.accuracy;
        const double share = static_cast<double>(found.right) / static_cast<double>(found.texts);
        text += fmt::format(", accuracy {} % on {} texts of {}", format_figure(100 * share),
                            format_count(static_cast<std::int64_t>(found.texts)), found.texts_of);
    }
    return text;
}

std::string reason_for(const Goal& goal, std::span<const Candidate> candidates) {
    const auto& chosen = candidates.front().name;
    auto text = fmt::format("The goal {} means {}", goal.name, goal.models.front());
    if (chosen != goal.models.front()) {
        text += fmt::format(", which no worker has; the first of {} that a worker has is {}",
                            fmt::join(goal.models, ", "), chosen);
    }
    std::vector<std::string> numbers;
    for (const auto& candidate : candidates) numbers.push_back(numbers_of(candidate));
    return fmt::format("{}. {}.", text, fmt::join(numbers, "; "));
}

}  // namespace

tl::expected<GoalChoice, FieldErrors> choose_by_goal(const std::string& name,
                                                     const std::optional<std::string>& form,
                                                     const PlanningContext& planning_context,
                                                     std::span<const Manifest> models) {
    const auto& goal = *std::ranges::find(goals(), name, &Goal::name);  // the schema names them
    const auto asked = form.value_or(std::string(goal.form));
    const auto* chosen = first_of(goal.models, models);
    GoalChoice choice;
    if (chosen != nullptr) {
        TRY(choice.model, in_form(*chosen, asked));
    }
    auto candidates = candidates_for(chosen, choice.model ? choice.model->form : "", asked, models);
    auto measured = json::array();
    for (auto& candidate : candidates) {
        candidate.speed = speed_of(planning_context.records_of(kSpeeds), lane_of(candidate));
        measured.push_back(to_json(candidate));
    }
    choice.reasons = {{"asked", name},
                      {"means", goal.models.front()},
                      {"reason", reason_for(goal, candidates)},
                      {"measured", std::move(measured)}};
    return choice;
}

}  // namespace plimsoll::jobs::sentiment
