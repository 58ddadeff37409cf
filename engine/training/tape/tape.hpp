#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace plimsoll::training {

// The purpose of device memory. A report's breakdown sums these (plus fragmentation and context,
// which are not tensors) to the peak exactly.
enum class Group : std::uint8_t {
    weights,
    half_weights,  // copies that autocast makes of fp32 weights
    gradients,
    optimizer,
    optimizer_temporaries,
    embedding,
    attention,
    attention_scores,
    feed_forward,
    norms,
    masks,  // dropout masks
    lora,
    experts,
    logits,
    batch,
    workspace,             // cuBLAS and cuBLASLt
    backward_temporaries,  // activation gradients and scratch of backward kernels
    communication,         // gathered weights and the buckets in which cards exchange gradients
};
inline constexpr int kGroups = 18;
std::string_view to_string(Group group);

enum class Phase : std::uint8_t { setup, data, forward, backward, clip, optimizer, step_end };
std::string_view to_string(Phase phase);

struct Buffer {
    std::int64_t bytes = 0;  // as requested; the allocator rounds up
    Group group = Group::weights;
};

// An allocation or a free of one buffer, in program order.
struct Event {
    std::int32_t buffer = 0;
    bool allocates = false;
    Phase phase = Phase::setup;
    std::int16_t layer = -1;  // which layer's code caused it, -1 outside
};

// The work of a step, independent of the card.
struct Work {
    double matmul_flops = 0;      // forward and backward, recomputation included
    double moved_bytes = 0;       // by element-wise kernels: written once, read once
    std::int64_t kernels = 0;     // roughly one per recorded operation
    double product_elements = 0;  // of the usual matrix product's result, in one micro-batch
};

// A training step as a list of allocations and frees per operation. `first` is the first step (it
// allocates the optimizer's state and the libraries' workspaces), `later` any further one.
struct Tape {
    std::vector<Buffer> buffers;
    std::vector<Event> setup;
    std::vector<Event> first;
    std::vector<Event> later;
    Work work;                        // of one optimizer step
    std::vector<double> layer_flops;  // the part of work.matmul_flops in each layer
};

}  // namespace plimsoll::training
