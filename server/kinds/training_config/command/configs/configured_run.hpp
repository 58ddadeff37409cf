#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// The run that configurations of known structure describe, in the terms of the contract's
// arguments. Several files of one run fill it one after the other.
struct ConfiguredRun {
    std::vector<std::string> structures;  // recognized ones
    nlohmann::json training = nlohmann::json::object();
    nlohmann::json cluster;  // null: not set
    std::int64_t accumulation = 1;
    std::string model;               // as the file names it; empty: not named
    std::vector<std::string> notes;  // what is assumed, or not modelled
};

// Reads one file into the run. Errors: it is neither YAML nor JSON, or of unknown structure.
Result<void> read_run(std::string_view text, ConfiguredRun& run);

}  // namespace plimsoll::jobs::training_config
