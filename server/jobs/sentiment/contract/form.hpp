#pragma once

#include "server/jobs/sentiment/contract/models.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

// The numbers that a model multiplies: fp32, or a form that passed the guard of the model.
inline constexpr std::string_view kAutoForm = "auto";

// The proof by which a model may be used in a form; null: it may not.
const models::Proof* passed_proof(const Manifest& model, std::string_view form);

// What scores a job that asks for `asked`, an argument `form`: of `auto` the fastest form that
// passed and is faster than fp32, else fp32. The error says why a form is not used.
tl::expected<std::string, FieldErrors> form_of(const Manifest& model, const std::string& asked);

// What is wrong with "form" where no model of a job has forms, or a policy chooses models.
std::optional<FieldErrors> form_out_of_place(const nlohmann::json& args);

// "form" of the plan's arguments and of the report, and "proof" unless it is fp32.
nlohmann::json form_facts(const Manifest& model, const std::string& form);

}  // namespace plimsoll::jobs::sentiment
