#pragma once

#include "engine/base/result.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

struct ShowRunRequest {
    std::vector<std::string> paths;  // files of one run; of folders, those with a known structure
    std::string preset;
    std::string config;  // file: a Hugging Face config.json
    std::string gpu;
    std::int64_t cards = 0;  // 0: as the files say
};

// The configured run on a card: for programs and terminals.
struct ShownRun {
    nlohmann::json value;
    std::string text;
};
Result<ShownRun> show_run(const ShowRunRequest& request);

}  // namespace plimsoll::jobs::training_config
