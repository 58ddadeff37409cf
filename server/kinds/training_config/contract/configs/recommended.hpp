#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// A report's recommendation for one card, and the run it is for.
struct Recommended {
    std::int64_t batch = 0;  // per card
    std::int64_t accumulation = 1;
    std::int64_t cards = 1;
    std::string sharding = "none";  // as in the contract
    std::string offload = "none";   // as in the contract
    std::string precision;          // as in the contract
    std::string optimizer;
    bool fused = false;
    bool checkpointing = false;
    bool clip = true;
    std::string attention = "sdpa";  // as in the contract
    std::int64_t sequence = 0;
    std::int64_t lora_rank = 0;
    std::vector<std::string> lora_targets;               // as in the contract
    std::string quantization = "none";                   // likewise
    nlohmann::json training = nlohmann::json::object();  // TrainingFacts of the contract
    std::int64_t largest = 0;                            // batch that fits by the estimate
    std::int64_t trainable = 0;                          // parameters
    std::optional<double> rate;                          // none is advised
    std::int64_t warmup_steps = 0;
    std::int64_t workers = 0;
    std::optional<std::int64_t> positives, negatives;  // of a stage

    // Whether the run uses a method, by its name in `training`: "fused_loss".
    bool uses(const char* method) const {
        const auto found = training.find(method);
        return found != training.end() && *found == true;
    }
};

// The stage of a card that a configuration of this name is about; empty: none of them. Errors: the
// card is not in the report, or the file is not a report.
Result<std::string> stage_for(const nlohmann::json& report, const std::string& gpu,
                              const std::string& file);

// For a card of a report, or one of its stages. Errors: likewise, the stage is not in the report,
// or nothing fits.
Result<Recommended> recommended_by(const nlohmann::json& report, const std::string& gpu,
                                   const std::string& stage);

}  // namespace plimsoll::jobs::training_config
