#pragma once

#include "engine/training/models/presets.hpp"
#include "engine/training/tape/settings.hpp"

#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::training {

// One row of data/pytorch_2_11_peaks.json: a configuration, and what PyTorch's allocator said.
struct MeasuredConfig {
    std::string name;
    ModelShape shape;
    TrainingSettings settings;
    std::optional<std::int64_t> max_allocated;
    std::optional<std::int64_t> max_reserved;
};

inline MeasuredConfig read_config(const nlohmann::json& row) {
    const auto& c = row.at("config");
    MeasuredConfig m;
    m.name = c.dump();
    m.shape = *preset(c.at("arch").get<std::string>());
    if (m.shape.family == Family::gpt2) m.shape.positions = 2048;
    if (!c.at("dropout").is_null())
        m.shape.hidden_dropout = m.shape.attention_dropout = c.at("dropout");
    auto& t = m.settings;
    t.batch = c.at("batch");
    t.sequence = c.at("seq");
    t.accumulation = c.at("accum");
    t.negatives = c.at("neg");
    t.checkpointing = c.at("ckpt");
    t.padded = c.at("pad");
    t.clip = c.at("clip");
    t.set_to_none = c.at("set_none");
    t.attention = c.at("attn") == "eager" ? Attention::eager : Attention::sdpa;
    t.lora.rank = c.at("lora");
    t.lora.wide = Lora::Wide::none;  // measured with model.to(torch.bfloat16) around them
    if (c.at("head") == "lm") m.shape.head = Head::language_model;
    if (m.shape.family == Family::naics) t.lora.targets = Lora::Targets::all_linear;
    t.precision = std::map<std::string, Precision>{{"fp32", Precision::fp32},
                                                   {"bf16", Precision::bf16},
                                                   {"bf16ac", Precision::bf16_autocast},
                                                   {"fp16ac", Precision::fp16_autocast}}
                      .at(c.at("prec"));
    t.optimizer = std::map<std::string, Optimizer>{{"adamw", Optimizer::adamw},
                                                   {"sgd", Optimizer::sgd},
                                                   {"sgdm", Optimizer::sgd_momentum},
                                                   {"adafactor", Optimizer::adafactor}}
                      .at(c.at("opt"));
    t.kernel = std::map<std::string, OptimizerKernel>{{"default", OptimizerKernel::foreach},
                                                      {"fused", OptimizerKernel::fused},
                                                      {"single", OptimizerKernel::single}}
                   .at(c.at("foreach"));
    if (row.contains("max_reserved")) {
        m.max_allocated = row.at("max_allocated").get<std::int64_t>();
        m.max_reserved = row.at("max_reserved").get<std::int64_t>();
    }
    return m;
}

inline std::vector<MeasuredConfig> measured_configs(
    const std::string& name = "pytorch_2_11_peaks.json") {
    std::ifstream file("tests/unit/engine/training/data/" + name);
    std::vector<MeasuredConfig> all;
    for (const auto& row : nlohmann::json::parse(file)) all.push_back(read_config(row));
    return all;
}

}  // namespace plimsoll::training
