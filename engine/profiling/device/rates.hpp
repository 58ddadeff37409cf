#pragma once

#include "engine/opencl/probing/capability.hpp"
#include "engine/opencl/runtime/programs.hpp"
#include "engine/profiling/knee_search.hpp"
#include "engine/tuning/gemm_plans.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace plimsoll::profiling {

// A device under measurement. Every run below is waited for; times are host times.
struct Subject {
    opencl::Programs& programs;
    const opencl::Capability& capability;
    const tuning::Plans& plans;
    Watch watch;
    TimingPolicy policy = {};
};

// The measured rate of one operation.
struct Rate {
    std::string name;                     // "1024 x 768 x 768"
    std::string method;                   // "block_fp32"; empty where there is only one
    Timing timing;                        // of one call
    double work = 0;                      // per call: floating-point operations or bytes
    std::optional<double> share_of_peak;  // 0 to 1, of the device's measured peak of that kind

    double per_second() const { return work / timing.median; }
    // Of the fastest run: a disturbed run is no peak.
    double max_per_second() const { return work / timing.min; }
};

// The device's measured peaks: the reference for the rates below.
struct Peak {
    Rate fma;   // fp32 operations from registers, two for each fused multiply-add
    Rate copy;  // bytes read and written, of buffers larger than caches
};
Result<Peak> measure_peak(const Subject& subject);

// Matrix products of the sizes used by encoders, in fp32, and in bf16 where supported. The share is
// relative to the fp32 peak for bf16 too, so it may exceed 1.
Result<std::vector<Rate>> measure_products(const Subject& subject, const Peak& peak);

// Layer normalization, softmax and GELU: memory-bound. Counts the bytes of one read and one write.
Result<std::vector<Rate>> measure_rows(const Subject& subject, const Peak& peak);

// Attention without padding over sequences of several lengths, in fp32 and bf16 as above; counts
// useful operations.
Result<std::vector<Rate>> measure_attention(const Subject& subject, const Peak& peak);

struct LaunchCost {
    Timing waited;          // one launch including the wait
    double queued = 0;      // seconds per launch, for many launches before one wait
    double cold_build = 0;  // seconds to compile a kernel and launch it once
    double warm_build = 0;  // the same from the program cache
};
// Does not use the program cache of `subject`; `cache` is a folder for this measurement alone.
Result<LaunchCost> measure_launches(const Subject& subject, const std::filesystem::path& cache);

// Copying to the device while it computes.
struct Overlap {
    Timing compute;
    Timing copy;
    Timing both;
    double speedup() const { return (compute.median + copy.median) / both.median; }
};
// Speedup from which a second queue pays off.
inline constexpr double kWorthASecondQueue = 1.1;
Result<Overlap> measure_overlap(const Subject& subject);

// The same by measuring every size: the reference for the search.
Result<std::vector<BatchPoint>> sweep_product(const Subject& subject, const BatchLimits& limits);

// The same layer with these batch sizes only, interleaved, so that a disturbance hits all sizes
// alike. Returns the median items per second of each size.
Result<std::vector<double>> compare_product_batches(const Subject& subject,
                                                    const BatchLimits& limits,
                                                    std::span<const std::int64_t> batches,
                                                    int rounds);

// Knee of a layer's matrix product by number of rows (the "items" of the batch).
Result<KneeSearch> measure_product_knee(const Subject& subject, const BatchLimits& limits);
inline constexpr std::uint32_t kKneeColumns = 3072;
inline constexpr std::uint32_t kKneeDepth = 768;

}  // namespace plimsoll::profiling
