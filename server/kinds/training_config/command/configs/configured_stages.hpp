#pragma once

#include "engine/training/gpus/gpu_profile.hpp"
#include "server/kinds/training_config/command/commands.hpp"

#include <string>
#include <vector>

namespace plimsoll::jobs::training_config {

// One stage of training from a folder of YAML files.
struct ConfiguredStage {
    std::string name;  // the file, "config.yaml" where there are no stages
    int batch = 0;
    int accumulation = 1;
    int positives = 0;
    int negatives = 0;
};

// `folder`/config.yaml for batch and accumulation, and every other .yaml below the folder with
// n_negatives of a stage, by path. Errors name the file and what is missing.
Result<std::vector<ConfiguredStage>> read_stages(const std::string& folder);

// The stages of the NAICS memory guide's four-channel encoder on this card: memory by the guide's
// formula and by ours, the guide's verdict, and advice: {gpu, stages: […]}.
Result<Answer> show_stages(const std::vector<ConfiguredStage>& stages,
                           const training::GpuProfile& gpu);

}  // namespace plimsoll::jobs::training_config
