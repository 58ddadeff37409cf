#pragma once

#include "server/jobs/training_config/command/yaml_edit.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

struct ApplyRequest {
    std::string report;              // file: a report of the API, or what `estimate --json` prints
    std::vector<std::string> files;  // YAML
    std::string gpu;                 // the card to follow; the first of the report when empty
    std::string stage;               // the stage to follow, where the report has stages
    bool dry_run = false;
    bool restore = false;
};

// The values that a card's report recommends, by the names that configuration files have for them.
Result<std::map<std::string, std::string, std::less<>>> recommended_values(
    const nlohmann::json& report, const std::string& gpu, const std::string& stage);

// Patches the files and keeps each original once beside it as FILE.backup; `restore` moves the
// originals back. A file that cannot be read or written stops the rest, with what was done before
// it said. Returns what to print.
Result<std::string> apply_report(const ApplyRequest& request);

}  // namespace plimsoll::jobs::training_config
