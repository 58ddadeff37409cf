#include "engine/training/tape/graph.hpp"

#include "engine/training/gpus/gpu_profile.hpp"
#include "engine/training/tape/communication.hpp"
#include "engine/training/tape/reduction.hpp"

namespace plimsoll::training {

std::int64_t bytes_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::boolean: return 1;
        case Dtype::half: return 2;
        case Dtype::fp32: return 4;
        case Dtype::int64: return 8;
    }
    return 0;
}

Var::Var(const Var& other)
    : graph_(other.graph_),
      buffer_(other.buffer_),
      elements_(other.elements_),
      dtype_(other.dtype_),
      edge_(other.edge_) {
    if (graph_ != nullptr) graph_->retain(buffer_);
}

void Var::reset() {
    if (graph_ != nullptr) graph_->release(buffer_);
    graph_ = nullptr;
    buffer_ = kNoBuffer;
    edge_ = {};
}

Var Var::alias(std::int64_t elements, Edge edge) const {
    graph_->retain(buffer_);
    return {*graph_, buffer_, elements, dtype_, edge};
}

Graph::Graph(const TrainingSettings& settings, const TapeDevice& device)
    : settings_(settings), device_(device) {
    constexpr std::size_t usual = 8192;  // events of a step of a middling model
    buffers_.reserve(usual);
    counts_.reserve(usual);
    events_.reserve(2 * usual);
    nodes_.reserve(usual / 4);
}

BufferId Graph::allocate(std::int64_t bytes, Group group) {
    if (bytes <= 0) return kNoBuffer;
    const auto id = static_cast<BufferId>(buffers_.size());
    buffers_.push_back({bytes, group, Stream::usual});
    counts_.push_back(1);
    events_.push_back({id, true, phase_, layer_});
    moved_bytes_ += 2.0 * static_cast<double>(bytes);
    if (phase_ == Phase::clip || phase_ == Phase::optimizer) return id;  // counted by tensor
    ++(recomputing() ? recomputed_ : kernels_);
    return id;
}

void Graph::release(BufferId id) {
    if (id == kNoBuffer) return;
    if (--counts_[static_cast<std::size_t>(id)] == 0)
        events_.push_back({id, false, phase_, layer_});
}

void Graph::scratch(std::int64_t bytes, Group group) { release(allocate(bytes, group)); }

void Graph::scratch_of(Reduction reduction, Group group) {
    const auto needed = scratch_needed(device_, reduction);
    reduction.begin = events_.size();
    const BufferId buffer = allocate(needed[0], group);
    const BufferId second = allocate(needed[1], group);
    release(second);
    release(buffer);
    reduction.end = events_.size();
    reductions_.push_back(reduction);
}

BufferId Graph::allocate_sums(PartialSums sums, Group group) {
    sums.buffer = allocate(sums.bytes(), group);
    partial_sums_.push_back(sums);
    return sums.buffer;
}

Var Graph::make(std::int64_t elements, Dtype dtype, Group group) {
    return {*this, allocate(elements * bytes_of(dtype), group), elements, dtype, {}};
}

int Graph::add_parameter(const Parameter& p) {
    GraphParameter g;
    g.elements = p.elements;
    g.blocks = p.blocks;
    g.trainable = p.trainable;
    g.adapter = p.adapter;
    g.copied = p.copied;
    g.quantized = p.linear && settings_.quantization != Quantization::none;
    const auto layout = layout_of(settings_);
    g.dtype = layout.width_of(p, layout.compute_bytes) == 2 ? Dtype::half : Dtype::fp32;
    parameters_.push_back(g);
    return static_cast<int>(parameters_.size()) - 1;
}

void Graph::set_layer(int layer) {
    if (layer >= 0) layer += first_layer_;
    if (communication_ != nullptr) communication_->enter(layer, false);
    layer_ = static_cast<std::int16_t>(layer);
}

void Graph::cross_experts(bool enters, bool backward) {
    if (communication_ == nullptr) return;
    const auto pass = backward ? Pass::backward : recomputing() ? Pass::again : Pass::forward;
    communication_->cross_experts(layer_, enters, pass);
}

void Graph::count_flops(double flops) {
    flops_ += flops;
    if (layer_ < 0) return;
    const auto layer = static_cast<std::size_t>(layer_);
    if (layer >= layer_flops_.size()) layer_flops_.resize(layer + 1);
    layer_flops_[layer] += flops;
}

void Graph::clear_counters() {
    flops_ = moved_bytes_ = 0;
    kernels_ = recomputed_ = 0;
    layer_flops_.clear();
}

// Hopper and newer get 32 MiB a handle, others 4096 KiB * 2 + 16 KiB * 8; cuBLASLt 1 MiB. hipBLAS
// gets 32 MiB or, from gfx94x on, 128; hipBLASLt 76. A handle belongs to a thread: forward and
// backward have their own (ATen CublasHandlePool.cpp, CUDABlas.cpp).
void Graph::matmul(double flops, bool through_lt) {
    count_flops(flops);
    const int capability = device_.compute_capability;
    const bool amd = capability >= kAmdCapability;
    const std::size_t thread = on_backward_thread_ ? 1 : 0;
    if (!std::exchange(workspace_made_[thread], true))
        allocate(amd ? (capability >= 940 ? 128LL : 32LL) << 20
                     : (capability >= 90 ? 32LL << 20 : 8'519'680),
                 Group::workspace);
    if (through_lt && !std::exchange(lt_workspace_made_[thread], true))
        allocate(amd ? 76LL << 20 : 1LL << 20, Group::workspace);
}

void Graph::make_dropout_states() {
    if (!std::exchange(dropout_states_made_, true)) allocate(7'471'104, Group::workspace);
}

void Graph::enter_autocast() { autocast_ = settings_.autocast(); }

void Graph::exit_autocast() {
    autocast_ = false;
    for (auto& p : parameters_) {
        release(p.cast);
        p.cast = kNoBuffer;
        p.cast_edge = {};
    }
}

}  // namespace plimsoll::training
