#pragma once

#include "engine/base/result.hpp"
#include "engine/training/gpus/gpu_profile.hpp"

#include <optional>
#include <string>

namespace plimsoll::training {

inline constexpr int kDefaultCapability = 80, kDefaultMultiprocessors = 80;

// A card as described by a team. Without bandwidth and fp32 rate, omitted values are those of the
// most similar built-in card, by name or by memory.
struct CustomGpu {
    std::string id = {};
    std::string name = {};
    double memory_gib = 0;
    double context_gib = 0.5;
    double bandwidth_gb_s = 0;  // 0: unknown; both or none
    double fp32_tflops = 0;
    double fp16_tflops = 0;
    double bf16_tflops = 0;
    std::optional<int> compute_capability = {};  // default with rates: kDefaultCapability
    std::optional<int> multiprocessors = {};     // default with rates: kDefaultMultiprocessors
    std::optional<int> sold_gb = {};             // memory as marketed; as measured by default
    std::optional<GuideSettings> guide = {};
};

// Errc::invalid_input names the field (JSON pointer) and the rule.
Result<GpuProfile> make_custom_gpu(const CustomGpu& gpu);

}  // namespace plimsoll::training
