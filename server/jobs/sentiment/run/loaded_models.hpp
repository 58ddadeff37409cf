#pragma once

#include "engine/sentiment/meaning.hpp"
#include "engine/transformer/text_classifier.hpp"
#include "server/jobs/kind.hpp"

#include <string>

namespace plimsoll::jobs::sentiment {

// A published model on the device of this worker.
struct LoadedModel {
    std::string hash;
    ::plimsoll::sentiment::Meaning meaning;
    std::unique_ptr<transformer::TextClassifier> classifier;
    double load_seconds = 0;
};

// The model, loaded if it is not: another one makes room for it where memory is short. Kept until
// release_models(). Errc::unavailable: this worker has no OpenCL device, or no longer this model.
Result<LoadedModel*> loaded_model(const std::string& name, const std::string& hash,
                                  RunContext& context);

// Lets go of all models and kernels; see Run::release.
std::uint64_t release_models(opencl::Device* device);

}  // namespace plimsoll::jobs::sentiment
