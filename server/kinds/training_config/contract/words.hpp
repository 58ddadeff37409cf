#pragma once

#include "engine/training/advice/report.hpp"
#include "engine/training/models/model_shape.hpp"
#include "engine/training/tape/settings.hpp"

#include <array>
#include <optional>
#include <string_view>

// The contract's names of the engine's enumerators.
namespace plimsoll::jobs::training_config {

namespace tr = ::plimsoll::training;

template <class Value>
struct Word {
    std::string_view text;
    Value value;
};

inline constexpr std::array kFamilies = {
    Word{"bert", tr::Family::bert},
    Word{"distilbert", tr::Family::distilbert},
    Word{"roberta", tr::Family::roberta},
    Word{"deberta_v2", tr::Family::deberta_v2},
    Word{"modernbert", tr::Family::modernbert},
    Word{"vit", tr::Family::vit},
    Word{"whisper", tr::Family::whisper},
    Word{"t5", tr::Family::t5},
    Word{"gpt2", tr::Family::gpt2},
    Word{"gpt_neox", tr::Family::gpt_neox},
    Word{"llama", tr::Family::llama},
    Word{"qwen3", tr::Family::qwen3},
    Word{"gemma", tr::Family::gemma},
    Word{"gemma2", tr::Family::gemma2},
    Word{"gemma3", tr::Family::gemma3},
    Word{"phi3", tr::Family::phi3},
    Word{"granite", tr::Family::granite},
    Word{"olmo2", tr::Family::olmo2},
    Word{"olmo3", tr::Family::olmo3},
    Word{"exaone4", tr::Family::exaone4},
    Word{"starcoder2", tr::Family::starcoder2},
    Word{"opt", tr::Family::opt},
    Word{"mixtral", tr::Family::mixtral},
    Word{"qwen2_moe", tr::Family::qwen2_moe},
    Word{"qwen3_moe", tr::Family::qwen3_moe},
    Word{"naics", tr::Family::naics},
    Word{"temporal", tr::Family::temporal},
    Word{"lstm", tr::Family::lstm},
};
inline constexpr std::array kHeads = {
    Word{"classifier", tr::Head::classifier},
    Word{"language_model", tr::Head::language_model},
};
inline constexpr std::array kActivations = {
    Word{"gelu", tr::Activation::gelu},
    Word{"gelu_new", tr::Activation::gelu_new},
    Word{"gelu_pytorch_tanh", tr::Activation::gelu_tanh},
    Word{"silu", tr::Activation::silu},
    Word{"relu", tr::Activation::relu},
};
inline constexpr std::array kGoals = {
    Word{"batch", tr::Goal::batch},
    Word{"fill", tr::Goal::fill},
    Word{"knee", tr::Goal::knee},
    Word{"guide", tr::Goal::guide},
};
inline constexpr std::array kPrecisions = {
    Word{"fp32", tr::Precision::fp32},
    Word{"bf16_autocast", tr::Precision::bf16_autocast},
    Word{"fp16_autocast", tr::Precision::fp16_autocast},
    Word{"bf16", tr::Precision::bf16},
    Word{"fp16", tr::Precision::fp16},
};
inline constexpr std::array kOptimizers = {
    Word{"adamw", tr::Optimizer::adamw},
    Word{"sgd", tr::Optimizer::sgd},
    Word{"sgd_momentum", tr::Optimizer::sgd_momentum},
    Word{"adafactor", tr::Optimizer::adafactor},
    Word{"adam_8bit", tr::Optimizer::adam_8bit},
    Word{"paged_adamw", tr::Optimizer::paged_adamw},
    Word{"paged_adamw_8bit", tr::Optimizer::paged_adamw_8bit},
};
inline constexpr std::array kOptimizerKernels = {
    Word{"foreach", tr::OptimizerKernel::foreach},
    Word{"fused", tr::OptimizerKernel::fused},
    Word{"single", tr::OptimizerKernel::single},
};
inline constexpr std::array kAttentions = {
    Word{"sdpa", tr::Attention::sdpa},
    Word{"eager", tr::Attention::eager},
    Word{"flash_attention_2", tr::Attention::flash},
};
inline constexpr std::array kLoraTargets = {
    Word{"query_value", tr::Lora::Targets::query_value},
    Word{"all_linear", tr::Lora::Targets::all_linear},
};
inline constexpr std::array kAdapterTypes = {
    Word{"fp32", tr::Lora::Wide::adapters},
    Word{"model", tr::Lora::Wide::none},
    Word{"all_fp32", tr::Lora::Wide::all},
    Word{"all_bf16", tr::Lora::Wide::narrow},
};
inline constexpr std::array kQuantizations = {
    Word{"none", tr::Quantization::none},
    Word{"nf4", tr::Quantization::nf4},
    Word{"nf4_double", tr::Quantization::nf4_double},
    Word{"int8", tr::Quantization::int8},
};
inline constexpr std::array kMethods = {
    Word{"supervised", tr::Method::supervised},
    Word{"dpo", tr::Method::dpo},
    Word{"orpo", tr::Method::orpo},
    Word{"kto", tr::Method::kto},
    Word{"reward", tr::Method::reward},
    Word{"grpo", tr::Method::grpo},
    Word{"ppo", tr::Method::ppo},
};
inline constexpr std::array kGenerators = {
    Word{"transformers", true},  // whether answers are generated on the GPU that trains
    Word{"vllm", false},
};
inline constexpr std::array kReferences = {
    Word{"model", tr::Reference::model},
    Word{"by_layer", tr::Reference::by_layer},
    Word{"none", tr::Reference::none},
};
inline constexpr std::array kOffloads = {
    Word{"none", tr::Offload::none},
    Word{"optimizer", tr::Offload::optimizer},
    Word{"parameters", tr::Offload::parameters},
};
inline constexpr std::array kSchedules = {
    Word{"1f1b", tr::Schedule::one_f_one_b},
    Word{"interleaved_1f1b", tr::Schedule::interleaved},
    Word{"gpipe", tr::Schedule::gpipe},
};
inline constexpr std::array kShardings = {
    Word{"ddp", tr::Sharding::ddp},     Word{"zero1", tr::Sharding::zero1},
    Word{"zero2", tr::Sharding::zero2}, Word{"zero3", tr::Sharding::zero3},
    Word{"fsdp", tr::Sharding::fsdp},   Word{"fsdp_grad_op", tr::Sharding::fsdp_grad_op},
};

template <class Words>
auto value_of(const Words& words, std::string_view text)
    -> std::optional<decltype(words.front().value)> {
    for (const auto& word : words)
        if (word.text == text) return word.value;
    return std::nullopt;
}

template <class Words, class Value>
std::string_view text_of(const Words& words, Value value) {
    for (const auto& word : words)
        if (word.value == value) return word.text;
    return "";
}

}  // namespace plimsoll::jobs::training_config
