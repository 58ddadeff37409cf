#include "engine/training/tape/reduction.hpp"

#include "engine/training/gpus/gpu_profile.hpp"

#include <algorithm>
#include <bit>

namespace plimsoll::training {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t power_of_two_below(std::int64_t n) {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
}

// sum() over the rows of fp32 or 16-bit numbers: a buffer and semaphores, unless one block a column
// does (ATen Reduce.cuh, setReduceConfig).
std::array<std::int64_t, 2> of_sum(const TapeDevice& device, std::int64_t rows,
                                   std::int64_t columns) {
    constexpr std::int64_t max_threads = 512;
    constexpr std::int64_t warp = 32;
    constexpr std::int64_t min_values = 16;
    constexpr std::int64_t max_values = 256;
    if (rows < 2 || columns < 1) return {};
    const std::int64_t vector = columns % 4 == 0 ? 4 : columns % 2 == 0 ? 2 : 1;
    const std::int64_t threads = max_threads / vector;
    const std::int64_t across = columns / vector;
    const auto fit = [&](std::int64_t n) {
        return n < threads ? std::max<std::int64_t>(1, power_of_two_below(n)) : threads;
    };
    std::int64_t width = std::min(fit(across), warp);
    const std::int64_t height = std::min(fit(rows), threads / width);
    width = std::min(fit(across), threads / height);

    std::int64_t values = rows;  // per thread
    const bool split_rows = values >= std::min(height * 16, max_values);
    if (!split_rows) return {};
    values = divide_up(values, height);
    const std::int64_t grid = divide_up(across, width);
    const std::int64_t blocks_per_mp = device.threads_per_multiprocessor / (width * height);
    const std::int64_t target = device.multiprocessors * blocks_per_mp;
    if (values < max_values || grid > target) return {};
    const std::int64_t blocks =
        std::max(std::min(divide_up(target, grid), divide_up(values, min_values)),
                 divide_up(values, max_values));
    if (blocks <= 1) return {};
    return {4 * columns * blocks * width * vector, 4 * grid};
}

// With many rows of few columns the gradients of a norm's weight and bias are summed in two passes,
// with partial sums between them (ATen layer_norm_kernel.cu, LaunchGammaBetaBackwardCUDAKernel).
std::array<std::int64_t, 2> of_norm(const TapeDevice& device, std::int64_t rows,
                                    std::int64_t width) {
    if (rows <= 64 * 1024 || width / 32 >= device.multiprocessors / 2) return {};
    constexpr std::int64_t rows_per_block = 256;
    const std::int64_t bytes = divide_up(rows, rows_per_block) * width * 4;
    return {bytes, bytes};
}

}  // namespace

int generation_of(const TapeDevice& device) {
    const int cc = device.compute_capability;
    if (cc >= kAmdCapability) return cc >= 940 ? 940 : kAmdCapability;
    if (cc >= 90) return cc >= 110 ? 110 : cc >= 100 ? 100 : 90;
    return cc < 50 ? 0 : cc < 80 ? 50 : 80;
}

std::array<std::int64_t, 2> scratch_needed(const TapeDevice& device, const Reduction& r) {
    switch (r.kind) {
        case Reduction::Kind::sum: return of_sum(device, r.rows, r.columns);
        case Reduction::Kind::factor: return {of_sum(device, r.rows, r.columns)[0], 0};
        case Reduction::Kind::norm: return of_norm(device, r.rows, r.columns);
    }
    return {};
}

}  // namespace plimsoll::training
