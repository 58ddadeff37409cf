#pragma once

#include "engine/tuning/gemm_plans.hpp"

#include <chrono>
#include <vector>

namespace plimsoll::tuning {

struct Candidate {
    routines::GemmPlan plan;
    double seconds = 0;  // of the fastest of a few products, host time
    double error = 0;    // by the largest number expected, against double precision
    bool accurate = false;
};

// A plan takes no more than this share of the default's time, or the default stays: a smaller
// difference may be noise, and the default was chosen on quiet machines.
inline constexpr double kWorthLeavingTheDefault = 0.97;

struct SearchResult {
    routines::GemmPlan best;
    std::vector<Candidate> tried;  // the default first
};

// Tries plans for products of this bucket's size with random numbers, the default first, until
// `budget` is used up; interleaved rounds, so that a busy moment hurts all alike. A plan counts
// only if the numbers it computed are right: fp32 within 1e-5, bf16 within 1e-2. Errc::corrupt when
// none is, the driver's error when the default cannot run. Takes device memory for A, B, packed B
// and C beside what runs.
Result<SearchResult> search(opencl::Programs& programs, const Bucket& bucket,
                            std::chrono::milliseconds budget);

}  // namespace plimsoll::tuning
