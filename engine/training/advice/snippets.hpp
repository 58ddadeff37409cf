#pragma once

#include "engine/training/advice/report.hpp"

#include <optional>
#include <string>

namespace plimsoll::training {

// The settings of a snippet, filled from a card's report by settings_for().
struct RecommendedSettings {
    std::int64_t batch = 1;
    std::int64_t accumulation = 1;
    std::optional<double> learning_rate = {};  // none is advised: the reader sets it
    std::int64_t warmup_steps = 0;
    TrainingSettings training;
    std::string allocator = {};     // PYTORCH_ALLOC_CONF, unless it is the default
    std::string lora_targets = {};  // names for peft; empty without adapters
    std::int64_t trainable_parameters = 0;
    bool has_decoder = false;      // with a text of its own, the labels
    bool of_transformers = false;  // from_pretrained loads it
    LoaderAdvice loader;
    int epochs = 1;
};
RecommendedSettings settings_for(const GpuReport& report, const ReportRequest& request);

// How an optimizer is chosen.
struct OptimizerNames {
    Optimizer optimizer;
    const char* transformers;  // the Trainer's `optim`
    const char* type;          // of PyTorch, or of the library that has it
    const char* arguments;     // besides parameters and rate
};
const OptimizerNames& names_of(Optimizer optimizer);

// A number that YAML 1.1 parsers recognize: they read "4e-05" as text and "4.0e-05" as a number.
std::string yaml_number(double value);

// Ready to paste; all contain the same settings.
std::string transformers_arguments(const RecommendedSettings& s);  // Python, TrainingArguments
std::string lightning_yaml(const RecommendedSettings& s);
std::string deepspeed_json(const RecommendedSettings& s);  // for Accelerate or Trainer
std::string plain_pytorch(const RecommendedSettings& s);

}  // namespace plimsoll::training
