#pragma once

#include "server/jobs/training_config/command/configs/config_node.hpp"
#include "server/jobs/training_config/command/recommended.hpp"

#include <optional>

namespace plimsoll::jobs::training_config {

// A number of the file that the estimate was not made for, in words.
std::optional<std::string> differs_from(const YAML::Node& root, const Path& path,
                                        std::int64_t of_estimate, const std::string& unit);

// What the user chose in a configuration of a run and the estimate was not made for: length,
// adapters' rank and layers, quantisation. `around` is the mapping of the run's own settings.
std::vector<std::string> differences(const YAML::Node& root, const Path& around,
                                     const Recommended& estimated);

}  // namespace plimsoll::jobs::training_config
