#include "engine/training/advice/knee.hpp"

#include <algorithm>
#include <iterator>

namespace plimsoll::training {

namespace {

Work work_at(const std::map<std::int64_t, Work>& known, std::int64_t batch) {
    const auto above = known.lower_bound(batch);
    const Work& high = above->second;
    if (above->first == batch) return high;
    const auto below = std::prev(above);
    const Work& low = below->second;
    const double share = static_cast<double>(batch - below->first) /
                         static_cast<double>(above->first - below->first);
    return {.matmul_flops = std::lerp(low.matmul_flops, high.matmul_flops, share),
            .moved_bytes = std::lerp(low.moved_bytes, high.moved_bytes, share),
            .kernels = std::max(low.kernels, high.kernels),
            .recomputed = std::max(low.recomputed, high.recomputed),
            .updated = high.updated,
            .product_elements = std::lerp(low.product_elements, high.product_elements, share)};
}

}  // namespace

Knee find_knee(const std::map<std::int64_t, Work>& known, const TrainingSettings& settings,
               const GpuProfile& gpu, std::int64_t highest) {
    const auto speed = [&](std::int64_t batch) {
        auto at = settings;
        at.batch = batch;
        return model_throughput(work_at(known, batch), at, gpu).samples_per_second;
    };
    const double best = speed(highest);
    // Modelled throughput never falls as the batch grows, so bisection finds the place.
    std::int64_t low = 0, high = highest;  // high is near the best, low is not
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (speed(middle) >= kNearBest * best ? high : low) = middle;
    }
    const std::int64_t batch = high >= 8 ? std::min(highest, (high + 7) / 8 * 8) : high;
    return {.batch = batch, .samples_per_second = speed(batch), .best_samples_per_second = best};
}

Knee find_knee(FootprintByBatch& footprints, const TrainingSettings& settings,
               const GpuProfile& gpu, const BatchLimits& limits) {
    const auto highest = std::max<std::int64_t>(1, limits.round_batch);
    footprints.work(1);
    footprints.work(highest);
    return find_knee(footprints.works(), settings, gpu, highest);
}

}  // namespace plimsoll::training
