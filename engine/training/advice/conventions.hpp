#pragma once

#include "engine/training/models/model_shape.hpp"
#include "engine/training/tape/settings.hpp"

#include <cstdint>
#include <string>

namespace plimsoll::training {

// The usual starting point of a kind of training, if none is given.
struct Convention {
    std::int64_t effective_batch = 0;
    double rate = 0;
    double rate_batch = 0;  // the effective batch of this rate
    std::string source;
};

// `pretraining`: from random weights, on the language model's own task.
Convention convention_for(const ModelShape& shape, const TrainingSettings& settings,
                          bool pretraining);

}  // namespace plimsoll::training
