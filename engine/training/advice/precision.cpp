#include "engine/training/advice/precision.hpp"

#include "engine/training/tape/layout.hpp"

namespace plimsoll::training {

Precision automatic_precision(const ModelShape& shape, const TrainingSettings& t, bool has_bf16,
                              bool has_fp16) {
    const auto sharding = layout_of(t).sharding;
    const bool whole = sharding == Sharding::none || sharding == Sharding::ddp;
    // FSDP takes packed weights with others in bf16 only; of others, Accelerate widens what is
    // trained, and leaves what is frozen.
    const bool frozen_half =
        t.quantization != Quantization::none || (shape.stored_half && t.lora.rank > 0);
    if (is_fsdp(sharding) && frozen_half && has_bf16) return Precision::bf16;
    // Fused adapters leave what is not packed in 16 bits, as axolotl and unsloth load it.
    const bool packs =
        t.quantization != Quantization::none && !shape.has_experts() && !t.fused_adapters;
    const bool stays = shape.stored_half && !packs && whole && t.offload == Offload::none;
    if (has_bf16) return stays ? Precision::bf16 : Precision::bf16_autocast;
    if (!has_fp16) return Precision::fp32;
    return stays && t.lora.rank > 0 ? Precision::fp16 : Precision::fp16_autocast;
}

Precision automatic_precision(const ModelShape& shape, const TrainingSettings& settings,
                              const GpuProfile& gpu) {
    return automatic_precision(shape, settings, gpu.has_bf16(), gpu.fp16_flops.value > 0);
}

}  // namespace plimsoll::training
