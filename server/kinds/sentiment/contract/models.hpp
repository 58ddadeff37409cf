#pragma once

#include "engine/models/manifest.hpp"
#include "server/jobs/kind.hpp"
#include "server/jobs/records/model_requirement.hpp"
#include "server/jobs/records/text_args.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

// A model as workers offer it: its manifest, without its files.
using models::Manifest;

// What workers report about their models (Capabilities::advertisement), and back. models_in:
// without unreadable ones, which come from workers of another version.
nlohmann::json advertisement_of(const std::vector<Manifest>& models);
std::vector<Manifest> models_in(const nlohmann::json& advertisement);

// The models of all workers that the team may score texts with, by name: each name and hash once,
// with the findings of all. Advertisements are those of PlanningContext::advertisements.
std::vector<Manifest> models_of(std::span<const std::string> advertisements, TeamId team);

// The model that a job names: of ready workers, else of those that may come back. The error, at the
// pointer, names the available ones, or says why the model cannot score texts.
tl::expected<Manifest, FieldErrors> named_model(std::string pointer, const std::string& name,
                                                const PlanningContext& planning_context);

// A model of a job, and the form that it scores in.
struct ScoringModel {
    Manifest manifest;
    std::string form = std::string(kExactForm);
};

// What a task with these models needs from its worker; none: nothing.
Requirement requirement_of(std::span<const ScoringModel> models);
std::string capability_of(std::string_view name, std::string_view hash,
                          std::string_view form = kExactForm);

// "finbert 0123456789ab", or "finbert 0123456789ab bf16": the model that a lane prefers to find
// loaded.
std::string resident_name(std::string_view name, std::string_view hash,
                          std::string_view form = kExactForm);

// Device memory of a loaded model, for weights and batches.
std::int64_t device_bytes(const Manifest& model);
// Multiply-adds per token, excluding embedding tables.
double products_per_token(const Manifest& model);

// Texts that one of the models scores, with estimates by the slowest of them on a processor; none:
// VADER. The charge is corrected to the measured time.
TextKind texts_of(std::span<const ScoringModel> models);
// Texts that all of them score.
TextKind texts_of_all(std::span<const ScoringModel> models);

// The numeric form of a model: fp32, or a form that passed the guard of the model.
inline constexpr std::string_view kAutoForm = "auto";

// The proof that allows a model to be used in a form, of its fastest method; null: there is none.
const models::Proof* passed_proof(const Manifest& model, std::string_view form);

// The form that a model scores in for a job with the argument `form`, `asked`. `auto` is the
// fastest form that passed and is faster than fp32, else fp32. The error says why a form is not
// used.
tl::expected<std::string, FieldErrors> form_of(const Manifest& model, const std::string& asked);
tl::expected<ScoringModel, FieldErrors> in_form(Manifest model, const std::string& asked);

// "proofs" of the plan's arguments and of the report, which allow the models' forms, and
// "accuracies", measured for the models in these forms.
nlohmann::json used_proofs(std::span<const ScoringModel> models);
nlohmann::json known_accuracies(std::span<const ScoringModel> models);

}  // namespace plimsoll::jobs::sentiment
