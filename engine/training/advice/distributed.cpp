#include "engine/training/advice/distributed.hpp"

#include <algorithm>

namespace plimsoll::training {
namespace {

// DeepSpeed's reduce_bucket_size and allgather_bucket_size, in elements (its defaults).
constexpr std::int64_t kZeroBucket = 500'000'000;

std::int64_t part(std::int64_t bytes, bool shared, int cards) {
    return shared ? (bytes + cards - 1) / cards : bytes;
}

std::int64_t largest_layer(const Estimate& e, std::int64_t bytes_per_parameter) {
    std::int64_t most = 0;
    for (const auto& layer : e.layers) most = std::max(most, layer.parameters);
    return most * bytes_per_parameter;
}

}  // namespace

PerCard share_over(const Estimate& e, Sharding sharding, int cards) {
    const auto group = [&](Group g) { return e.breakdown[static_cast<std::size_t>(g)]; };
    const bool zero3 = sharding == Sharding::zero3 || sharding == Sharding::fsdp;
    const bool zero2 = zero3 || sharding == Sharding::zero2;
    const bool zero1 = zero2 || sharding == Sharding::zero1;
    const std::int64_t width =
        e.parameters > 0 ? std::max<std::int64_t>(1, group(Group::weights) / e.parameters) : 4;
    // At the peak gradients may not have arrived yet; a step needs them all.
    const std::int64_t gradients = e.trainable_parameters * width;
    PerCard out;
    out.weights = part(group(Group::weights), zero3, cards);
    out.gradients = part(gradients, zero2, cards);
    out.optimizer = part(group(Group::optimizer), zero1, cards);
    if (cards > 1) {
        const std::int64_t bucket = std::min(kZeroBucket, e.trainable_parameters) * width;
        // DistributedDataParallel copies all gradients into its buckets; ZeRO has one bucket to
        // reduce and, below stage 3, one to gather; stage 3 and FSDP gather two layers at a time,
        // the running one and the next.
        if (sharding == Sharding::ddp) out.buffers = gradients;
        if (zero1 && sharding != Sharding::fsdp) out.buffers = zero3 ? bucket : 2 * bucket;
        if (zero3) out.buffers += 2 * largest_layer(e, width);
    }
    out.activations = e.peak_allocated - group(Group::weights) - group(Group::gradients) -
                      group(Group::optimizer);
    return out;
}

Result<std::int64_t> max_batch_over(const ModelShape& shape, const TrainingSettings& settings,
                                    const GpuProfile& gpu, SearchOptions search,
                                    const Estimate& estimate, const PerCard& share) {
    search.reserved_elsewhere += share.total() - estimate.peak_allocated;
    ReservedPeaks peaks;
    FootprintByBatch footprints(shape, settings, tape_device(gpu), search.estimate, peaks);
    const auto limits = find_batch(shape, settings, gpu, search, footprints);
    if (!limits) return fail(limits.error());
    return limits->max_batch;
}

}  // namespace plimsoll::training
