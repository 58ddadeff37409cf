#pragma once

#include "engine/training/estimate/batch_search.hpp"

#include <cstdint>

namespace plimsoll::training {

// How several cards share a run. By formula (Rajbhandari et al. 2020), with the buffers that
// PyTorch and DeepSpeed keep by default; not measured.
enum class Sharding {
    ddp,    // full replicas, plus buckets of all gradients
    zero1,  // optimizer state sharded
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

// The largest batch per card under this sharding: sharded state makes room for samples, buffers
// take some. Weights and states do not depend on the batch, so one estimate is enough.
Result<std::int64_t> max_batch_over(const ModelShape& shape, const TrainingSettings& settings,
                                    const GpuProfile& gpu, SearchOptions search,
                                    const Estimate& estimate, const PerCard& share);

}  // namespace plimsoll::training
