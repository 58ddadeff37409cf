#pragma once

#include "engine/training/estimate/estimate.hpp"
#include "engine/training/estimate/footprints.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace plimsoll::training {

// The uncertainty of the estimate, as factors on the reserved memory: from comparisons with
// PyTorch's own allocator and dispatcher (tests/unit/engine/training/data), widened where no
// comparison was possible.
struct Band {
    double low = 0.98;
    double high = 1.03;
};
Band band_of(const ModelShape& shape, const TrainingSettings& settings, const GpuProfile& gpu);

// The probability that a run with an estimate of `reserved` bytes needs more than `available`: a
// normal distribution on either side of the estimate, with the band's edges at 5 and 95 %.
double out_of_memory_probability(std::int64_t reserved, std::int64_t available, const Band& band);

enum class Fit { yes, tight, no };  // tight: only below the band's upper edge, or above 95 %
std::string_view to_string(Fit fit);

struct BatchLimits {
    std::int64_t limit_bytes = 0;  // reserved memory that the safety margin leaves
    std::int64_t max_batch = 0;    // 0: not even one sample fits
    std::int64_t round_batch = 0;  // at most max_batch, a multiple of 8 where that is large
};

// The batches whose tapes a search starts with.
inline constexpr std::array<std::int64_t, 2> kFirstTried = {16, 64};

struct SearchOptions {
    double safety = 0.85;                 // of the card's total memory, context included
    std::int64_t reserved_elsewhere = 0;  // bytes that other processes hold on the card
    // Measured over modelled reserved memory in real runs of this kind: a factor on every peak.
    double correction = 1;
    std::int64_t highest_batch = 65536;
    EstimateOptions estimate = {};
};

// Reserved memory that the safety margin leaves besides the context. May be negative.
std::int64_t reserve_limit(const GpuProfile& gpu, const SearchOptions& options);

std::int64_t corrected(std::int64_t reserved, const SearchOptions& options);

// The largest batch whose reserved memory, corrected, stays within the limit: the next one does
// not. The result does not depend on earlier calls. Errors name the field.
Result<BatchLimits> find_batch(const GpuProfile& gpu, const SearchOptions& options,
                               FootprintByBatch& footprints);

}  // namespace plimsoll::training
