#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::training_config {

// What a report recommends for one card, and the run that it is about.
struct Recommended {
    std::int64_t batch = 0;  // of each card
    std::int64_t accumulation = 1;
    std::int64_t cards = 1;
    std::string sharding = "none";  // as of the contract
    std::string offload = "none";   // likewise
    std::string precision;          // likewise
    std::string optimizer;
    bool fused = false;
    bool checkpointing = false;
    bool clip = true;
    std::string attention = "sdpa";  // as of the contract
    std::int64_t sequence = 0;
    std::int64_t lora_rank = 0;
    std::vector<std::string> lora_targets;  // as of the contract
    std::string quantization = "none";      // likewise
    bool dora = false, packed = false, fused_loss = false;
    std::int64_t largest = 0;    // batch that fits by the estimate
    std::int64_t trainable = 0;  // parameters
    double rate = 0;
    std::int64_t warmup_steps = 0;
    std::int64_t workers = 0;
    std::optional<std::int64_t> positives, negatives;  // of a stage
};

// Of a card of a report, or of one of its stages. Errors: no such card or stage, nothing fits, or
// no report.
Result<Recommended> recommended_by(const nlohmann::json& report, const std::string& gpu,
                                   const std::string& stage);

}  // namespace plimsoll::jobs::training_config
