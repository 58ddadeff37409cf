#include "engine/base/closest.hpp"
#include "engine/training/tape/division.hpp"
#include "engine/training/tape/layout.hpp"
#include "engine/training/tape/record.hpp"
#include "engine/training/tape/rollouts/ppo.hpp"

#include <algorithm>
#include <string>

namespace plimsoll::training {
namespace {

Result<void> check_targets(const ModelShape& s, const TrainingSettings& t) {
    if (t.lora.rank == 0 || t.lora.targets != Lora::Targets::modules) return {};
    const auto known = linear_layers(s);
    std::string names;
    for (const auto& name : known) names += (names.empty() ? "" : ", ") + name;
    if (t.lora.modules.empty())
        return wrong("/lora/modules", "Name at least one linear layer: " + names + ".");
    for (std::size_t i = 0; i < t.lora.modules.size(); ++i) {
        const auto& name = t.lora.modules[i];
        if (std::ranges::find(known, name) != known.end()) continue;
        const auto where = "/lora/modules/" + std::to_string(i);
        return wrong(where.c_str(), "The model has no linear layer \"" + name + "\"." +
                                        did_you_mean(name, known) + " It has: " + names + ".");
    }
    return {};
}

Result<void> check_whole(const ModelShape& s, const TrainingSettings& t) {
    if (t.lora.rank == 0 || t.lora.whole.empty()) return {};
    const auto known = whole_modules(s);
    if (known.empty())
        return wrong("/lora/modules_to_save",
                     "Modules that are trained whole beside adapters are modelled for decoders: "
                     "omit it.");
    for (std::size_t i = 0; i < t.lora.whole.size(); ++i) {
        const auto& name = t.lora.whole[i];
        if (std::ranges::find(known, name) != known.end()) continue;
        const auto where = "/lora/modules_to_save/" + std::to_string(i);
        return wrong(where.c_str(), "Beside adapters, \"" + name +
                                        "\" is not modelled as trained whole." +
                                        did_you_mean(name, known) + " Of this model are " +
                                        known.front() + " and " + known.back() + ".");
    }
    if (t.widens_copies() && layout_of(t).shards_optimizer)
        return wrong("/lora/dtype",
                     "Shards of copies in another type than the weights' are not modelled: choose "
                     "fp32, which widens adapters alone.");
    return {};
}

Result<void> check_offload(const TrainingSettings& t) {
    if (t.offload == Offload::none) return {};
    const bool zero = t.sharding == Sharding::zero1 || t.sharding == Sharding::zero2 ||
                      t.sharding == Sharding::zero3;
    const bool fsdp = is_fsdp(t.sharding) && t.sharers() > 1;
    if (!zero && !fsdp)
        return wrong("/offload",
                     "Only DeepSpeed and FSDP offload: set sharding to zero1, zero2, zero3 or, on "
                     "several GPUs, fsdp.");
    if (t.offload == Offload::parameters && t.sharding != Sharding::zero3 && !fsdp)
        return wrong("/offload", "Only zero3 and fsdp offload parameters.");
    if (t.offload == Offload::optimizer && fsdp)
        return wrong("/offload", "FSDP offloads all of its shards: choose parameters.");
    if (t.optimizer != Optimizer::adamw)
        return wrong("/offload", "Optimizer offload is modelled for adamw only.");
    return {};
}

Result<void> check_precision(const TrainingSettings& t) {
    if (t.precision != Precision::fp16) return {};
    if (t.lora.rank == 0)
        return wrong("/precision",
                     "Weights in fp16 can only be frozen, under adapters: GradScaler refuses their "
                     "gradients. Choose fp16_autocast or bf16.");
    if (const auto sharding = layout_of(t).sharding;
        sharding != Sharding::none && sharding != Sharding::ddp)
        return wrong("/precision",
                     "Shards of weights in fp16 are not modelled: choose fp16_autocast.");
    return {};
}

Result<void> check_attention(const ModelShape& s, const TrainingSettings& t) {
    if (t.attention != Attention::flash) return {};
    const auto family = s.own_traits ? s.name : std::string(to_string(s.family));
    const bool unlike = s.traits().latent || s.traits().sinks || s.traits().alibi;
    if (s.family == Family::t5 && s.own_traits)
        return wrong("/attention",
                     "FlashAttention-2 is not modelled for the family " + family + ".");
    if (!s.is_text_or_features() || s.family == Family::deberta_v2 || s.family == Family::t5 ||
        unlike)
        return wrong("/attention", "The family " + family + " does not support FlashAttention-2.");
    if (t.precision == Precision::fp32)
        return wrong("/attention",
                     "FlashAttention-2 computes in 16 bits: choose a precision other than fp32.");
    if (std::max(s.head_dim, s.full_head_dim) > 256 || s.head_dim % 8 != 0)
        return wrong("/attention",
                     "FlashAttention-2 supports head sizes up to 256 in multiples of 8; this "
                     "model's is " +
                         std::to_string(std::max(s.head_dim, s.full_head_dim)) + ".");
    if (s.attention_dropout > 0 && s.capped_scores)
        return wrong("/attention",
                     "FlashAttention-2 cannot combine soft-capped scores with dropout.");
    return {};
}

// Texts in one row need a decoder, which reads where each token stands.
Result<void> check_packing(const ModelShape& s, const TrainingSettings& t) {
    if (!t.packed) return {};
    if (!s.is_decoder() || s.head != Head::language_model)
        return wrong("/packed", "Only decoder language models support packed texts.");
    if (s.traits().alibi)
        return wrong("/packed", "Models of this family do not see where packed texts begin.");
    if (s.traits().delta && t.attention != Attention::flash)
        return wrong("/packed",
                     "Linear attention sees where packed texts begin with flash attention only: "
                     "choose attention flash_attention_2, or omit packed.");
    if (t.padded) return wrong("/packed", "Packed texts have no padding: omit packed or padded.");
    return {};
}

// TRL's trainers of preferences.
Result<void> check_method(const ModelShape& s, const TrainingSettings& t) {
    if (t.method == Method::supervised) return {};
    if (!s.reads_text() || s.has_decoder() || s.family == Family::naics)
        return wrong("/method", "Preferences are learnt by decoders and classifiers of text only.");
    if (t.method == Method::reward) {
        if (s.head != Head::classifier)
            return wrong("/method", "A reward model ends in a classifier: set its head.");
    } else if (!s.is_decoder() || s.head != Head::language_model) {
        return wrong("/method", "Only decoder language models learn from preferred answers so.");
    }
    if (t.sequence < 2) return wrong("/sequence_length", "An answer has at least two tokens.");
    if (t.packed) return wrong("/packed", "TRL does not pack answers.");
    if (t.fused_loss) return wrong("/fused_loss", "Liger's fused loss is of supervised tuning.");
    const auto sharding = layout_of(t).sharding;
    const bool in_shards = sharding == Sharding::zero3 || is_fsdp(sharding);
    if (t.method == Method::ppo && sharding != Sharding::none && sharding != Sharding::ddp)
        return wrong("/sharding",
                     "PPO's four models are modelled whole on every GPU: choose ddp, or omit it.");
    if (t.method == Method::ppo && t.quantization != Quantization::none)
        return wrong("/quantization", "PPO is not modelled with quantized weights: omit one.");
    if (t.method == Method::ppo && (t.frozen_layers > 0 || t.frozen_embeddings))
        return wrong(t.frozen_layers > 0 ? "/frozen_layers" : "/frozen_embeddings",
                     "PPO is modelled for a policy that is trained whole or by adapters: omit it.");
    if (t.answers() && t.generates && s.linear.kernel > 0)
        return wrong("/generation",
                     "Generation with linear attention or convolutions is not modelled: let vLLM "
                     "generate on other GPUs (generation vllm, of grpo).");
    if (const auto& vllm = t.vllm; vllm.share != 0) {
        if (!(vllm.share > 0 && vllm.share <= 1))
            return wrong("/vllm/memory_share", "vLLM's share is above 0 and at most 1.");
        if (vllm.cards < 1 || t.cards % vllm.cards != 0)
            return wrong("/vllm/tensor_parallel",
                         "vLLM divides its weights among " + std::to_string(vllm.cards) +
                             " GPUs, which must divide those of the run (cards), " +
                             std::to_string(t.cards) + ".");
        if (vllm.longest != 0 && vllm.longest < t.sequence)
            return wrong("/vllm/max_length",
                         "vLLM's longest text has at least the tokens of a prompt and its answer "
                         "(sequence_length).");
        if (t.quantization == Quantization::int8)
            return wrong("/quantization",
                         "vLLM beside the trainer does not load int8 weights: choose nf4.");
    }
    if (t.method == Method::grpo && t.generates && in_shards)
        return wrong(
            "/generation",
            "Generation from weights in shards is not modelled: let vLLM generate on other "
            "GPUs (generation vllm), or shard with ddp or zero2.");
    return {};
}

// Of types without a family of their own: DeepSeek, GPT-OSS, Llama 4, Qwen3.5 and GLM-4.
bool liger_knows(const DecoderTraits& t) {
    return t.latent || t.sinks || t.unit_queries || t.delta ||
           (t.rotary == Rotary::paired && t.outer_norms);
}

Result<void> check_fused_loss(const ModelShape& s, const TrainingSettings& t) {
    if (!t.fused_loss) return {};
    // Those of liger-kernel 0.8 that were compared.
    const bool others = (s.family == Family::qwen2_moe && !s.own_traits) ||
                        s.family == Family::granite || s.family == Family::starcoder2 ||
                        s.family == Family::opt;
    if (!s.has_rms_norm() || others || (s.own_traits && !liger_knows(*s.own_traits)))
        return wrong("/fused_loss", "Liger's fused loss of the family " +
                                        (s.own_traits ? s.name : std::string(to_string(s.family))) +
                                        " is not modelled; without it (fused_loss false) the run "
                                        "needs more.");
    if (s.head != Head::language_model)
        return wrong("/fused_loss", "Only a language model's loss can be fused with its head.");
    return {};
}

Result<void> check_quantization(const ModelShape& s, const TrainingSettings& t) {
    if (t.quantization == Quantization::none) return {};
    if (!s.is_text_or_features() || s.has_decoder())
        return wrong("/quantization", "Quantized weights are not modelled for the family " +
                                          std::string(to_string(s.family)) + ".");
    if (t.lora.rank == 0)
        return wrong("/quantization", "Quantized weights cannot be trained: use adapters (lora).");
    const auto sharding = layout_of(t).sharding;
    if (layout_of(t).shards_weights && t.quantization == Quantization::int8)
        return wrong("/quantization", "FSDP and ZeRO-3 shard weights of 4 bits, not of 8.");
    if (layout_of(t).is_zero() && t.precision == Precision::fp32)
        return wrong("/precision",
                     "DeepSpeed takes packed weights beside others in 16 bits: choose a precision "
                     "that has them.");
    if (is_fsdp(sharding) && t.precision != Precision::bf16)
        return wrong("/quantization",
                     "FSDP shards packed weights with others of the same type: choose precision "
                     "bf16.");
    return {};
}

Result<void> check_fused_adapters(const TrainingSettings& t) {
    if (!t.fused_adapters) return {};
    if (t.lora.rank == 0 || t.lora.dora || t.lora.dropout > 0)
        return wrong("/fused_adapters",
                     "Fused kernels compute plain LoRA without dropout: set lora.rank, and "
                     "lora.dropout to 0.");
    if (!t.half_weights() || t.quantization == Quantization::int8)
        return wrong("/fused_adapters",
                     "Fused kernels are modelled on weights in 16 or 4 bits: choose precision bf16 "
                     "or fp16.");
    return {};
}

// torchtitan's, of its own models.
Result<void> check_selective(const ModelShape& s, const TrainingSettings& t) {
    if (t.checkpointed_every > 1 && (t.selective || s.has_decoder()))
        return wrong("/checkpointing_every",
                     "Checkpoints of every n-th layer are modelled for single stacks of layers, "
                     "and not with selective ones.");
    if (!t.selective) return {};
    const bool compared = s.family == Family::llama || s.family == Family::qwen3;
    if (!compared || s.own_traits || s.qkv_bias)
        return wrong("/selective_checkpointing",
                     "Selective checkpointing is modelled for Llama, Mistral and Qwen 3: omit it.");
    if (t.attention != Attention::sdpa)
        return wrong("/attention", "Selective checkpointing is modelled with sdpa only.");
    if (t.parallel.cards() > 1 || t.lora.rank > 0 || t.method != Method::supervised)
        return wrong("/selective_checkpointing",
                     "Selective checkpointing is modelled for supervised training of whole models "
                     "on one GPU, and with ddp and fsdp.");
    if (layout_of(t).is_zero())
        return wrong("/sharding", "ZeRO is not modelled with selective checkpointing.");
    return {};
}

Result<void> check_updates(const TrainingSettings& t) {
    if (!t.optimizer_in_backward) return {};
    if (layout_of(t).sharding != Sharding::none)
        return wrong("/optimizer_in_backward", "Updates during backward are of one GPU.");
    if (t.clip || t.scaled())
        return wrong("/optimizer_in_backward",
                     "Updates during backward cannot clip or unscale gradients: set clip to false, "
                     "and choose a precision without fp16.");
    return {};
}

}  // namespace

std::vector<Parameter> list_parameters(const ModelShape& shape, const TrainingSettings& settings) {
    auto parameters = list_parameters(shape, settings.lora);
    for (auto& p : parameters) {
        if (settings.frozen_embeddings && p.part == Part::embeddings) p.trainable = false;
        // The layers of every channel count from its own bottom; a decoder's follow its encoder's.
        const int at = shape.has_decoder() ? p.layer : p.layer % shape.layers;
        if (p.layer >= 0 && at < settings.frozen_layers) p.trainable = false;
    }
    if (settings.method != Method::ppo) return parameters;
    for (auto p : list_parameters(scored(shape), Lora{})) {
        if (p.layer >= 0) p.layer += shape.layers;
        parameters.push_back(p);
    }
    return parameters;
}

Result<void> check_settings(const ModelShape& s, const TrainingSettings& t) {
    if (t.batch < 1 || t.batch > 100'000'000)
        return wrong("/batch", "The batch must be between 1 and 100000000.");
    if (t.sequence < 1 || t.sequence > 10'000'000)
        return wrong("/sequence_length", "The sequence length must be between 1 and 10000000.");
    if (const int length = s.sample_length(); length > 0 && t.sequence != length)
        return wrong("/sequence_length", "A sample of this model has " + std::to_string(length) +
                                             " positions; omit the sequence length.");
    if (s.positions > 0 && !s.is_series() && t.sequence > s.positions)
        return wrong("/sequence_length", "The sequence length " + std::to_string(t.sequence) +
                                             " exceeds the model's " + std::to_string(s.positions) +
                                             " positions.");
    if (t.target < 0 || t.target > 10'000'000)
        return wrong("/target_length", "The target length must be between 1 and 10000000.");
    const bool answers = t.answers();
    if (t.target > 0 && !s.has_decoder() && !answers)
        return wrong(
            "/target_length",
            "Only encoder-decoder models and answers of grpo and ppo have a separate target "
            "length.");
    if (answers && (t.target < 1 || t.target >= t.sequence))
        return wrong("/target_length",
                     "An answer has at least one token, and fewer than its prompt and the "
                     "answer together (sequence_length).");
    if (t.accumulation < 1 || t.accumulation > 4096)
        return wrong("/accumulation", "The accumulation must be between 1 and 4096.");
    if (t.negatives < 0 || t.negatives > 4096)
        return wrong("/negatives", "The number of negatives must be between 0 and 4096.");
    if (t.lora.rank < 0 || t.lora.rank > 4096)
        return wrong("/lora/rank", "The adapter rank must be between 0 and 4096.");
    if (t.lora.rank > 0 && s.is_series())
        return wrong("/lora", "Adapters are modelled for text models only.");
    if (t.cards < 1 || t.cards > 100'000)
        return wrong("/cards", "The number of GPUs must be between 1 and 100000.");
    TRY_DO(check_division(s, t));
    TRY_DO(check_targets(s, t));
    TRY_DO(check_whole(s, t));
    TRY_DO(check_precision(t));
    TRY_DO(check_quantization(s, t));
    TRY_DO(check_offload(t));
    TRY_DO(check_attention(s, t));
    TRY_DO(check_packing(s, t));
    TRY_DO(check_method(s, t));
    TRY_DO(check_fused_loss(s, t));
    TRY_DO(check_fused_adapters(t));
    TRY_DO(check_selective(s, t));
    TRY_DO(check_updates(t));
    if (t.lora.dora && (!s.is_text_or_features() || t.quantization == Quantization::int8))
        return wrong("/lora/dora",
                     "DoRA is modelled for models of the transformers library only, and not on "
                     "8-bit weights.");
    if (!(t.lora.dropout >= 0 && t.lora.dropout < 1))
        return wrong("/lora/dropout", "Dropout must be at least 0 and below 1.");
    if (t.frozen_layers < 0 || t.frozen_layers > s.layers)
        return wrong("/frozen_layers", "The number of frozen layers must be between 0 and " +
                                           std::to_string(s.layers) + ".");
    if (t.lora.rank > 0 && (t.frozen_layers > 0 || t.frozen_embeddings))
        return wrong(
            "/frozen_layers",
            "Adapters already freeze the whole model: omit frozen_layers and frozen_embeddings.");
    if (s.is_series() && (t.frozen_layers > 0 || t.frozen_embeddings))
        return wrong("/frozen_layers",
                     "Frozen layers and embeddings are modelled for text models only.");
    if (!s.reads_text() && t.padded)
        return wrong("/padded", "Padding is modelled for text models only.");
    if (t.replicas < 1 ||
        (t.replicas > 1 && (t.replicas >= t.sharers() || t.copies() % t.replicas != 0)))
        return wrong("/replicas",
                     "Replicas must be fewer than the GPUs that train on batches of their own, and "
                     "divide their number.");
    if (t.checkpointing && s.is_series())
        return wrong("/checkpointing", "Gradient checkpointing is modelled for text models only.");
    return {};
}

}  // namespace plimsoll::training
