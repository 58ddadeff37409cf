#include "server/kinds/training_config/contract/advice.hpp"
#include "server/kinds/training_config/contract/limits.hpp"
#include "server/kinds/training_config/contract/words.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;

json model_json(const tr::ModelShape& s, const json& cards) {
    const bool known = !cards.empty();
    return {{"name", s.name},
            {"family", text_of(kFamilies, s.family)},
            {"layers", s.layers + s.decoder_layers},
            {"hidden", s.hidden},
            {"heads", s.heads},
            {"parameters", known ? cards[0]["parameters"] : json(0)},
            {"trainable_parameters", known ? cards[0]["trainable_parameters"] : json(0)}};
}

json lengths_json(const std::optional<tr::Lengths>& lengths) {
    if (!lengths) return nullptr;
    return {{"longest", lengths->longest},
            {"p95", lengths->p95},
            {"mean", lengths->mean},
            {"truncated_fraction", lengths->cut_share}};
}

// The first card against every other.
json comparisons_json(const json& cards) {
    json all = json::array();
    for (std::size_t i = 1; i < cards.size(); ++i) {
        all.push_back(comparison_json(cards[0], cards[i]));
    }
    return all;
}

// As peft's target_modules takes them.
json lora_targets(const tr::ModelShape& shape, const tr::Lora& lora) {
    if (lora.rank == 0) return json::array();
    if (lora.targets == tr::Lora::Targets::modules) return lora.modules;
    if (lora.targets == tr::Lora::Targets::all_linear) return {"all-linear"};
    return tr::query_value_layers(shape);
}

json training_json(const tr::ReportRequest& r) {
    const auto& t = r.settings;
    return {{"sequence_length", t.sequence},
            {"precision", r.adapts_precision ? "auto" : text_of(kPrecisions, t.precision)},
            {"optimizer", text_of(kOptimizers, t.optimizer)},
            {"optimizer_kernel", text_of(kOptimizerKernels, t.kernel)},
            {"attention", text_of(kAttentions, t.attention)},
            {"checkpointing", t.checkpointing},
            {"clip", t.clip},
            {"packed", t.packed},
            {"fused_loss", t.fused_loss},
            {"target_length", r.shape.has_decoder() ? json(t.target_length()) : json(nullptr)},
            {"lora_rank", t.lora.rank},
            {"lora_targets", lora_targets(r.shape, t.lora)},
            {"lora_dora", t.lora.dora},
            {"lora_dtype", t.lora.wide ? "fp32" : "model"},
            {"quantization", text_of(kQuantizations, t.quantization)},
            {"frozen_embeddings", t.frozen_embeddings},
            {"frozen_layers", t.frozen_layers},
            {"lengths", lengths_json(r.lengths)},
            {"negatives", t.negatives},
            {"safety_margin", r.search.safety},
            {"target_effective_batch", r.target_effective_batch},
            {"framework", "PyTorch 2.11, transformers 5.17"}};
}

// As people write it: 16, not 16.0.
std::string value_text(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    return value.is_number_float() ? fmt::format("{:g}", value.get<double>()) : value.dump();
}

json assumptions_json(const Request& request) {
    json list = json::array();
    for (const auto& assumed : request.assumptions) {
        list.push_back({{"pointer", assumed.pointer},
                        {"value", value_text(assumed.value)},
                        {"why", assumed.why}});
    }
    return list;
}

