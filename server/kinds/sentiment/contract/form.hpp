#pragma once

#include "server/kinds/sentiment/contract/models.hpp"

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

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
