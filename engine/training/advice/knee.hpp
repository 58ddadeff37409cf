#pragma once

#include "engine/training/advice/throughput.hpp"
#include "engine/training/estimate/batch_search.hpp"

#include <cstdint>
#include <map>

namespace plimsoll::training {

// Where larger batches no longer pay off.
struct Knee {
    std::int64_t batch = 1;
    double samples_per_second = 0;
    double best_samples_per_second = 0;  // over all batches that fit in memory
};
inline constexpr double kNearBest = 0.97;

// The smallest batch with kNearBest of the best modelled throughput, from 1 to `highest`. From 8
// on, only multiples of 8 and `highest` itself are considered. Work is interpolated linearly
// between recorded batches; those of 1 and `highest` must be in `known`.
Knee find_knee(const std::map<std::int64_t, Work>& known, const TrainingSettings& settings,
               const GpuProfile& gpu, std::int64_t highest);
// Among the batches that fit.
Knee find_knee(FootprintByBatch& footprints, const TrainingSettings& settings,
               const GpuProfile& gpu, const BatchLimits& limits);

}  // namespace plimsoll::training
