#pragma once

#include "engine/training/gpus/gpu_profile.hpp"
#include "engine/training/models/model_shape.hpp"
#include "engine/training/tape/settings.hpp"

namespace plimsoll::training {

// What a run has in which nobody chose a precision. transformers 5 loads weights in the type of the
// checkpoint: a 16-bit one stays so, with adapters in fp32. Weights in fp16 cannot be trained
// (GradScaler refuses their gradients), only frozen. Quantized models become fp32 around their
// packed weights (prepare_model_for_kbit_training), but not mixtures, whose experts that would
// double, and DeepSpeed and FSDP keep fp32 masters of what is trained: autocast describes those.
// Without fast 16-bit products all is fp32.
Precision automatic_precision(const ModelShape& shape, const TrainingSettings& settings,
                              bool has_bf16, bool has_fp16);
Precision automatic_precision(const ModelShape& shape, const TrainingSettings& settings,
                              const GpuProfile& gpu);

}  // namespace plimsoll::training
