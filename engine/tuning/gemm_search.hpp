#pragma once

#include "engine/tuning/gemm_plans.hpp"

#include <chrono>
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

// Tries plans for products of this bucket's size with random numbers, the default first, until
// `budget` is used up. Rounds are interleaved, so that a disturbance hits all plans alike. A plan
// counts only if its results are right: fp32 within 1e-5, bf16 within 1e-2. Errc::corrupt when none
// is right, the driver's error when the default cannot run. Allocates device memory for A, B,
// packed B and C.
Result<SearchResult> search(opencl::Programs& programs, const Bucket& bucket,
                            std::chrono::milliseconds budget);

}  // namespace plimsoll::tuning
