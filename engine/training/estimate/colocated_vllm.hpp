#pragma once

#include "engine/training/estimate/batch_search.hpp"

#include <cstdint>
#include <optional>

namespace plimsoll::training {

// What vLLM takes of the GPU in the process that trains, as read in vLLM 0.33 (`request_memory` and
// `determine_available_memory` of its workers) and TRL 1.16. It asks for a share of the total
// memory; what its weights, activations and CUDA graphs leave of it becomes the cache of keys and
// values. Bytes.
struct ColocatedVllm {
    std::int64_t share = 0;
    std::int64_t weights = 0;   // of this GPU, in 16 bits, or as bitsandbytes packs them
    std::int64_t text = 0;      // the cache of the longest text
    std::int64_t standing = 0;  // what the model that trains keeps while vLLM, woken, generates
    std::int64_t limit = 0;     // for both
    bool sleeps = false;

    // How many of the longest texts its cache holds at most: activations and graphs take some.
    std::int64_t texts() const { return share > weights ? (share - weights) / text : 0; }
    bool starts() const { return texts() > 0; }
    bool wakes() const { return !sleeps || standing + share <= limit; }
    bool fits() const { return starts() && wakes(); }
    // While the model learns.
    std::int64_t resident() const { return sleeps ? 0 : share; }
    // The same on another GPU, with its limit for both.
    ColocatedVllm on(const GpuProfile& gpu, std::int64_t its_limit,
                     const TrainingSettings& settings) const;
};

// Nothing unless the settings have vLLM beside the trainer. `own`: footprints of these settings on
// this GPU.
std::optional<ColocatedVllm> colocated_vllm(const ModelShape& shape,
                                            const TrainingSettings& settings, const GpuProfile& gpu,
                                            const SearchOptions& options, FootprintByBatch& own);

}  // namespace plimsoll::training
