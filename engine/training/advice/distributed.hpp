#pragma once

#include "engine/training/estimate/batch_search.hpp"

#include <cstdint>

namespace plimsoll::training {

// How several cards share a run. By formula (Rajbhandari et al. 2020), with the buffers that
// PyTorch and DeepSpeed keep by default; not measured.
enum class Sharding {
    ddp,    // everything on every card, and buckets of all gradients beside them
    zero1,  // optimizer state shared out
    zero2,  // and gradients
    zero3,  // and weights; a layer's weights are gathered while it runs
    fsdp,   // as zero3, reduced layer by layer
};

struct PerCard {
    std::int64_t weights = 0;
    std::int64_t gradients = 0;
    std::int64_t optimizer = 0;
    std::int64_t buffers = 0;  // communication buckets, gathered layers
    std::int64_t activations = 0;
    std::int64_t total() const { return weights + gradients + optimizer + buffers + activations; }
};

// One card's share at the estimate's batch per card. `cards` of at least 1.
PerCard share_over(const Estimate& estimate, Sharding sharding, int cards);

// The largest batch per card then: what goes to the others makes room for samples, what buffers
// take leaves less. Weights and states are the same at any batch, so one estimate tells what moves.
Result<std::int64_t> max_batch_over(const ModelShape& shape, const TrainingSettings& settings,
                                    const GpuProfile& gpu, SearchOptions search,
                                    const Estimate& estimate, const PerCard& share);

}  // namespace plimsoll::training
