#include "engine/kernels/embedded.hpp"
#include "engine/opencl/runtime/invoke.hpp"
#include "engine/profiling/device/buffers.hpp"

#include <algorithm>

namespace plimsoll::profiling {

namespace {

constexpr std::size_t kLanes = 16;
constexpr std::uint64_t kCopyBytes = 256U << 20;  // beyond the caches of today's devices

bool is_processor(const Subject& subject) {
    return subject.capability.info.type == opencl::DeviceType::cpu;
}

Result<Rate> measure_fma(const Subject& subject) {
    const auto& device = subject.programs.device();
    // Enough to hide the latency of four cycles on two units; more registers than that spill.
    const std::size_t chains = is_processor(subject) ? 12 : 2;
    const std::size_t group = is_processor(subject) ? 1 : 64;
    const std::size_t items =
        std::size_t{device.info().compute_units} * (is_processor(subject) ? 8 : 64 * group);
    const std::uint32_t rounds = is_processor(subject) ? 20'000 : 4'000;
    const auto kernel =
        subject.programs.get("profile_fma", "-DCHAINS=" + std::to_string(chains),
                             [] { return std::string(kernels::source("profile_fma")); });
    if (!kernel) return fail(kernel.error());
    TRY(const auto out, device.allocate(items * sizeof(float)));
    const auto timing = time_launches(subject, [&] {
        return opencl::invoke(device, **kernel, {items, group}, out, 0.5F, rounds);
    });
    if (!timing) return fail(timing.error());
    return Rate{"fp32 multiply-add from registers",
                {},
                *timing,
                2.0 * static_cast<double>(items * chains * kLanes) * rounds,
                {}};
}

Result<Rate> measure_copy(const Subject& subject) {
    const auto& device = subject.programs.device();
    constexpr std::size_t kVectors = 256;
    constexpr std::size_t kVectorBytes = 4 * sizeof(float);
    const auto memory = device.info().memory.bytes.value_or(kCopyBytes * 16);
    auto bytes = std::min({kCopyBytes, memory / 16, device.info().max_allocation_bytes});
    const std::size_t group = is_processor(subject) ? 1 : 64;
    const std::size_t per_group = group * kVectors * kVectorBytes;
    bytes = std::max<std::uint64_t>(bytes / per_group, 1) * per_group;
    const auto kernel = subject.programs.get(
        "profile_copy",
        "-DVECTORS=" + std::to_string(kVectors) + "u -DRUN=" + std::to_string(group) + "u",
        [] { return std::string(kernels::source("profile_copy")); });
    if (!kernel) return fail(kernel.error());
    const auto in = device.allocate(bytes);
    const auto out = device.allocate(bytes);
    if (!in) return fail(in.error());
    if (!out) return fail(out.error());
    TRY_DO(device.fill(*in, std::byte{0x3f}));
    const auto timing = time_launches(subject, [&] {
        return opencl::invoke(device, **kernel, {bytes / kVectors / kVectorBytes, group}, *in,
                              *out);
    });
    if (!timing) return fail(timing.error());
    return Rate{std::to_string(bytes >> 20) + " MiB copied",
                {},
                *timing,
                2.0 * static_cast<double>(bytes),
                {}};
}

}  // namespace

Result<Peak> measure_peak(const Subject& subject) {
    TRY(auto fma, measure_fma(subject));
    TRY(auto copy, measure_copy(subject));
    return Peak{std::move(fma), std::move(copy)};
}

}  // namespace plimsoll::profiling
