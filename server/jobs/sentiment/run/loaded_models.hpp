#pragma once

#include "engine/models/proof.hpp"
#include "engine/sentiment/meaning.hpp"
#include "engine/transformer/text_classifier.hpp"
#include "server/jobs/kind.hpp"

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

// The model in a form, loaded if necessary: another one is unloaded if memory is short. Kept until
// release_models(). Errc::unavailable: this worker has no OpenCL device, no longer this model, or
// no proof of the form.
Result<LoadedModel*> loaded_model(const std::string& name, const std::string& hash,
                                  const std::string& form, RunContext& context);

// What computing on the device of this worker needs, made when there is none yet.
struct DeviceTools {
    opencl::Programs& programs;
    const tuning::Plans& plans;
};
DeviceTools tools_of(const RunContext& context);

// Loads the model in a form and computes with it, so that the next text waits for nothing; but
// only where memory is free for it. Whether it was not before; an error as of loaded_model().
Result<bool> make_ready(const std::string& name, const std::string& hash, const std::string& form,
                        RunContext& context);

// Whether the proof is of what this device computes.
bool is_of(const opencl::Capability& device, const models::Proof& proof);

// Releases all models and kernels; see Run::release.
std::uint64_t release_models(opencl::Device* device);

}  // namespace plimsoll::jobs::sentiment
