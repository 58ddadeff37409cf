#pragma once

#include "engine/models/findings.hpp"
#include "engine/sentiment/meaning.hpp"
#include "engine/transformer/text_classifier.hpp"
#include "server/jobs/kind.hpp"
#include "server/kinds/sentiment/contract/model_choice.hpp"

#include <string>

namespace plimsoll::jobs::sentiment {

// A published model on the device of this worker.
struct LoadedModel {
    std::string hash;
    routines::Form form = routines::Form::fp32;
    ::plimsoll::sentiment::Meaning meaning;
    std::unique_ptr<transformer::TextClassifier> classifier;
    double load_seconds = 0;
    bool is_ready = false;  // by make_ready()
};

// The model in a form, loaded if necessary; unloads another one if memory is short. Kept until
// release_models(). Errc::unavailable: this worker has no OpenCL device, no longer has this model,
// or has no proof of the form.
Result<LoadedModel*> loaded_model(const UsableModel& model, RunContext& context);

// What computing on this worker's device needs, created at first use.
struct DeviceTools {
    opencl::Programs& programs;
    tuning::Plans& plans;
};
DeviceTools tools_of(const RunContext& context);

// Loads the model in a form and runs it once, so that the next text does not wait, but only if
// enough memory is free. Returns whether it was not ready before; errors are those of
// loaded_model().
Result<bool> make_ready(const UsableModel& model, RunContext& context);

// Releases all models and kernels; see Run::release.
std::uint64_t release_models(opencl::Device* device);

}  // namespace plimsoll::jobs::sentiment
