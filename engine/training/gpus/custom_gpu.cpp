#include "engine/training/gpus/custom_gpu.hpp"

#include "engine/training/gpus/catalogue.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace plimsoll::training {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

tl::unexpected<Error> bad(const char* field, const char* rule) {
    return fail(Errc::invalid_input, rule, field);
}

bool in(double value, double low, double high) {
    return std::isfinite(value) && value >= low && value <= high;
}

Result<void> check_rates(const CustomGpu& gpu) {
    if (!in(gpu.bandwidth_gb_s, 1, 1e5))
        return bad("/bandwidth_gb_s", "The bandwidth must be between 1 and 100000 GB/s.");
    if (!in(gpu.fp32_tflops, 0.1, 1e5))
        return bad("/fp32_tflops", "The fp32 rate must be between 0.1 and 100000 TFLOP/s.");
    if (!in(gpu.fp16_tflops, 0, 1e5))
        return bad("/fp16_tflops", "The fp16 rate must be between 0 and 100000 TFLOP/s.");
    if (!in(gpu.bf16_tflops, 0, 1e5))
        return bad("/bf16_tflops", "The bf16 rate must be between 0 and 100000 TFLOP/s.");
    return {};
}

Result<void> check_chip(const CustomGpu& gpu) {
    const int capability = gpu.compute_capability.value_or(kDefaultCapability);
    const int multiprocessors = gpu.multiprocessors.value_or(kDefaultMultiprocessors);
    if (capability < 30 || capability > 999)
        return bad("/compute_capability", "The compute capability must be between 30 and 999.");
    if (multiprocessors < 1 || multiprocessors > 1024)
        return bad("/multiprocessors", "The number of multiprocessors must be between 1 and 1024.");
    return {};
}

Result<void> check_guide(const CustomGpu& gpu) {
    if (!gpu.guide) return {};
    const auto& g = *gpu.guide;
    if (g.batch_size_1d < 1)
        return bad("/batch_size_1d", "The batch size for daily bars must be at least 1.");
    if (g.batch_size_1h < 1)
        return bad("/batch_size_1h", "The batch size for hourly bars must be at least 1.");
    if (g.max_workers < 1)
        return bad("/max_workers", "The number of models trained at once must be at least 1.");
    return {};
}

Figure given(double value) { return {value, "given by the user"}; }

GpuProfile with_rates(const CustomGpu& gpu) {
    GpuProfile p;
    p.compute_capability = gpu.compute_capability.value_or(kDefaultCapability);
    p.multiprocessors = given(gpu.multiprocessors.value_or(kDefaultMultiprocessors));
    p.bandwidth = given(gpu.bandwidth_gb_s * 1e9);
    p.fp32_flops = given(gpu.fp32_tflops * 1e12);
    p.tf32_flops = given(0);
    p.fp16_flops = given(gpu.fp16_tflops * 1e12);
    p.bf16_flops = given(gpu.bf16_tflops * 1e12);
    return p;
}

GpuProfile like_another(const CustomGpu& gpu) {
    const auto bytes = static_cast<std::int64_t>(gpu.memory_gib * kGiB);
    auto p = profile_for({gpu.name.empty() ? gpu.id : gpu.name, bytes});
    const auto source = "assumed from " + p.name;
    for (auto* figure : {&p.multiprocessors, &p.bandwidth, &p.fp32_flops, &p.tf32_flops,
                         &p.fp16_flops, &p.bf16_flops})
        figure->source = source;
    p.compute_capability = gpu.compute_capability.value_or(p.compute_capability);
    if (gpu.multiprocessors) p.multiprocessors = given(*gpu.multiprocessors);
    return p;
}

}  // namespace

Result<GpuProfile> make_custom_gpu(const CustomGpu& gpu) {
    const bool plain = std::all_of(gpu.id.begin(), gpu.id.end(), [](unsigned char c) {
        return std::islower(c) || std::isdigit(c) || c == '_';
    });
    if (gpu.id.empty() || gpu.id.size() > 64 || !plain)
        return bad("/id", "The ID must be 1 to 64 lower-case letters, digits or underscores.");
    if (!in(gpu.memory_gib, 0.5, 4096))
        return bad("/memory_gib", "The memory must be between 0.5 and 4096 GiB.");
    if (!in(gpu.context_gib, 0, gpu.memory_gib / 2))
        return bad("/context_gib", "The CUDA context must be between 0 and half the memory.");
    const bool has_rates = gpu.bandwidth_gb_s != 0 || gpu.fp32_tflops != 0;
    if (has_rates) {
        TRY_DO(check_rates(gpu));
    } else if (gpu.fp16_tflops != 0 || gpu.bf16_tflops != 0) {
        return bad("/fp32_tflops",
                   "fp16_tflops and bf16_tflops also need bandwidth_gb_s and fp32_tflops.");
    }
    TRY_DO(check_chip(gpu));
    TRY_DO(check_guide(gpu));
    auto p = has_rates ? with_rates(gpu) : like_another(gpu);
    p.id = gpu.id;
    p.name = gpu.name.empty() ? gpu.id : gpu.name;
    p.architecture = kCustomArchitecture;
    p.sold_gb = gpu.sold_gb ? *gpu.sold_gb : gpu.memory_gib;
    p.memory_bytes = given(std::floor(gpu.memory_gib * kGiB));
    p.context_bytes = given(std::floor(gpu.context_gib * kGiB));
    p.common = true;  // who describes a card wants it in every comparison
    p.guide = gpu.guide;
    return p;
}

}  // namespace plimsoll::training
