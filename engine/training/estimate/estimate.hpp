#pragma once

#include "engine/base/result.hpp"
#include "engine/training/allocator/caching_allocator.hpp"
#include "engine/training/gpus/gpu_profile.hpp"
#include "engine/training/tape/record.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace plimsoll::training {

// When memory was highest.
struct Moment {
    int step = 1;
    Phase phase = Phase::setup;
    int layer = -1;          // of the code that ran, -1 outside the layers
    std::int64_t event = 0;  // allocations and frees so far
};

// The purposes of memory: the model and its optimizer, what forward keeps for backward, and
// temporary tensors.
enum class Purpose : std::uint8_t { state, activations, temporary };
inline constexpr int kPurposes = 3;
Purpose purpose_of(Group group);

struct TimelinePoint {
    std::int64_t event = 0;
    int step = 1;
    Phase phase = Phase::setup;
    std::int64_t allocated = 0;
    std::int64_t reserved = 0;
    std::array<std::int64_t, kPurposes> by_purpose{};  // sums to allocated
    // The event itself.
    Group group = Group::weights;
    int layer = -1;           // -1: outside the layers
    std::int64_t change = 0;  // allocated bytes; freed ones are negative
};

// What one layer saves between forward and backward, in requested bytes, and its work.
struct LayerMemory {
    int layer = 0;
    std::int64_t parameters = 0;
    std::int64_t saved_bytes = 0;
    double flops_per_sample = 0;  // of matrix products, forward and backward
};

// Memory of a run, from replaying its tape through the simulated allocator. Bytes.
struct Estimate {
    std::int64_t parameters = 0;
    std::int64_t trainable_parameters = 0;
    // torch.cuda.max_memory_allocated, with an allowance for blocks that are placed differently: at
    // most 0.6 %, 10 MiB, and what is reserved anyway.
    std::int64_t peak_allocated = 0;
    std::int64_t peak_reserved = 0;  // torch.cuda.max_memory_reserved
    // Allocated bytes by group at the moment of peak_allocated; they sum to it exactly.
    std::array<std::int64_t, kGroups> breakdown{};
    Moment moment;
    int rank = -1;                        // of a pipeline, the card with the most to hold
    std::int64_t saved_for_backward = 0;  // activations alive at the end of forward
    std::vector<LayerMemory> layers;
    Work work;                            // of one optimizer step
    std::vector<TimelinePoint> timeline;  // two steps, at most 2000 points; empty unless requested

    // Reserved but not allocated at the peaks: what the caching allocator cannot use.
    std::int64_t fragmentation() const { return peak_reserved - peak_allocated; }
};

struct EstimateOptions {
    AllocatorSettings allocator = {};  // its limit is not applied
    int steps = 3;  // the second step can reserve more than the first; the third confirms it
    bool timeline = false;

    // The allocator's limit is off: an estimate computes what would be needed.
    AllocatorSettings unlimited() const {
        auto settings = allocator;
        settings.limit = 0;
        return settings;
    }
};

TapeDevice tape_device(const GpuProfile& gpu);

// Checks the settings; the shape must be validated.
Result<Estimate> estimate(const ModelShape& shape, const TrainingSettings& settings,
                          const TapeDevice& device, const EstimateOptions& options = {});

}  // namespace plimsoll::training
