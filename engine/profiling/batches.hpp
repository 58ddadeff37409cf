#pragma once

#include "engine/profiling/timing.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::profiling {

// Measurement of one batch size.
struct BatchPoint {
    std::int64_t batch = 1;          // items
    Timing timing;                   // of one batch
    std::uint64_t memory_bytes = 0;  // of the batch, without the model; 0: negligible

    double items_per_second() const { return static_cast<double>(batch) / timing.median; }
};

struct BatchLimits {
    std::int64_t largest_batch = 4096;
    std::optional<double> latency_seconds;      // 95th percentile of a batch
    std::optional<std::uint64_t> memory_bytes;  // for a batch

    bool allow(const BatchPoint& point) const;
};

// The batch sizes of a full sweep: 1 to 8, then four per doubling, and `largest`.
std::vector<std::int64_t> sweep_batches(std::int64_t largest);

// Share of the best throughput that counts as near the best.
inline constexpr double kNearBest = 0.95;

struct Recommendation {
    std::optional<std::int64_t> batch;  // none: even the smallest is outside the limits
    double items_per_second = 0;
    std::int64_t best_batch = 0;  // of those inside the limits
    double best_items_per_second = 0;
    std::string reason;  // a sentence or two for people
};

// The smallest batch inside the limits that has kNearBest of the best throughput inside them.
// `points` by batch, smallest first, at least one.
Recommendation recommend(const std::vector<BatchPoint>& points, const BatchLimits& limits);

}  // namespace plimsoll::profiling
