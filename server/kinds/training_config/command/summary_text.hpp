#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

// A TrainingConfigSummary for a terminal, in parts; tables have this many columns (0: unlimited).
namespace plimsoll::jobs::training_config {

std::string answer_text(const nlohmann::json& summary, std::size_t width);
// Assumed values, and how to change them.
std::string assumptions_text(const nlohmann::json& summary);
std::string details_text(const nlohmann::json& summary);
// All parts.
std::string summary_text(const nlohmann::json& summary, std::size_t width);

}  // namespace plimsoll::jobs::training_config
