#pragma once

#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/command/given_arguments.hpp"

#include <string>
#include <vector>

namespace plimsoll::jobs::training_config {

struct ShowRunRequest {
    std::vector<std::string> paths;  // files of one run; of folders, those with a known structure
    GivenArguments given;            // override the files
};

// The configured run on a card.
Result<Answer> show_run(const ShowRunRequest& request);

}  // namespace plimsoll::jobs::training_config
