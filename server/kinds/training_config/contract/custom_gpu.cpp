#include "engine/training/gpus/custom_gpu.hpp"

#include "engine/base/json.hpp"
#include "server/kinds/training_config/contract/request.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace plimsoll::jobs::training_config {
namespace {

namespace tr = ::plimsoll::training;

constexpr const char* kGuideKeys[] = {"batch_size_1d", "batch_size_1h", "max_workers",
                                      "memory_per_model_1d", "memory_per_model_1h"};

// A profile of the GPU profile guide has all of these keys.
Result<std::optional<tr::GuideSettings>> guide_of(const json& from, double memory_gib) {
    const auto has = [&](const char* key) { return from.contains(key); };
    if (std::ranges::none_of(kGuideKeys, has)) {
        if (!has("notes")) return std::nullopt;
        return fail(Errc::invalid_input,
                    "Notes are part of the guide's settings: also give its other keys.", "/notes");
    }
    const auto* missing = std::ranges::find_if_not(kGuideKeys, has);
    if (missing != std::end(kGuideKeys)) {
        return fail(
            Errc::invalid_input,
            std::string("The guide's keys must be given together: ") + *missing + " is missing.",
            std::string("/") + *missing);
    }
    return tr::GuideSettings{
        .vram_gb = from.value("vram_gb", static_cast<int>(std::lround(memory_gib))),
        .batch_size_1d = from["batch_size_1d"],
        .batch_size_1h = from["batch_size_1h"],
        .max_workers = from["max_workers"],
        .memory_per_model_1d_gb = from["memory_per_model_1d"],
        .memory_per_model_1h_gb = from["memory_per_model_1h"],
        .use_case = {},
        .notes = from.value("notes", "")};
}

}  // namespace

Result<tr::GpuProfile> parse_custom_gpu(const json& from) {
    tr::CustomGpu gpu;
    gpu.id = from.value("id", std::string(kCustomGpu));
    gpu.name = from.value("name", gpu.id);
    if (!from.contains("memory_gib") && !from.contains("vram_gb")) {
        return fail(Errc::invalid_input, "Give memory_gib, as reported by the driver, or vram_gb.",
                    "/memory_gib");
    }
    gpu.memory_gib = from.value("memory_gib", from.value("vram_gb", 0.0));
    gpu.context_gib = from.value("context_gib", gpu.context_gib);
    gpu.bandwidth_gb_s = from.value("bandwidth_gb_s", 0.0);
    gpu.fp32_tflops = from.value("fp32_tflops", 0.0);
    gpu.fp16_tflops = from.value("fp16_tflops", 0.0);
    gpu.bf16_tflops = from.value("bf16_tflops", 0.0);
    const auto whole = [&](const char* name) {
        return from.contains(name) ? std::optional(from[name].get<int>()) : std::nullopt;
    };
    gpu.compute_capability = whole("compute_capability");
    gpu.multiprocessors = whole("multiprocessors");
    gpu.sold_gb = whole("vram_gb");
    TRY(gpu.guide, guide_of(from, gpu.memory_gib));
    return tr::make_custom_gpu(gpu);
}

json custom_gpu_json(const tr::GpuProfile& p) {
    const auto tera = [](const tr::Figure& figure) { return figure.value / 1e12; };
    constexpr double gib = 1024.0 * 1024 * 1024;
    json out = {{"id", p.id},
                {"name", p.name},
                {"memory_gib", p.memory_bytes.value / gib},
                {"context_gib", p.context_bytes.value / gib},
                {"bandwidth_gb_s", p.bandwidth.value / 1e9},
                {"fp32_tflops", tera(p.fp32_flops)},
                {"fp16_tflops", tera(p.fp16_flops)},
                {"bf16_tflops", tera(p.bf16_flops)},
                {"compute_capability", p.compute_capability},
                {"multiprocessors", static_cast<int>(p.multiprocessors.value)}};
    if (!p.guide) return out;
    out.update({{"vram_gb", p.guide->vram_gb},
                {"batch_size_1d", p.guide->batch_size_1d},
                {"batch_size_1h", p.guide->batch_size_1h},
                {"max_workers", p.guide->max_workers},
                {"memory_per_model_1d", p.guide->memory_per_model_1d_gb},
                {"memory_per_model_1h", p.guide->memory_per_model_1h_gb},
                {"notes", p.guide->notes}});
    return out;
}

}  // namespace plimsoll::jobs::training_config
