#pragma once

#include "server/kinds/training_config/command/estimate_arguments.hpp"

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace plimsoll::jobs::training_config {

// "training.padded", as --set takes it.
std::string dotted(std::string_view pointer);

// Where the user gave the value at a place of the arguments: "--batch", "--set training.padded" or
// "args.json (training.padded)".
std::string place_name(const std::string& pointer, const EstimateFlags& flags,
                       const CLI::App& command);

// A place that a flag sets as well as --set, or that --set sets twice, is an error.
Result<void> check_settings_once(const EstimateFlags& flags, const CLI::App& command);

}  // namespace plimsoll::jobs::training_config
