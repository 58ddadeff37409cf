#pragma once

#include "server/jobs/sentiment/contract/models.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

// The numeric form of a model: fp32, or a form that passed the guard of the model.
inline constexpr std::string_view kAutoForm = "auto";

// The proof that allows a model to be used in a form; null: there is none.
const models::Proof* passed_proof(const Manifest& model, std::string_view form);

// The form that scores a job with the argument `form` = `asked`: for `auto`, the fastest form that
// passed and is faster than fp32, else fp32. The error says why a form is not used.
tl::expected<std::string, FieldErrors> form_of(const Manifest& model, const std::string& asked);

// The error for "form" in a job whose models have no forms, or whose policy chooses models.
std::optional<FieldErrors> form_out_of_place(const nlohmann::json& args);

// "form" in the plan's arguments and the report, and "proof" unless it is fp32.
nlohmann::json form_facts(const Manifest& model, const std::string& form);

}  // namespace plimsoll::jobs::sentiment
