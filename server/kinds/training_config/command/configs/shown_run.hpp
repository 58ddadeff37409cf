#pragma once

#include "engine/base/result.hpp"
#include "server/kinds/training_config/command/given_arguments.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

struct ShowRunRequest {
    std::vector<std::string> paths;  // files of one run; of folders, those with a known structure
    GivenArguments given;            // override the files
};

// The configured run on a card: for programs and terminals.
struct ShownRun {
    nlohmann::json value;
    std::string text;
};
Result<ShownRun> show_run(const ShowRunRequest& request);

}  // namespace plimsoll::jobs::training_config
