#pragma once

#include "server/kinds/training_config/command/commands.hpp"
#include "server/kinds/training_config/contract/configs/configured_run.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

struct ShowRunRequest {
    std::vector<std::string> paths;  // files of one run; of folders, those with a known structure
    GivenArguments given;            // override the files
    std::vector<std::string> without = {};  // places in the files to read as if they were not there
    nlohmann::json args = nlohmann::json::object();  // what the files need not say, such as a model
};

// The flags of the request, which refer to it.
void add_run_options(CLI::App& command, ShowRunRequest& request);

// What the files and the flags describe.
struct ConfiguredRequest {
    std::vector<std::string> files;  // those that were read
    ConfiguredRun run;
    nlohmann::json args;
    Request request;  // of these arguments
};
Result<ConfiguredRequest> configured_request(const ShowRunRequest& request);

// The configured run on a card.
Result<Answer> show_run(const ShowRunRequest& request);

}  // namespace plimsoll::jobs::training_config
