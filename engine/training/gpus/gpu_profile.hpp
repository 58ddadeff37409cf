#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace plimsoll::training {

// From here on a compute capability is the number of an AMD gfx target: 942 is gfx942.
inline constexpr int kAmdCapability = 900;

// A value and its source. 0 means that the card does not support it.
struct Figure {
    double value = 0;
    std::string source;
};

// The settings that the GPU profile guide publishes for a card: batch sizes for daily and hourly
// series of its encoder-decoder, how many models it trains at once, and the memory (GB, as the
// guide says it) of one such model.
struct GuideSettings {
    int vram_gb = 0;
    int batch_size_1d = 0;
    int batch_size_1h = 0;
    int max_workers = 0;
    int memory_per_model_1d_gb = 0;
    int memory_per_model_1h_gb = 0;
    std::string use_case;
    std::string notes;
    // Of the guide's table; its code has another formula for the time.
    std::string speedup = {};
    int minutes = 0;  // of five hourly models; 0: not in the table
};

// The capacity of a GPU model. Rates are dense (no sparsity) with fp32 accumulation, in
// floating-point operations per second; GeForce cards halve their fp16 rate in that mode.
struct GpuProfile {
    std::string id;              // identifier, lower case: "rtx_4090"
    std::string name;            // display name: "NVIDIA RTX 4090"
    std::string architecture;    // "Ada", "Hopper" ...
    int compute_capability = 0;  // major * 10 + minor; AMD: the number of its gfx target
    double sold_gb = 0;          // nominal memory
    Figure multiprocessors;
    Figure memory_bytes;   // what the driver reports as total to a process
    Figure context_bytes;  // taken by the CUDA context and loaded modules, outside PyTorch
    Figure bandwidth;      // bytes per second
    Figure fp32_flops;
    Figure tf32_flops;
    Figure fp16_flops;
    Figure bf16_flops;
    bool common = false;  // stands for others of its kind where all are compared
    std::optional<GuideSettings> guide;

    std::int64_t total_bytes() const { return static_cast<std::int64_t>(memory_bytes.value); }
    // Memory available to the PyTorch allocator of a single training process on the card.
    std::int64_t usable_bytes() const {
        return total_bytes() - static_cast<std::int64_t>(context_bytes.value);
    }
    // Resident threads of one multiprocessor (CUDA C++ Programming Guide, compute capabilities).
    int threads_per_multiprocessor() const {
        if (compute_capability == 75) return 1024;
        if (compute_capability == 80 || compute_capability == 90 || compute_capability == 100 ||
            compute_capability == 103 || compute_capability < 75 || is_amd())
            return 2048;
        return 1536;
    }
    bool has_bf16() const { return bf16_flops.value > 0; }
    bool is_amd() const { return compute_capability >= kAmdCapability; }
};

}  // namespace plimsoll::training
