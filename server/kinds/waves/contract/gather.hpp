#pragma once

#include "server/jobs/kind.hpp"

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::waves {

// See Contract::plan_dataset.
tl::expected<DatasetPlan, FieldErrors> plan_dataset(const nlohmann::json& args,
                                                    const Knowledge& knowledge,
                                                    const DatasetShape& dataset);

// The arguments for the run and the job page: everything but the prices.
std::string plan_args(const nlohmann::json& args);

}  // namespace plimsoll::jobs::waves
