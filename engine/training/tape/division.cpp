#include "engine/training/tape/division.hpp"

#include "engine/training/tape/layout.hpp"
#include "engine/training/tape/pipeline.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace plimsoll::training {
namespace {

// What nobody has compared yet, by the option that asks for it.
Result<void> check_combination(const ModelShape& s, const TrainingSettings& t) {
    // Of mixtures, those whose experts are divided, too.
    const bool mixture = s.family == Family::qwen3_moe || s.family == Family::mixtral;
    const bool compared = s.family == Family::llama || s.family == Family::qwen3 ||
                          (mixture && t.parallel.expert > 1);
    if (!compared || s.own_traits || s.head != Head::language_model)
        return wrong(t.parallel.pipeline > 1 ? "/pipeline_parallel"
                     : t.parallel.tensor > 1 ? "/tensor_parallel"
                                             : "/context_parallel",
                     "Tensor, context and pipeline parallelism are modelled for language models "
                     "with Llama's layers (Llama, Mistral, Qwen 2 and 3): omit it.");
    if (layout_of(t).is_zero())
        return wrong("/sharding",
                     "ZeRO on divided weights is not modelled: choose fsdp, as torchtitan combines "
                     "them.");
    if (t.sharding == Sharding::ddp && t.sharers() > 1)
        return wrong("/sharding",
                     "Further copies of a divided model are sharded: choose fsdp, or as many GPUs "
                     "as one copy takes.");
    if (t.quantization != Quantization::none)
        return wrong("/quantization", "Divided weights are not quantized: omit one.");
    if (t.offload != Offload::none)
        return wrong("/offload", "Offload of a divided model is not modelled: omit one.");
    if (t.autocast() && !is_fsdp(layout_of(t).sharding))
        return wrong("/precision",
                     "Autocast on divided weights is not modelled: choose bf16 or fp32, or fsdp, "
                     "which gathers them in 16 bits.");
    if (t.lora.rank > 0 && t.parallel.tensor > 1)
        return wrong("/lora", "Adapters under tensor parallelism are not modelled: omit one.");
    if (t.method != Method::supervised)
        return wrong("/method", "Only supervised training is modelled with a divided model.");
    if (t.fused_loss && t.parallel.tensor > 1)
        return wrong("/fused_loss",
                     "With tensor parallelism the loss is computed from each card's words: omit "
                     "the fused loss.");
    if (t.packed) return wrong("/packed", "Packed texts are not modelled with a divided model.");
    return {};
}

// What PyTorch's ring attention computes.
Result<void> check_ring(const ModelShape& s, const TrainingSettings& t) {
    if (t.parallel.context == 1) return {};
    if (t.attention != Attention::sdpa)
        return wrong("/attention",
                     "context_parallel divides PyTorch's own attention: choose sdpa.");
    if (t.padded)
        return wrong("/padded", "PyTorch's context parallelism takes no mask: omit padded.");
    if (s.window > 0 && s.window < t.sequence)
        return wrong("/context_parallel",
                     "PyTorch's context parallelism takes no mask, and this model needs one for "
                     "texts longer than its window.");
    if (t.precision == Precision::fp32 && s.kv_heads < s.heads)
        return wrong("/precision",
                     "In fp32 PyTorch has no kernel for heads that share keys, which context "
                     "parallelism needs: choose a precision with 16 bits.");
    return {};
}

// As torchtitan builds pipelines; PyTorch's schedules refuse fewer micro-batches.
Result<void> check_pipeline(const ModelShape& s, const TrainingSettings& t) {
    const auto& p = t.parallel;
    if (p.pipeline == 1) {
        if (p.microbatches > 1)
            return wrong("/microbatches",
                         "They are a pipeline's: set pipeline_parallel, or omit them.");
        return {};
    }
    if (s.tied_head)
        return wrong("/pipeline_parallel",
                     "The model's head shares its embeddings, which the first and the last GPU of "
                     "a pipeline would both need; torchtitan refuses that, too: shard with fsdp.");
    if (t.lora.rank > 0 || t.frozen_layers > 0 || t.frozen_embeddings)
        return wrong("/pipeline_parallel",
                     "Pipelines are modelled for models that are trained whole: omit adapters and "
                     "frozen layers, or shard with fsdp.");
    if (t.fused_loss || t.padded || t.checkpointed_every > 1)
        return wrong(t.fused_loss ? "/fused_loss"
                     : t.padded   ? "/padded"
                                  : "/checkpointing_every",
                     "It is not modelled with pipelines: omit it.");
    const auto layers = layers_of_stages(s.layers, p.stages());
    if (std::ranges::min(layers) < 1)
        return wrong(
            "/pipeline_parallel",
            fmt::format("The model's {} layers, with the embeddings and the head counted as "
                        "one each, are too few for {} stages.",
                        s.layers, p.stages()));
    if (p.microbatches < 1) return wrong("/microbatches", "It is at least 1.");
    if (p.schedule == Schedule::one_f_one_b && p.microbatches < p.pipeline)
        return wrong("/microbatches",
                     fmt::format("1F1B needs as many micro-batches as there are stages, {}: give "
                                 "more, or choose the schedule gpipe.",
                                 p.pipeline));
    if (const int rounds = std::max(1, p.microbatches / p.pipeline);
        p.schedule == Schedule::interleaved && p.microbatches % rounds != 0)
        return wrong(
            "/microbatches",
            fmt::format("Interleaved 1F1B runs them in {} equal rounds: give a multiple of "
                        "that.",
                        rounds));
    return {};
}

// As torchtitan lays it out: its own layer of experts, in FSDP's shards.
Result<void> check_experts(const ModelShape& s, const TrainingSettings& t) {
    const auto& p = t.parallel;
    if (p.expert == 1) return {};
    constexpr auto field = "/expert_parallel";
    if (!s.has_experts())
        return wrong(field, "The model is no mixture of experts: omit it, and shard with fsdp.");
    const auto traits = s.traits();
    const bool unlike = traits.even_experts || traits.biased_experts || traits.gated_shared;
    if (unlike || s.head != Head::language_model)
        return wrong(
            field,
            "Expert parallelism is modelled for language models of Mixtral, Qwen 3, OLMoE, "
            "Granite, GLM-4.5 and DeepSeek, whose experts torchtitan's layer computes: omit it, "
            "and shard with fsdp.");
    if (p.tensor > 1)
        return wrong(field, "Expert parallelism is modelled without tensor parallelism: omit one.");
    if (p.pipeline > 1 && (s.dense_layers > 0 || s.experts_every > 1))
        return wrong(
            field,
            "With pipelines it is modelled for models whose layers all have experts: omit one.");
    const auto layout = layout_of(t);
    if (!is_fsdp(layout.sharding))
        return wrong("/sharding",
                     "Expert parallelism divides experts among GPUs that shard the rest: choose "
                     "fsdp, and several GPUs.");
    if (layout.cards % p.expert != 0)
        return wrong(field,
                     fmt::format("It must divide the number of GPUs that share one copy of the "
                                 "model, {}.",
                                 layout.cards));
    if (s.experts % p.expert != 0)
        return wrong(
            field,
            fmt::format("It must divide the model's experts, of which a layer has {}.", s.experts));
    // Shards are whole experts or, if there are more GPUs, parts of each, which FSDP needs to be
    // even.
    const int own = s.experts / p.expert, rest = layout.expert_cards;
    const bool by_parts = layout.cards > s.experts;
    if ((by_parts ? std::gcd(s.hidden, s.expert_hidden) : own) % rest != 0)
        return wrong("/cards",
                     fmt::format("{} GPUs shard the same {} experts: their number must divide {}.",
                                 rest, own, by_parts ? "both widths of an expert" : "that"));
    if (t.precision != Precision::bf16 && t.precision != Precision::bf16_autocast)
        return wrong("/precision",
                     "torchtitan multiplies divided experts in bf16: choose bf16 or "
                     "bf16_autocast.");
    if (t.lora.rank > 0 || t.frozen_layers > 0 || t.frozen_embeddings)
        return wrong(field,
                     "Expert parallelism is modelled for models that are trained whole: omit "
                     "adapters and frozen layers, or shard with fsdp.");
    if (t.method != Method::supervised)
        return wrong("/method", "Only supervised training is modelled with divided experts.");
    if (t.offload != Offload::none || t.packed || t.fused_loss)
        return wrong(t.packed       ? "/packed"
                     : t.fused_loss ? "/fused_loss"
                                    : "/offload",
                     "It is not modelled with divided experts: omit one.");
    return {};
}

Result<void> check_lengths(const TrainingSettings& t) {
    const int parts = t.parallel.tensor * (t.parallel.context > 1 ? 2 * t.parallel.context : 1);
    if (t.sequence % parts == 0) return {};
    return wrong(
        "/sequence_length",
        t.parallel.context > 1
            ? fmt::format("The text is divided into {} parts, two for every GPU of "
                          "context_parallel{}: the sequence length must be a multiple of "
                          "that.",
                          parts, t.parallel.tensor > 1 ? " for each of tensor_parallel" : "")
            : fmt::format("The text is divided among the {} GPUs of tensor_parallel: the "
                          "sequence length must be a multiple of that.",
                          parts));
}

}  // namespace

