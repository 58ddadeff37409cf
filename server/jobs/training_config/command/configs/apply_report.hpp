#pragma once

#include "server/jobs/training_config/command/configs/config_structure.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

struct ApplyRequest {
    std::string report;              // file: a report of the API, or what `estimate --json` prints
    std::vector<std::string> files;  // YAML or JSON
    std::string gpu;                 // the card to follow; the first of the report when empty
    std::string stage;               // the stage to follow, where the report has stages
    Choice choice;
    bool dry_run = false;
    bool restore = false;
};

struct Applied {
    nlohmann::json value;  // {files: [{file, structure, backup, changes, left, differs,
                           // proposals}]}
    std::string text;
    bool complete = true;  // all that was wanted is in the files now, or would be
};

// Writes what the report recommends into files whose structure is known, after keeping each one as
// it was; `restore` undoes the last change of each. All files are read before the first is written;
// one that cannot be written stops the rest, with what was done before it said.
Result<Applied> apply_report(const ApplyRequest& request);

}  // namespace plimsoll::jobs::training_config
