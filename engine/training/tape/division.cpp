#include "engine/training/tape/division.hpp"

#include "engine/training/tape/layout.hpp"

#include <fmt/format.h>

namespace plimsoll::training {
namespace {

// What nobody has compared yet, by the option that asks for it.
Result<void> check_combination(const ModelShape& s, const TrainingSettings& t) {
    const bool compared = s.family == Family::llama || s.family == Family::qwen3;
    constexpr auto kTensor = "/tensor_parallel";
    if (!compared || s.own_traits || s.head != Head::language_model)
        return wrong(kTensor,
                     "Tensor parallelism is modelled for language models with Llama's layers "
                     "(Llama, Mistral, Qwen 2 and 3): omit it.");
    if (layout_of(t).is_zero())
        return wrong("/sharding",
                     "ZeRO on divided weights is not modelled: choose fsdp, as torchtitan combines "
                     "them.");
    if (t.sharding == Sharding::ddp && t.copies() > 1)
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
    if (t.lora.rank > 0)
        return wrong("/lora", "Adapters under tensor parallelism are not modelled: omit one.");
    if (t.method != Method::supervised)
        return wrong("/method", "Only supervised training is modelled with tensor parallelism.");
    if (t.fused_loss)
        return wrong("/fused_loss",
                     "With tensor parallelism the loss is computed from each card's words: omit "
                     "the fused loss.");
    if (t.packed) return wrong("/packed", "Packed texts are not modelled with tensor parallelism.");
    return {};
}

}  // namespace

ModelShape part_of(ModelShape shape, const Parallel& parallel) {
    const int n = parallel.tensor;
    shape.heads /= n;
    shape.kv_heads /= n;
    shape.ffn /= n;
    shape.vocab = (shape.vocab + n - 1) / n;
    return shape;
}

Result<void> check_division(const ModelShape& s, const TrainingSettings& t) {
    const int n = t.parallel.tensor;
    if (n < 1) return wrong("/tensor_parallel", "It is at least 1.");
    if (t.cards % t.parallel.cards() != 0)
        return wrong("/cards",
                     fmt::format("The number of GPUs, {}, is no multiple of the {} that divide one "
                                 "copy of the model (tensor_parallel).",
                                 t.cards, t.parallel.cards()));
    if (n == 1) return {};
    TRY_DO(check_combination(s, t));
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
    if (t.sequence % n != 0)
        return wrong("/sequence_length",
                     fmt::format("The text is divided among the {} GPUs of tensor_parallel: the "
                                 "sequence length must be a multiple of that.",
                                 n));
    return {};
}

}  // namespace plimsoll::training
