#pragma once

#include "server/kinds/training_config/contract/configs/config_node.hpp"

#include <map>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

inline constexpr std::string_view kDeepSpeed = "DeepSpeed configuration";

// A setting that may change whether the run fits, and is not modelled.
struct Unmodelled {
    std::string place;
    std::string text;  // "PLACE is VALUE: WHY"
};

// The run that configurations of known structure describe, in the terms of the contract's
// arguments. Several files of one run fill it one after the other.
struct ConfiguredRun {
    std::vector<std::string> structures;  // recognized ones
    nlohmann::json training = nlohmann::json::object();
    nlohmann::json cluster;  // null: not set; without "cards": of unknown number
    std::int64_t accumulation = 1;
    std::string model;               // as the file names it; empty: not named
    std::string deepspeed;           // the file of DeepSpeed's configuration, as the file names it
    std::vector<std::string> notes;  // what is assumed, or not modelled
    std::string
        preference;  // "beta is 0.1": of a trainer of preferences, which the files leave open
    bool layers_reference = false;       // FSDP shards a reference by its layers
    std::vector<Unmodelled> unmodelled;  // with any, there is no estimate
    std::vector<std::string> unknown;    // keys of which nothing is known
    std::map<std::string, std::string, std::less<>>
        places;  // of "lora.rank" and others: where it is
};

// Reads one file into the run. Errors: it is neither YAML nor JSON, or of unknown structure.
Result<void> read_run(std::string_view text, ConfiguredRun& run);
// The same for a parsed file; false: of unknown structure.
bool read_run(const YAML::Node& root, ConfiguredRun& run);

}  // namespace plimsoll::jobs::training_config
