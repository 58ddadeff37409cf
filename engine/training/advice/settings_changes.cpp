#include "engine/training/advice/settings_changes.hpp"

#include "engine/training/tape/layout.hpp"

namespace plimsoll::training {
namespace {

// What people do to fit a language model: its experts, or shards of it, cannot be packed like this.
bool can_quantize(const ModelShape& shape, const TrainingSettings& t) {
    const auto sharding = layout_of(t).sharding;
    const bool whole = sharding == Sharding::none || sharding == Sharding::ddp;
    return shape.is_decoder() && !shape.has_experts() && whole &&
           t.quantization == Quantization::none;
}

// FSDP takes packed weights with others in 16 bits only.
void shard_all(TrainingSettings& t, bool bf16) {
    t.sharding = Sharding::fsdp;
    if (bf16 && t.quantization != Quantization::none) t.precision = Precision::bf16;
}

}  // namespace

std::vector<SettingsChange> changes_of(const ReportRequest& request, const GpuProfile& gpu) {
    const auto& shape = request.shape;
    const bool text = !shape.is_series();
    const bool bf16 = gpu.has_bf16();
    std::vector<SettingsChange> all = {
        {"SDPA instead of eager attention",
         [text](auto& t) { return text && t.attention == Attention::eager; },
         [](auto& t) { t.attention = Attention::sdpa; }},
        {"dropping the outputs object after the loss",
         [&shape](auto& t) {
             return t.hold_outputs && shape.head == Head::language_model &&
                    t.method == Method::supervised;
         },
         [](auto& t) { t.hold_outputs = false; }},
        {"fused AdamW",
         [](auto& t) {
             return t.optimizer == Optimizer::adamw && t.kernel != OptimizerKernel::fused;
         },
         [](auto& t) { t.kernel = OptimizerKernel::fused; }},
        {"fused loss (Liger)",
         [&shape](auto& t) { return !t.fused_loss && shape.head == Head::language_model; },
         [](auto& t) { t.fused_loss = true; }},
        {"double quantization", [](auto& t) { return t.quantization == Quantization::nf4; },
         [](auto& t) { t.quantization = Quantization::nf4_double; }},
        {"the reference's log-probabilities taken beforehand",
         [](auto& t) { return t.uses_reference() && !t.answers(); },
         [](auto& t) { t.reference = Reference::none; }},
        {"vLLM asleep while the model learns",
         [](auto& t) { return t.vllm.share > 0 && !t.vllm.sleeps; },
         [](auto& t) { t.vllm.sleeps = true; }},
        {"generation by vLLM on other GPUs",
         [](auto& t) { return t.method == Method::grpo && (t.generates || t.vllm.share > 0); },
         [](auto& t) {
             t.generates = false;
             t.vllm = {};
         }},
        {"sharding everything across the GPUs (FSDP)",
         [](auto& t) { return t.sharers() > 1 && t.sharding != Sharding::fsdp; },
         [bf16](auto& t) { shard_all(t, bf16); }},
        {"gradient checkpointing", [text](auto& t) { return text && !t.checkpointing; },
         [](auto& t) { t.checkpointing = true; }},
        {bf16 ? "bf16 autocast" : "fp16 autocast",
         [](auto& t) { return t.precision == Precision::fp32; },
         [bf16](auto& t) {
             t.precision = bf16 ? Precision::bf16_autocast : Precision::fp16_autocast;
         }},
        {"weights in bf16", [bf16](auto& t) { return bf16 && !t.half_weights(); },
         [](auto& t) { t.precision = Precision::bf16; }},
        {"weights in fp32 with autocast", [](auto& t) { return t.half_weights(); },
         [bf16](auto& t) {
             t.precision = bf16 ? Precision::bf16_autocast : Precision::fp16_autocast;
         }},
        {"8-bit Adam", [](auto& t) { return t.optimizer == Optimizer::adamw; },
         [](auto& t) { t.optimizer = Optimizer::adam_8bit; }},
        {"LoRA of rank 8", [text](auto& t) { return text && t.lora.rank == 0; },
         [](auto& t) {
             t.lora.rank = 8;
             t.frozen_embeddings = false;
             t.frozen_layers = 0;
         }},
        {"LoRA on 4-bit weights (QLoRA)", [&shape](auto& t) { return can_quantize(shape, t); },
         [](auto& t) {
             if (t.lora.rank == 0) t.lora.rank = 8;
             t.quantization = Quantization::nf4_double;
             t.frozen_embeddings = false;
             t.frozen_layers = 0;
         }},
    };
    if (request.lengths && request.lengths->p95 < request.settings.sequence) {
        const int p95 = request.lengths->p95;
        all.push_back({"texts truncated at " + std::to_string(p95) + " tokens, the 95th percentile",
                       [](auto&) { return true; }, [p95](auto& t) { t.sequence = p95; }});
    }
    return all;
}

std::vector<SettingsChange> last_changes_of(const ReportRequest& request) {
    constexpr double kBoldMargin = 0.95;
    std::vector<SettingsChange> all = {
        {"a paged 8-bit Adam",
         [](auto& t) {
             return t.optimizer == Optimizer::adamw || t.optimizer == Optimizer::adam_8bit ||
                    t.optimizer == Optimizer::paged_adamw;
         },
         [](auto& t) { t.optimizer = Optimizer::paged_adamw_8bit; }}};
    if (request.search.safety < kBoldMargin)
        all.push_back({"a margin of 0.95", [](auto&) { return true; }, [](auto&) {}, kBoldMargin});
    const auto& shape = request.shape;
    // Not of answers, which have a length of their own.
    for (const int tokens : {2048, 1024, 512, 256})
        if (shape.reads_text() && shape.sample_length() == 0)
            all.push_back({"texts truncated at " + std::to_string(tokens) + " tokens",
                           [tokens](auto& t) { return !t.answers() && t.sequence > tokens; },
                           [tokens](auto& t) { t.sequence = tokens; }});
    return all;
}

std::vector<SettingsChange> offloads(bool bf16) {
    const auto is_kept = [](const auto& t) { return t.offload == Offload::none; };
    return {
        {"optimizer in the host's memory (copies not timed)",
         [=](auto& t) {
             return is_kept(t) && !is_fsdp(t.sharding) && t.sharding != Sharding::zero3;
         },
         [](auto& t) {
             t.sharding = Sharding::zero2;
             t.offload = Offload::optimizer;
         }},
        {"offload to the host's memory (copies not timed)", is_kept,
         [bf16](auto& t) {
             if (t.quantization != Quantization::none && t.sharers() > 1)
                 shard_all(t, bf16);
             else if (!is_fsdp(t.sharding))
                 t.sharding = Sharding::zero3;
             t.offload = Offload::parameters;
         }},
    };
}

SettingsChange more_cards(int cards, bool bf16) {
    return {std::to_string(cards) + " GPUs, sharded (FSDP)", [](const auto&) { return true; },
            [cards, bf16](auto& t) {
                t.cards = cards;
                if (t.sharding == Sharding::none || t.sharding == Sharding::ddp) shard_all(t, bf16);
            }};
}

}  // namespace plimsoll::training
