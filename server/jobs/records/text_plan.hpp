#pragma once

#include "server/jobs/records/text_kind.hpp"

#include <vector>

#include <nlohmann/json_fwd.hpp>

// Contract::plan and Contract::plan_dataset of kinds whose items are texts.
namespace plimsoll::jobs {

// The tasks of a job whose args have "texts" or "items". Memory: one task's records.
tl::expected<std::vector<TaskSpec>, FieldErrors> cut_texts(const TextKind& kind,
                                                           const nlohmann::json& args);

// Of a job whose args have "dataset"; `plan_args` are the plan's, to which the source is added.
tl::expected<DatasetPlan, FieldErrors> plan_texts(const TextKind& kind, const nlohmann::json& args,
                                                  const DatasetShape& dataset,
                                                  nlohmann::json plan_args);

}  // namespace plimsoll::jobs
