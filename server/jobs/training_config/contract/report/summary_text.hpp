#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

// A TrainingConfigSummary for a terminal, in parts; tables have so many columns (0: any).
namespace plimsoll::jobs::training_config {

std::string answer_text(const nlohmann::json& summary, std::size_t width);
// What nobody asked for, and how to change it.
std::string assumptions_text(const nlohmann::json& summary);
std::string details_text(const nlohmann::json& summary);
// All of these.
std::string summary_text(const nlohmann::json& summary, std::size_t width);

}  // namespace plimsoll::jobs::training_config
