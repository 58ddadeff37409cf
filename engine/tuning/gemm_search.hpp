#pragma once

#include "engine/tuning/gemm_plans.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace plimsoll::tuning {

struct Candidate {
    routines::GemmPlan plan;
    double seconds = 0;  // host time of the fastest of a few products
    double error = 0;    // against double precision, relative to the largest expected number
    bool accurate = false;
};

// A plan replaces the default only if it takes at most this share of the default's time: a smaller
// gain may be noise, and the default was chosen on quiet machines.
inline constexpr double kWorthLeavingTheDefault = 0.97;

struct SearchResult {
    routines::GemmPlan best;
    std::vector<Candidate> tried;  // the default first
};

struct SearchLimits {
    std::chrono::milliseconds budget;
    std::size_t plans = SIZE_MAX;  // that are tried at most
    std::stop_token stop = {};
    // Tried first instead of the default, and the others pack B as it does: that of a larger
    // product with the same B.
    std::optional<routines::GemmPlan> packed_as = {};
};

// Tries plans for products of this bucket's size with random numbers, the default first, until the
// budget is used up. Rounds are interleaved, so that a disturbance hits all plans alike. A plan
// counts only if its results are right: fp32 within 1e-5, bf16 within 1e-2, int8 within 3e-2.
// Errc::corrupt when none is right, Errc::cancelled, the driver's error when the default cannot
// run. Allocates search_bytes() of device memory.
Result<SearchResult> search(opencl::Programs& programs, const Bucket& bucket,
                            const SearchLimits& limits);

// For A, B, C, and B packed for each of this many plans.
std::uint64_t search_bytes(const Bucket& bucket, std::size_t plans);

}  // namespace plimsoll::tuning
