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
    "batch",     "effective_batch", "accumulation", "precision", "checkpointing", "optimizer",
    "clipping",  "attention",       "sharding",     "workers",   "learning_rate", "warmup_steps",
    "positives", "negatives",       "packing",      "fused_loss"};

// What a place of a file of no known structure seems to be, and what it should become.
struct Proposal {
    std::string name;  // of kSettingNames
    std::vector<std::string> path;
    std::string before;
    std::string after;
    bool is_text = false;
};

struct Plan {
    std::string structure;  // "Transformers TrainingArguments"; empty: not recognised
    std::vector<Setting> settings;
    std::set<std::string> placed;  // names of settings that have a place in the file
    bool is_part = false;          // other files of the same configuration have the others
    bool is_trainer = false;       // arguments that "auto" in a DeepSpeed file follows
    // What contradicts the estimate and is not the file's to follow: "max_seq_length is 4096, the
    // estimate is for 1024 tokens".
    std::vector<std::string> differs;
    std::vector<Proposal> proposals;  // where the structure is not known
};

// Recognises Transformers' arguments (TRL's and LLaMA-Factory's with them), Accelerate and
// DeepSpeed configurations, Lightning's trainer and data, Hydra's groups of them, and the NAICS
// memory guide's own files; of all else only what --map names is planned, and the rest proposed.
// Errors: the text is neither YAML nor JSON; --map names a place that cannot say what was
// estimated.
Result<Plan> plan_settings(std::string_view text, const Recommended& recommended,
                           const Choice& choice);

}  // namespace plimsoll::jobs::training_config
