#pragma once

#include "engine/base/result.hpp"
#include "engine/training/gpus/gpu_profile.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// What a folder of YAML says of one stage of training.
struct ConfiguredStage {
    std::string name;  // the file, "config.yaml" where there are no stages
    int batch = 0;
    int accumulation = 1;
    int positives = 0;
    int negatives = 0;
};

// `folder`/config.yaml for batch and accumulation, and every other .yaml below the folder that
// names n_negatives for a stage, by path. Errors name the file and what it lacks.
Result<std::vector<ConfiguredStage>> read_stages(const std::string& folder);

// The stages of the four-channel encoder of the NAICS memory guide on this card: memory by the
// guide's formula and by ours, how it judges the load, and what to do. For programs and terminals.
struct ShownStages {
    nlohmann::json value;  // {gpu, stages: […]}
    std::string text;
};
Result<ShownStages> show_stages(const std::vector<ConfiguredStage>& stages,
                                const training::GpuProfile& gpu);

}  // namespace plimsoll::jobs::training_config
