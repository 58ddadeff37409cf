#pragma once

#include "server/kinds/training_config/contract/request.hpp"

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// The flags of `plimsoll estimate`; omitted ones have the API's defaults.
struct EstimateFlags {
    std::string file;
    std::string preset;
    std::string config;
    std::vector<std::string> gpus;
    std::optional<std::int64_t> sequence_length;
    std::optional<std::int64_t> batch;
    std::string precision;
    std::string optimizer;
    std::string goal;
    std::optional<std::int64_t> lora;
    std::vector<std::string> lora_modules;
    bool dora = false;
    std::string quantization;
    std::string attention;
    bool packed = false;
    bool fused_loss = false;
    std::optional<std::int64_t> target_length;
    bool checkpointing = false;
    std::optional<std::int64_t> target_effective_batch;
    std::optional<double> safety_margin;
    bool what_ifs = false;
    bool details = false;
    std::string paste;                  // a trainer; empty: transformers, for one card
    std::vector<std::string> settings;  // place=value: "training.padded=true"
};

// The arguments of a training-config job for these flags. Errors name the file or the flag.
Result<nlohmann::json> estimate_args(const EstimateFlags& flags);

// Checked like the API's: first against openapi.yaml, then by the kind.
tl::expected<Request, FieldErrors> checked_request(const nlohmann::json& args);
// Likewise, for settings that were read from files of others: some may have no effect.
tl::expected<Request, FieldErrors> checked_run(const nlohmann::json& args);

}  // namespace plimsoll::jobs::training_config
