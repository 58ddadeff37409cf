#include "engine/training/advice/throughput.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::training {
namespace {

// Matrix rate in the run's precision. fp32 stays on CUDA cores: PyTorch leaves TF32 off for matrix
// products. A type that the card lacks is emulated at the fp32 rate.
double matrix_rate(const TrainingSettings& t, const GpuProfile& gpu, const ThroughputModel& m) {
    const double fp32 = gpu.fp32_flops.value * m.fp32_share;
    switch (t.precision) {
        case Precision::fp32: return fp32;
        case Precision::fp16_autocast:
        case Precision::fp16: return std::max(fp32, gpu.fp16_flops.value * m.matmul_share);
        case Precision::bf16_autocast:
        case Precision::bf16: return std::max(fp32, gpu.bf16_flops.value * m.matmul_share);
    }
    return fp32;
}

// The share of the multiprocessors that is busy in the waves of a product's tiles.
double filled(const Work& work, const GpuProfile& gpu, const ThroughputModel& m) {
    const double tiles = std::max(1.0, work.product_elements / m.tile_elements);
    return tiles / (tiles + gpu.multiprocessors.value / 2);
}

// What Python and PyTorch's dispatcher take to launch the step's kernels.
double host_seconds(const Work& work, const ThroughputModel& m) {
    return static_cast<double>(work.kernels) * m.operation_seconds +
           static_cast<double>(work.recomputed) * m.recomputed_seconds +
           static_cast<double>(work.updated) * m.updated_seconds;
}

}  // namespace

Throughput model_throughput(const Work& work, const TrainingSettings& t, const GpuProfile& gpu,
                            const Workload& w, const ThroughputModel& m) {
    Throughput out;
    const double compute = work.matmul_flops / matrix_rate(t, gpu, m) / filled(work, gpu, m);
    const double memory = work.moved_bytes / (gpu.bandwidth.value * m.bandwidth_share);
    const double launches = host_seconds(work, m);
    const double busy = compute + memory;
    // A pipeline's card waits while the others fill and empty it.
    const auto& p = t.parallel;
    const double waits =
        static_cast<double>(p.pipeline - 1) / p.microbatches / (p.stages() / p.pipeline);
    out.step_seconds = std::max(busy, launches) * (1 + waits);
    out.bound = launches > busy     ? Throughput::Bound::launches
                : compute >= memory ? Throughput::Bound::compute
                                    : Throughput::Bound::memory;
    const double samples = static_cast<double>(t.batch * t.accumulation * p.microbatches);
    out.samples_per_second = samples / out.step_seconds;
    out.tokens_per_second = out.samples_per_second * t.sequence * (t.pairs() ? 2 : 1);
    if (w.dataset_size > 0) {
        out.optimizer_steps_per_epoch = std::ceil(static_cast<double>(w.dataset_size) / samples);
        const double alone = out.step_seconds * out.optimizer_steps_per_epoch * w.epochs * w.models;
        // Workers only use the time that one of them leaves idle.
        const double idle = launches > busy ? launches / std::max(busy, 1e-9) : 1;
        const int at_once = std::max(1, std::min(w.parallel_workers, w.models));
        out.hours = alone / std::clamp<double>(idle, 1, at_once) / 3600;
    }
    return out;
}

}  // namespace plimsoll::training
