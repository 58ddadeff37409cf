#pragma once

#include "server/jobs/training_config/command/configs/config_edit.hpp"
#include "server/jobs/training_config/command/recommended.hpp"

#include <map>
#include <set>

namespace plimsoll::jobs::training_config {

// What is to be written of it, by the names below.
struct Choice {
    bool rates = false;                              // learning_rate, warmup_steps too
    std::set<std::string, std::less<>> only = {};    // empty: all
    std::set<std::string, std::less<>> keep = {};    // none of these
    std::map<std::string, std::string> places = {};  // name → dotted place in the file
};

// The names that --only, --keep and --map take.
inline constexpr std::string_view kSettingNames[] = {
    "batch",   "accumulation",  "precision",    "checkpointing", "optimizer",
    "workers", "learning_rate", "warmup_steps", "positives",     "negatives"};

struct Plan {
    std::string structure;  // "Transformers TrainingArguments"; empty: not recognised
    std::vector<Setting> settings;
    // What contradicts the estimate and is not the file's to follow: "max_seq_length is 4096, the
    // estimate is for 1024 tokens".
    std::vector<std::string> differs;
};

// Recognises Transformers' arguments, Accelerate and DeepSpeed configurations, Lightning's trainer
// and data, and the NAICS memory guide's own files; of all else only what --map names is planned.
// Errors: the text is neither YAML nor JSON.
Result<Plan> plan_settings(std::string_view text, const Recommended& recommended,
                           const Choice& choice);

}  // namespace plimsoll::jobs::training_config
