#include "engine/base/json.hpp"
#include "engine/training/tape/layout.hpp"
#include "server/kinds/training_config/contract/advice.hpp"
#include "server/kinds/training_config/contract/bytes.hpp"
#include "server/kinds/training_config/contract/limits.hpp"
#include "server/kinds/training_config/contract/options.hpp"
#include "server/kinds/training_config/contract/words.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace plimsoll::jobs::training_config {
namespace {

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
    for (std::size_t i = 1; i < cards.size(); ++i)
        all.push_back(comparison_json(cards[0], cards[i]));
    return all;
}

// As peft's target_modules takes them.
json lora_targets(const tr::ModelShape& shape, const tr::Lora& lora) {
    if (lora.rank == 0) return json::array();
    if (lora.targets == tr::Lora::Targets::modules) return lora.modules;
    if (lora.targets == tr::Lora::Targets::all_linear) return {"all-linear"};
    return tr::query_value_layers(shape);
}

// As people write it: 16, not 16.0.
std::string value_text(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_array())
        return fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), ", "));
    return value.is_number_float() ? fmt::format("{:g}", value.get<double>()) : value.dump();
}

// How the step differs from a plain one: "fused loss", "LoRA of rank 16".
json methods_json(const Request& request) {
    static const Request plain;
    json methods = json::array();
    for (const auto& option : options()) {
        if (option.headline.empty()) continue;
        const json value = option.field.get(request);
        if (value == option.field.get(plain)) continue;
        methods.push_back(fmt::format(fmt::runtime(option.headline), value_text(value)));
    }
    return methods;
}

// The settings of a step under the names of their options: /training/lora/rank is lora_rank.
json training_json(const Request& request) {
    constexpr std::string_view group = "/training/";
    const auto& r = request.report;
    const bool answers = r.settings.answers();
    json facts = {{"target_length",
                   answers || r.shape.has_decoder() ? json(r.settings.target_length()) : json()},
                  {"lora_targets", lora_targets(r.shape, r.settings.lora)},
                  {"lengths", lengths_json(r.lengths)},
                  {"methods", methods_json(request)},
                  {"safety_margin", r.search.safety},
                  {"target_effective_batch", r.target_effective_batch},
                  {"framework", kFramework}};
    for (const auto& option : options()) {
        if (!option.field.is_of_step || !option.pointer.starts_with(group)) continue;
        std::string name(option.pointer.substr(group.size()));
        std::ranges::replace(name, '/', '_');
        if (!facts.contains(name)) facts[name] = option.field.get(request);
    }
    return facts;
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

// What --quantization leaves as it is.
std::string experts_beside_packed(const tr::ReportRequest& r) {
    std::int64_t numbers = 0;
    for (const auto& p : tr::list_parameters(r.shape, r.settings))
        if (p.matrix && !p.linear && !p.adapter && p.part == tr::Part::layer) numbers += p.elements;
    const bool half = r.settings.half_weights() || tr::layout_of(r.settings).is_zero();
    return fmt::format(
        "Experts are not quantized: their {:.1f} GiB stay in {}. transformers 5 keeps those of a "
        "layer in one tensor, which bitsandbytes leaves as it is; transformers 4 had a linear "
        "layer for each, which it packed.",
        static_cast<double>(numbers) * (half ? 2 : 4) / kGiB, half ? "16 bits" : "fp32");
}

json limits_json(const tr::ReportRequest& r) {
    json limits = json::array();
    for (const auto& option : options())
        if (option.limit.applies != nullptr && option.limit.applies({json(), r}))
            limits.push_back(option.limit.text);
    if (r.shape.has_experts() && r.settings.quantization != tr::Quantization::none)
        limits.push_back(experts_beside_packed(r));
    return limits;
}

}  // namespace

json summary_json(const Request& request, json cards, json device) {
    auto model = model_json(request.report.shape, cards);
    auto comparisons = comparisons_json(cards);
    auto bases = bases_json(request, device);
    return {{"model", std::move(model)},
            {"training", training_json(request)},
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
