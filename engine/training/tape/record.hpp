#pragma once

#include "engine/base/result.hpp"
#include "engine/training/tape/settings.hpp"
#include "engine/training/tape/tape.hpp"

#include <vector>

namespace plimsoll::training {

// Checks the settings against the model; an error's `where` is a JSON pointer such as "/batch".
Result<void> check_settings(const ModelShape& shape, const TrainingSettings& settings);

// Every parameter tensor, and whether these settings train it.
std::vector<Parameter> list_parameters(const ModelShape& shape, const TrainingSettings& settings);

// Records setup, first and later step. The model must have passed validated(), the settings
// check_settings().
Tape record_tape(const ModelShape& shape, const TrainingSettings& settings,
                 const TapeDevice& device);

}  // namespace plimsoll::training