ModelShape part_of(ModelShape shape, const Parallel& parallel) {
    const int n = parallel.tensor;
    shape.heads /= n;
    shape.kv_heads /= n;
    shape.ffn /= n;
    shape.vocab = (shape.vocab + n - 1) / n;
    shape.expert_cards = parallel.expert;
    return shape;
}

Result<void> check_division(const ModelShape& s, const TrainingSettings& t) {
    const int n = t.parallel.tensor;
    if (n < 1) return wrong("/tensor_parallel", "It is at least 1.");
    if (t.parallel.context < 1) return wrong("/context_parallel", "It is at least 1.");
    if (t.parallel.pipeline < 1) return wrong("/pipeline_parallel", "It is at least 1.");
    if (t.parallel.expert < 1) return wrong("/expert_parallel", "It is at least 1.");
    if (t.cards % t.parallel.cards() != 0)
        return wrong(
            "/cards",
            fmt::format(
                "The number of GPUs, {}, is no multiple of the {} that divide one "
                "copy of the model (tensor_parallel x context_parallel x pipeline_parallel).",
                t.cards, t.parallel.cards()));
    if (t.parallel.cards() > 1) {
        TRY_DO(check_combination(s, t));
    }
    TRY_DO(check_pipeline(s, t));
    TRY_DO(check_experts(s, t));
    if (t.parallel.cards() == 1) return {};
    TRY_DO(check_ring(s, t));
    struct Divided {
        const char* what;
        std::int64_t number;
    };
    for (const auto& [what, number] :
         {Divided{"attention heads", s.heads}, Divided{"key and value heads", s.kv_heads},
          Divided{"numbers of the feed-forward", s.ffn}}) {
        if (number % n != 0)
            return wrong(
                "/tensor_parallel",
                fmt::format("It must divide the model's {}, of which there are {}.", what, number));
    }
    return check_lengths(t);
}

}  // namespace plimsoll::training
