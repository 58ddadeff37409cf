#pragma once

#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/contract/configs/config_structure.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

struct ApplyRequest {
    std::string report;              // file: a report from the API, or from `estimate --json`
    std::vector<std::string> files;  // YAML or JSON, or folders with them
    std::string gpu;                 // the card to follow; empty: the first of the report
    std::string stage;               // the stage to follow, if the report has stages
    Choice choice;
    bool dry_run = false;
    bool restore = false;
};

// Writes the report's recommendations into files of known structure, after saving each one as it
// was; `restore` undoes the last change of each. The answer is
// {files: [{file, structure, backup, changes, left, differs, notes, proposals}]};
// ExitStatus::partly: some requested changes are not in the files. All files are read before the
// first is written; a file that cannot be written stops the rest, and the error lists what was done
// before.
Result<Answer> apply_report(const ApplyRequest& request);

}  // namespace plimsoll::jobs::training_config