json limits_json(const tr::ReportRequest& r) {
    json limits = {
        "Memory is modelled on PyTorch 2.11 and transformers 5.17; on 148 runs on an H100 "
        "its reserved memory was 0.00 % off at the median and at most 5.3 %.",
        "The CUDA context was measured on an H100; elsewhere it is an estimate per architecture "
        "and can differ by a few hundred MiB.",
        "Speed is modelled from the vendors' rates: 12 % off at the median of those runs.",
        "Sharding was not measured on real GPUs: FSDP's and DDP's buffers were compared with "
        "PyTorch's; DeepSpeed's follow its documented defaults. The time to exchange weights and "
        "gradients is not counted.",
        "torch.compile is not modelled.",
    };
    if (r.settings.attention == tr::Attention::flash) {
        limits.push_back(
            "The memory that FlashAttention-2 keeps and allocates follows the source of flash-attn "
            "2.8; its "
            "kernels need a GPU and were not compared.");
    }
    if (r.settings.fused_loss) {
        limits.push_back(
            "The fused loss is Liger's (liger-kernel 0.8) with its defaults; its other kernels are "
            "off.");
    }
    if (r.settings.packed) {
        limits.push_back(
            "Packed batches are estimated as full: every row of texts has the full length.");
    }
    if (r.settings.quantization == tr::Quantization::int8) {
        limits.push_back(
            "Outliers of LLM.int8 are not counted: how many inputs it keeps in 16 bits depends on "
            "the data.");
    }
    return limits;
}

}  // namespace

json summary_json(const Request& request, json cards, json device) {
    auto model = model_json(request.report.shape, cards);
    auto comparisons = comparisons_json(cards);
    auto bases = bases_json(request, device);
    return {{"model", std::move(model)},
            {"training", training_json(request.report)},
            {"assumptions", assumptions_json(request)},
            {"gpus", std::move(cards)},
            {"comparisons", std::move(comparisons)},
            {"correction", request.correction},
            {"device", std::move(device)},
            {"bases", std::move(bases)},
            {"limits", limits_json(request.report)}};
}

std::string result_row(std::size_t index, const json& card) {
    const bool fits = !card["accumulation"].is_null();
    const json& memory = card["memory"];
    const json row = {
        {"index", index},
        {"gpu", card["gpu"]["id"]},
        {"name", card["gpu"]["name"]},
        {"fits", card["fits"]},
        {"max_batch", card["max_batch"]},
        {"batch", card["batch"]},
        {"accumulation_steps", fits ? card["accumulation"]["nearest"]["steps"] : json(nullptr)},
        {"effective_batch", fits ? card["accumulation"]["nearest"]["effective"] : json(nullptr)},
        {"peak_allocated_bytes", memory["peak_allocated_bytes"]},
        {"peak_reserved_bytes", memory["peak_reserved_bytes"]},
        {"device_used_bytes", memory["device_used_bytes"]},
        {"utilization_percent", memory["utilization_percent"]},
        {"headroom_bytes", memory["headroom_bytes"]},
        {"low_bytes", memory["band"]["low_bytes"]},
        {"high_bytes", memory["band"]["high_bytes"]},
        {"samples_per_second", card["speed"]["samples_per_second"]},
        {"learning_rate", card["learning_rate"]["recommended"]},
        {"parallel_runs", card["parallel_runs"]},
        {"why", card["why"]},
        {"error_code", nullptr},
        {"error", nullptr},
    };
    return row.dump() + "\n";
}

std::string device_row(std::size_t index, const json& device) {
    json row = {{"index", index}, {"gpu", kProbe}, {"name", device["name"]}};
    for (const auto* figure :
         {"fits", "max_batch", "batch", "accumulation_steps", "effective_batch",
          "peak_allocated_bytes", "peak_reserved_bytes", "device_used_bytes", "utilization_percent",
          "headroom_bytes", "low_bytes", "high_bytes", "samples_per_second", "learning_rate",
          "parallel_runs", "why", "error_code", "error"}) {
        row[figure] = nullptr;
    }
    if (device["error"].is_null()) {
        row["why"] = fmt::format("Measured: {:.1f} GFLOP/s on the model's matrix shapes.",
                                 device["flops_per_second"].get<double>() / 1e9);
    } else {
        row["error_code"] = "not_measured";
        row["error"] = device["error"];
    }
    return row.dump() + "\n";
}

}  // namespace plimsoll::jobs::training_config
