#pragma once

#include "server/jobs/records/text_kind.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

// Contract::plan and Contract::plan_dataset of kinds whose items are texts.
namespace plimsoll::jobs {

// The tasks of a job whose args have "texts" or "items". Memory: one task's records.
tl::expected<std::vector<TaskSpec>, FieldErrors> cut_texts(const TextKind& kind,
                                                           const nlohmann::json& args);

// The names in `columns.keep`, in that order, then further names in the items' `kept`; a plan has
// them in "keep", where kept_columns finds them.
inline constexpr std::size_t kMostKept = 100;
std::vector<std::string> kept_names(const nlohmann::json& args);

// Names of the columns in `kept` of a job's rows; `args` are the plan's. Empty: none.
std::vector<std::string> kept_columns(std::string_view args);

// For a job whose args have "dataset"; `plan_args` are the plan's, to which the source is added.
tl::expected<DatasetPlan, FieldErrors> plan_texts(const TextKind& kind, const nlohmann::json& args,
                                                  const DatasetShape& dataset,
                                                  nlohmann::json plan_args);

}  // namespace plimsoll::jobs
