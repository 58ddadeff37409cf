#pragma once

#include "server/kinds/training_config/contract/configs/config_node.hpp"

#include <map>
#include <set>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

inline constexpr std::string_view kDeepSpeed = "DeepSpeed configuration";

// A setting that may change whether the run fits, and is not modelled.
struct Unmodelled {
    std::string place;
    std::string text;       // "PLACE is VALUE: WHY"
    std::string flag = {};  // "--optimizer": with it given, it does not count
};

// The run that configurations of known structure describe, in the terms of the contract's
// arguments. Several files of one run fill it one after the other.
struct ConfiguredRun {
    std::vector<std::string> structures;  // recognized ones
    nlohmann::json training = nlohmann::json::object();
    nlohmann::json cluster;  // null: not set; without "cards": of unknown number
    std::int64_t accumulation = 1;
    std::int64_t all_samples =
        0;                  // of a step of all GPUs, as DeepSpeed's train_batch_size; 0: not set
    std::string model;      // as the file names it; empty: not named
    std::string deepspeed;  // the file of DeepSpeed's configuration, as the file names it
    std::vector<std::string> notes;  // what is assumed, or not modelled
    std::string
        preference;  // "beta is 0.1": of a trainer of preferences, which the files leave open
    std::string shards_by;  // how the library shards over GPUs that only a flag gives; empty: DDP
    bool gathers_in_half = false;        // only what is sharded is computed in 16 bits
    std::string trained_type = {};       // of what is trained beside frozen weights, in the
                                         // contract's words; empty: peft's own
    bool layers_reference = false;       // FSDP shards a reference by its layers
    std::vector<Unmodelled> unmodelled;  // with any, there is no estimate
    std::vector<std::string> unknown;    // keys of which nothing is known
    std::set<std::string, std::less<>> left_out;  // places that the files have, and that were asked
                                                  // to be left out
    std::map<std::string, std::string, std::less<>>
        places;  // of "lora.rank" and others: where it is
};

// Reads one file into the run, without the keys at these places ("fsdp_config.version"): which of
// them it had goes into `left_out`. Errors: it is neither YAML nor JSON, or of unknown structure.
Result<void> read_run(std::string_view text, ConfiguredRun& run,
                      const std::vector<std::string>& without = {});
// The same for a parsed file; false: of unknown structure.
bool read_run(const YAML::Node& root, ConfiguredRun& run);

// In arguments of the contract: peft adapts the layers whose names end as the files say, and passes
// over names that no layer has, which are noted. What it trains whole gets its data type.
// `named`: the layers are not the files'.
void match_adapters(nlohmann::json& args, ConfiguredRun& run, bool named);

}  // namespace plimsoll::jobs::training_config
