#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace plimsoll::training {

// The purpose of device memory. A report's breakdown sums these (plus fragmentation and context,
// which are not tensors) to the peak exactly.
enum class Group : std::uint8_t {
    weights,
    half_weights,  // copies of weights in another type, as autocast makes them
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
    placement,             // more memory, if blocks are placed differently; no tensors
};
inline constexpr int kGroups = 19;
std::string_view to_string(Group group);

enum class Phase : std::uint8_t { setup, data, forward, backward, clip, optimizer, step_end };
std::string_view to_string(Phase phase);

// A CUDA stream on which buffers are allocated: the allocator keeps blocks of streams apart.
enum class Stream : std::uint8_t {
    usual,
    gather,  // FSDP's, of what is received of all shards
    reduce,  // of gradients' shards
};

struct Buffer {
    std::int64_t bytes = 0;  // as requested; the allocator rounds up
    Group group = Group::weights;
    Stream stream = Stream::usual;
};

// An allocation or a free of one buffer, in program order.
struct Event {
    std::int32_t buffer = 0;
    bool allocates = false;
    Phase phase = Phase::setup;
    std::int16_t layer = -1;  // which layer's code caused it, -1 outside
};

// A sum over rows. Its kernels allocate scratch, which depends on the card's multiprocessors, and
// free it at once.
struct Reduction {
    enum class Kind : std::uint8_t {
        sum,
        factor,  // of Adafactor, which has no semaphores
        norm,    // of the gradients of a norm's weights
    };
    Kind kind = Kind::sum;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::size_t begin = 0, end = 0;  // its events in the list
};

// A buffer of an embedding's gradient: one partial sum for every ten equal indices, and one for the
// remainder of each index that occurs.
struct PartialSums {
    std::int32_t buffer = 0;
    std::int64_t rows = 0;  // of the indices
    std::int64_t table = 0;
    std::int64_t width = 0;  // of a sum, in bytes
    std::int64_t bytes() const { return width * (rows / 10 + (rows < table ? rows : table)); }
    bool operator==(const PartialSums&) const = default;
};

// The work of a step, independent of the card but for the scratch of its reductions.
struct Work {
    double matmul_flops = 0;  // forward and backward, recomputation included
    double moved_bytes = 0;   // by element-wise kernels: written once, read once
    // Roughly one per recorded operation of forward and backward; those that checkpoints repeat
    // are counted apart, since each then passes Python's hooks for saved tensors.
    std::int64_t kernels = 0;
    std::int64_t recomputed = 0;
    std::int64_t updated = 0;     // tensors that the optimizer trains
    double product_elements = 0;  // of the usual matrix product's result, in one micro-batch
};

// A training step as a list of allocations and frees per operation. `first` is the first step (it
// allocates the optimizer's state and the libraries' workspaces), `later` any further one.
struct Tape {
    std::vector<Buffer> buffers;
    std::vector<Event> setup;
    std::vector<Event> first;
    std::vector<Event> later;
    std::vector<Reduction> first_reductions, later_reductions;
    std::vector<PartialSums> partial_sums;
    Work work;                        // of one optimizer step
    int rank = -1;                    // the card that it is of, in a pipeline
    std::vector<double> layer_flops;  // the part of work.matmul_flops in each layer
};

}  // namespace plimsoll::training
