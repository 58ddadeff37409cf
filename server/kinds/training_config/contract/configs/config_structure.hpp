#pragma once

#include "server/kinds/training_config/contract/configs/config_edit.hpp"
#include "server/kinds/training_config/contract/configs/config_node.hpp"
#include "server/kinds/training_config/contract/configs/recommended.hpp"

#include <map>
#include <set>

namespace plimsoll::jobs::training_config {

// What to write, by the names below.
struct Choice {
    bool rates = false;                              // also learning_rate and warmup_steps
    std::set<std::string, std::less<>> only = {};    // empty: all
    std::set<std::string, std::less<>> keep = {};    // except these
    std::map<std::string, std::string> places = {};  // name → dotted place in the file
};

// The names that --only, --keep and --map take.
inline constexpr std::string_view kSettingNames[] = {
    "batch",     "effective_batch", "accumulation", "precision", "checkpointing", "optimizer",
    "clipping",  "attention",       "sharding",     "workers",   "learning_rate", "warmup_steps",
    "positives", "negatives",       "packing",      "fused_loss"};

// The probable meaning of a place in a file of unknown structure, and its new value.
struct Proposal {
    std::string name;  // of kSettingNames
    Path path;
    std::string before;
    std::string after;
    bool is_text = false;

    static void members(auto& visit, auto& self) {
        visit("name", self.name);
        visit.derived("place", place_of(self.path));
        visit.always("before", self.before);
        visit("after", self.after);
    }
};

struct ConfigPlan {
    std::string structure;  // "Transformers TrainingArguments"; empty: not recognized
    std::vector<Setting> settings;
    std::set<std::string> placed;  // names of settings with a place in the file
    bool is_part = false;          // other files of the same configuration have the others
    bool is_trainer = false;       // arguments that "auto" in a DeepSpeed file follows
    // Settings that contradict the estimate and are not changed: "max_seq_length is 4096, the
    // estimate is for 1024 tokens".
    std::vector<std::string> differs;
    std::vector<std::string> notes;   // what the file does not say, and may be said elsewhere
    std::vector<Proposal> proposals;  // if the structure is unknown
};

// Recognizes Transformers' arguments (including TRL's and LLaMA-Factory's), axolotl, torchtune,
// Accelerate and DeepSpeed configurations, Lightning's trainer and data, Hydra's groups of them,
// and the NAICS memory guide's own files; in other files only what --map names is planned, and the
// rest proposed. Errors: the text is neither YAML nor JSON; --map names a place that cannot express
// the estimate.
Result<ConfigPlan> plan_settings(std::string_view text, const Recommended& recommended,
                                 const Choice& choice);

// A ConfigurationComparison of openapi.yaml.
nlohmann::json edit_json(const ConfigPlan& plan, const ConfigEdit& edit);

}  // namespace plimsoll::jobs::training_config
