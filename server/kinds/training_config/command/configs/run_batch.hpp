#pragma once

#include "server/kinds/training_config/contract/configs/configured_run.hpp"

#include <cstdint>

#include <nlohmann/json.hpp>

// Batches of a configured run. `args` are those of the job: cluster, training.
namespace plimsoll::jobs::training_config {

// GPUs; 1 if nothing says how many.
std::int64_t cards_of(const nlohmann::json& args);

// GPUs that divide one copy of the model.
std::int64_t divided_among(const nlohmann::json& args);

// Derives from the files' train_batch_size, as DeepSpeed does, what of batch, accumulation and GPUs
// they leave out, and notes what contradicts.
void settle_all_samples(nlohmann::json& args, ConfiguredRun& run);

// Samples of one step of the optimizer. The batch must be known.
std::int64_t effective_batch(const nlohmann::json& args, const ConfiguredRun& run);

}  // namespace plimsoll::jobs::training_config
