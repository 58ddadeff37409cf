#pragma once

#include "engine/base/result.hpp"
#include "engine/training/guides/utilisation.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::training {

// Symptoms of a running or failed training run. Percentages 0 to 100.
struct Observation {
    std::optional<double> gpu_percent = {};
    std::optional<double> cpu_percent = {};
    std::optional<double> memory_percent = {};
    bool out_of_memory = false;
    int batch = 0;  // 0: unknown
    int accumulation = 1;
    std::optional<bool> checkpointing = {};
    int loader_workers = -1;                  // -1: unknown
    int cpu_cores = 0;                        // 0: unknown
    std::int64_t max_batch = 0;               // largest batch of the estimate, 0: no estimate
    std::optional<double> step_seconds = {};  // of one optimizer step with all its micro-batches
    double modelled_step_seconds = 0;         // of the same step, 0: no estimate
};

struct Cause {
    std::string cause;
    std::string change;
    std::string gain;
    bool from_guide = false;
    utilisation::Subject subject = utilisation::Subject::other;
};

// Ranked causes: our own rules first (they use the estimate), then the guides' rules. Errors name
// the field.
Result<std::vector<Cause>> diagnose(const Observation& seen);

// A member of an observation that no rule of diagnose() uses along with the others, whatever its
// value.
struct UnusedObservation {
    std::string_view member;  // "cpu_cores"
    std::string_view why;
};

// `has_estimate`: the machine, the largest batch and the modelled step come from an estimate, and
// were not observed.
std::vector<UnusedObservation> unused_observations(const Observation& seen, bool has_estimate);

// What PyTorch says of a GPU whose memory ran out, in GiB; nothing where it does not say.
struct OutOfMemory {
    double tried = 0;
    std::optional<double> total = {};
    std::optional<double> free = {};
    std::optional<double> process = {};      // with the CUDA context
    std::optional<double> allocated = {};    // by PyTorch
    std::optional<double> unallocated = {};  // reserved by PyTorch, in pieces
};

// The last such message of a log, as PyTorch 1.x or 2.x writes it.
std::optional<OutOfMemory> read_out_of_memory(std::string_view log);

// What the message itself explains: a single allocation above the GPU's memory, memory in pieces,
// other processes.
std::vector<Cause> causes_of(const OutOfMemory& message);

}  // namespace plimsoll::training
