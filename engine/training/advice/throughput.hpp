#pragma once

#include "engine/training/gpus/gpu_profile.hpp"
#include "engine/training/tape/settings.hpp"
#include "engine/training/tape/tape.hpp"

namespace plimsoll::training {

// The modelled (not measured) time of a step: matrix products at a share of the card's dense rate,
// element-wise kernels at a share of its bandwidth; meanwhile the host launches them, one operation
// after the other, and a step takes the longer of both. A product is cut into tiles of 128 x 128,
// one per multiprocessor, and the last wave of them is half empty on average (NVIDIA, "Matrix
// Multiplication Background", wave quantization): small batches leave the card idle. The shares are
// typical of transformer training without compilation. The host's times are those of one machine
// (H100, Python 3.12, PyTorch 2.11), where half of its runs gave them and the other half confirmed
// them; a faster processor launches faster.
struct ThroughputModel {
    double matmul_share = 0.45;
    double fp32_share = 0.75;  // CUDA cores come closer to their peak
    double bandwidth_share = 0.75;
    double operation_seconds = 30e-6;   // Python, dispatch and autograd
    double recomputed_seconds = 85e-6;  // and a checkpoint's hooks
    double updated_seconds = 10e-6;     // of the optimizer, for each tensor
    double tile_elements = 128 * 128;
};

struct Throughput {
    double step_seconds = 0;
    double samples_per_second = 0;
    double tokens_per_second = 0;
    double optimizer_steps_per_epoch = 0;
    double hours = 0;  // all epochs, all models by the workers; 0 without a dataset size
    enum class Bound { compute, memory, launches } bound = Bound::compute;
};

struct Workload {
    std::int64_t dataset_size = 0;
    int epochs = 1;
    int models = 1;
    int parallel_workers = 1;  // share the card: no gain once it is saturated
};

Throughput model_throughput(const Work& work, const TrainingSettings& settings,
                            const GpuProfile& gpu, const Workload& workload = {},
                            const ThroughputModel& model = {});

}  // namespace plimsoll::training
