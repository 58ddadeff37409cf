#pragma once

#include "engine/opencl/probing/capability.hpp"
#include "engine/opencl/runtime/programs.hpp"
#include "engine/profiling/knee_search.hpp"
#include "engine/tuning/gemm_plans.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace plimsoll::profiling {

// A device that is being measured. Everything below waits for the device after each run; times are
// the host's.
struct Subject {
    opencl::Programs& programs;
    const opencl::Capability& capability;
    const tuning::Plans& plans;
    Watch watch;
    TimingPolicy policy = {};
};

// How fast one thing is done.
struct Rate {
    std::string name;                     // "1024 x 768 x 768"
    std::string method;                   // how, where there is a choice: "block_fp32"; else empty
    Timing timing;                        // of one call
    double work = 0;                      // of one call: floating-point operations, or bytes
    std::optional<double> share_of_peak;  // 0 to 1: of the device's measured peak of that kind

    double per_second() const { return work / timing.median; }
    // In the fastest of the runs: what others disturbed is no peak.
    double most_per_second() const { return work / timing.least; }
};

// What the device reaches when it does nothing else: the measure of everything below.
struct Peak {
    Rate fma;   // fp32 operations from registers, two for each fused multiply-add
    Rate copy;  // bytes read and written, of buffers larger than caches
};
Result<Peak> measure_peak(const Subject& subject);

// Products of the sizes that encoders have, in fp32 and in bf16 where the device has proven it. The
// share is of the fp32 peak, also of bf16: above 1 the shorter numbers paid.
Result<std::vector<Rate>> measure_products(const Subject& subject, const Peak& peak);

// Layer normalisation, softmax and GELU: bound by memory. Bytes are those of one read and one
// write.
Result<std::vector<Rate>> measure_rows(const Subject& subject, const Peak& peak);

// Attention without padding, sequences of several lengths, in fp32 and in bf16 as above; useful
// operations.
Result<std::vector<Rate>> measure_attention(const Subject& subject, const Peak& peak);

struct LaunchCost {
    Timing waited;          // one launch and waiting for it
    double queued = 0;      // seconds for each of many launches before one wait
    double cold_build = 0;  // seconds to compile a kernel and launch it for the first time
    double warm_build = 0;  // the same from the program cache
};
// The program cache of `subject` is not used; `cache` is a folder for this measurement alone.
Result<LaunchCost> measure_launches(const Subject& subject, const std::filesystem::path& cache);

// Copying to the device while it computes.
struct Overlap {
    Timing compute;
    Timing copy;
    Timing both;
    double speedup() const { return (compute.median + copy.median) / both.median; }
};
// A second queue is worth it above this.
inline constexpr double kWorthASecondQueue = 1.1;
Result<Overlap> measure_overlap(const Subject& subject);

// The same by measuring every size: what the search is held against.
Result<std::vector<BatchPoint>> sweep_product(const Subject& subject, const BatchLimits& limits);

// The same layer with batches of these sizes only, by turns: what disturbs one round disturbs all
// of them. The median of the rounds' items a second, for each.
Result<std::vector<double>> compare_product_batches(const Subject& subject,
                                                    const BatchLimits& limits,
                                                    std::span<const std::int64_t> batches,
                                                    int rounds);

// A layer's product by rows, the "items" of the batch: where larger batches stop paying.
Result<KneeSearch> measure_product_knee(const Subject& subject, const BatchLimits& limits);
inline constexpr std::uint32_t kKneeColumns = 3072;
inline constexpr std::uint32_t kKneeDepth = 768;

}  // namespace plimsoll::profiling
