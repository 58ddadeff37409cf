#pragma once

#include "engine/training/estimate/estimate.hpp"

namespace plimsoll::training {

// A step's time, modelled and not measured: matrix products at a share of the card's dense rate,
// element-wise kernels at a share of its bandwidth, and a launch each. Shares are typical of
// transformer training without compilation; nothing was calibrated on hardware yet.
struct ThroughputModel {
    double matmul_share = 0.45;
    double fp32_share = 0.75;  // CUDA cores come closer to their peak
    double bandwidth_share = 0.75;
    double launch_seconds = 5e-6;  // hidden behind longer kernels
};

struct Throughput {
    double step_seconds = 0;
    double samples_per_second = 0;
    double tokens_per_second = 0;
    double optimizer_steps_per_epoch = 0;
    double hours = 0;  // all epochs, all models by the workers; 0 without a data set size
    enum class Bound { compute, memory, launches } bound = Bound::compute;
};

struct Workload {
    std::int64_t dataset_size = 0;
    int epochs = 1;
    int models = 1;
    int parallel_workers = 1;  // they share the card: no gain where it is busy already
};

Throughput model_throughput(const Estimate& estimate, const TrainingSettings& settings,
                            const GpuProfile& gpu, const Workload& workload = {},
                            const ThroughputModel& model = {});

}  // namespace plimsoll::training
