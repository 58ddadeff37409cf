#pragma once

#include "server/kinds/training_config/command/configs/config_node.hpp"
#include "server/kinds/training_config/command/recommended.hpp"

#include <optional>

namespace plimsoll::jobs::training_config {

// A number in the file that differs from the estimate's, as a sentence.
std::optional<std::string> differs_from(const YAML::Node& root, const Path& path,
                                        std::int64_t of_estimate, const std::string& unit);

// Settings of a run's configuration that differ from the estimate's: length, adapters' rank and
// layers, quantization. `around` is the mapping of the run's own settings.
std::vector<std::string> differences(const YAML::Node& root, const Path& around,
                                     const Recommended& estimated);

}  // namespace plimsoll::jobs::training_config
