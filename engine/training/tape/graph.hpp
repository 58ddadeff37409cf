#pragma once

#include "engine/training/tape/settings.hpp"
#include "engine/training/tape/tape.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace plimsoll::training {

// A small symbolic autograd: tensors are sizes, operations allocate and free them in the order in
// which PyTorch does, and the backward pass runs the recorded nodes as PyTorch's engine does
// (highest sequence number first, gradients accumulated in place where PyTorch can). Recording a
// step with it yields the tape.

using BufferId = std::int32_t;
inline constexpr BufferId kNoBuffer = -1;

enum class Dtype : std::uint8_t { boolean, half, fp32, int64 };
std::int64_t bytes_of(Dtype dtype);

// Where a gradient goes: a node's output slot, a parameter, or nowhere.
struct Edge {
    enum class Kind : std::uint8_t { none, node, parameter } kind = Kind::none;
    std::int32_t index = 0;
    std::int32_t slot = 0;
};

// A gradient in flight. PyTorch accumulates into an existing gradient in place only if nothing else
// refers to it and it is not a view.
struct Gradient {
    BufferId buffer = kNoBuffer;
    bool view = false;
};

class Communication;
class Graph;

// A handle like a Python variable: holds its buffer while it lives.
class Var {
  public:
    Var() = default;
    Var(Graph& graph, BufferId buffer, std::int64_t elements, Dtype dtype, Edge edge)
        : graph_(&graph), buffer_(buffer), elements_(elements), dtype_(dtype), edge_(edge) {}
    Var(const Var& other);
    Var(Var&& other) noexcept { swap(other); }
    Var& operator=(Var other) noexcept {
        swap(other);
        return *this;
    }
    ~Var() { reset(); }
    void reset();

    BufferId buffer() const { return buffer_; }
    std::int64_t elements() const { return elements_; }
    std::int64_t bytes() const { return elements_ * bytes_of(dtype_); }
    Dtype dtype() const { return dtype_; }
    Edge edge() const { return edge_; }
    explicit operator bool() const { return graph_ != nullptr; }
    // Another tensor on the same storage (a view or a slice).
    Var alias(std::int64_t elements, Edge edge) const;

  private:
    void swap(Var& other) noexcept {
        std::swap(graph_, other.graph_);
        std::swap(buffer_, other.buffer_);
        std::swap(elements_, other.elements_);
        std::swap(dtype_, other.dtype_);
        std::swap(edge_, other.edge_);
    }
    Graph* graph_ = nullptr;
    BufferId buffer_ = kNoBuffer;
    std::int64_t elements_ = 0;
    Dtype dtype_ = Dtype::fp32;
    Edge edge_;
};

// A recorded operation. `run` allocates what its backward allocates and fills `outputs`; `finish`,
// if any, then reduces them to the inputs' shapes and types (sums over broadcast dimensions,
// casts).
struct Node {
    using Run = void (*)(Graph&, Node&);
    static constexpr int kMaxSaved = 8;
    static constexpr int kMaxEdges = 5;
    static constexpr int kMaxSlots = 4;

    Run run = nullptr;
    Run finish = nullptr;
    std::array<BufferId, kMaxSaved> saved{};
    std::array<Edge, kMaxEdges> next{};
    std::array<Gradient, kMaxSlots> gradients{};
    std::array<Gradient, kMaxEdges> outputs{};
    std::array<std::int64_t, 6> size{};
    std::int32_t waiting = 0;  // gradients still expected
    std::int32_t frame = -1;   // checkpoint that the node belongs to
    std::int16_t layer = -1;
    std::int8_t n_saved = 0;
    std::int8_t n_next = 0;
    bool saves = false;        // saves something, or would without its checkpoint
    bool cached_cast = false;  // of a weight: a recomputation may repeat it
    Dtype dtype = Dtype::fp32;
    Group group = Group::attention;

    bool wants(int edge) const {
        return next[static_cast<std::size_t>(edge)].kind != Edge::Kind::none;
    }
};

struct GraphParameter {
    std::int64_t elements = 0;
    std::int32_t blocks = 0;
    BufferId data = kNoBuffer;
    BufferId gathered = kNoBuffer;  // all of it, where `data` is a shard
    BufferId gradient = kNoBuffer;
    Gradient incoming;  // of the running backward
    std::int32_t waiting = 0;
    Dtype dtype = Dtype::fp32;
    bool trainable = true;
    bool adapter = false;
    bool copied = false;        // trained in place of the one before it
    bool quantized = false;     // `data` is the packed weight
    bool leaf = false;          // no parameter of the model
    bool reduced = false;       // its gradient has become a shard
    BufferId cast = kNoBuffer;  // half copy in autocast's cache
    Edge cast_edge;
};

class Graph {
  public:
    Graph(const TrainingSettings& settings, const TapeDevice& device);

    const TrainingSettings& settings() const { return settings_; }
    // For a pass over other texts. Returns those before.
    TrainingSettings exchange_settings(TrainingSettings settings) {
        return std::exchange(settings_, std::move(settings));
    }
    const TapeDevice& device() const { return device_; }

    // Buffers ----------------------------------------------------------------------------------
    BufferId allocate(std::int64_t bytes, Group group);
    void retain(BufferId id) {
        if (id != kNoBuffer) ++counts_[static_cast<std::size_t>(id)];
    }
    void release(BufferId id);
    void regroup(BufferId id, Group group) {
        if (id != kNoBuffer) buffers_[static_cast<std::size_t>(id)].group = group;
    }
    // Of a buffer that was made just now, on another stream than the usual one.
    BufferId on_stream(Stream stream, BufferId id) {
        if (id != kNoBuffer) buffers_[static_cast<std::size_t>(id)].stream = stream;
        return id;
    }
    std::int64_t bytes(BufferId id) const { return buffers_[static_cast<std::size_t>(id)].bytes; }
    // Allocates and frees immediately, like a kernel's scratch.
    void scratch(std::int64_t bytes, Group group);
    // Likewise, and notes what the bytes follow from.
    void scratch_of(Reduction reduction, Group group);
    BufferId allocate_sums(PartialSums sums, Group group);
    Var make(std::int64_t elements, Dtype dtype, Group group);

    // Parameters -------------------------------------------------------------------------------
    int add_parameter(const Parameter& parameter);
    GraphParameter& parameter(int index) { return parameters_[static_cast<std::size_t>(index)]; }
    std::vector<GraphParameter>& parameters() { return parameters_; }
    const std::vector<GraphParameter>& parameters() const { return parameters_; }
    // A tensor that was made to require a gradient (peft does so with the embeddings' output if
    // layers are checkpointed). It and its gradient live as long as their graph.
    Var as_leaf(Var x);
    // Frees the leaves of every graph but the newest, or of all.
    void drop_leaves(bool newest_too);

    // Recording --------------------------------------------------------------------------------
    void set_phase(Phase phase) { phase_ = phase; }
    Phase phase() const { return phase_; }
    void set_layer(int layer);
    // The code of the layer's experts begins or ends.
    void cross_experts(bool enters, bool backward);
    // Notified of the code that runs from now on, nobody if null. Returns who was before.
    Communication* attach(Communication* communication) {
        return std::exchange(communication_, communication);
    }
    std::size_t events() const { return events_.size(); }  // since the list was taken
    // Returns a right-sized copy of the events so far and starts a new list that keeps its
    // capacity.
    std::vector<Event> take_events() {
        auto taken = events_;
        events_.clear();
        return taken;
    }
    // Of those events; before they are taken.
    std::vector<Reduction> take_reductions() { return std::exchange(reductions_, {}); }
    std::vector<PartialSums> take_partial_sums() { return std::move(partial_sums_); }
    std::vector<Buffer> take_buffers() { return std::move(buffers_); }
    void count_flops(double flops);
    double flops() const { return flops_; }
    // By layer, as numbered by set_layer.
    const std::vector<double>& layer_flops() const { return layer_flops_; }
    double moved_bytes() const { return moved_bytes_; }
    std::int64_t kernels() const { return kernels_; }
    std::int64_t recomputed() const { return recomputed_; }
    void clear_counters();

    // A matrix product: counts its work; the first on a thread makes cuBLAS allocate its workspace.
    void matmul(double flops, bool through_lt);

    // The states of cuDNN's random numbers, as large as on an H100; made once and kept.
    void make_dropout_states();

    // Autograd ---------------------------------------------------------------------------------
    // A node for an operation whose inputs' gradients go to `edges`; null if none requires one.
    // During a checkpoint's recomputation it returns the recorded node, to be filled again.
    Node* node(Node::Run run, std::initializer_list<Edge> edges, Dtype dtype, Group group);
    void save(Node* node, const Var& var) { save(node, var.buffer()); }
    void save(Node* node, BufferId buffer);
    bool recomputing() const { return filling_frame_ >= 0; }
    // Call after saving: ends a recomputation that has nothing left to recompute.
    void sealed(Node* node);
    Edge edge_to(const Node* node, int slot = 0) const;
    static void output(Node& node, int edge, BufferId buffer, bool view = false) {
        node.outputs[static_cast<std::size_t>(edge)] = {buffer, view};
    }
    // `seed` is the result's gradient if it was sent, else a 1. Graphs that wait are kept.
    void backward(const Var& result, BufferId seed = kNoBuffer, bool others_wait = false);
    // Whether a backward pass would have something to do for what was recorded so far.
    bool needs_gradients() const { return !nodes_.empty() || !leaves_.empty(); }
    // When off, operations record no nodes: for results that need no gradient. Returns what it was.
    bool set_recording(bool on) { return std::exchange(recording_, on); }

    // The model that runs: where its parameters begin, whether its adapters do something, and the
    // number of its first layer.
    void use_model(int first_parameter, bool adapts, int first_layer = 0) {
        first_parameter_ = first_parameter;
        adapts_ = adapts;
        first_layer_ = first_layer;
    }
    int first_parameter() const { return first_parameter_; }
    bool adapts() const { return adapts_; }

    // Where the input of every layer and the last hidden state are held from now on, with a cache
    // of keys and values if there is one; nowhere if null.
    void keep_states(std::vector<Var>* states, bool with_cache = false) {
        states_ = states;
        caches_ = with_cache;
    }
    bool caches() const { return caches_; }
    void keep_state(const Var& x) {
        if (states_ != nullptr) states_->push_back(x);
    }

    // Autocast ---------------------------------------------------------------------------------
    bool autocast() const { return autocast_; }
    void enter_autocast();
    void exit_autocast();  // empties the cache of half weights

    // Checkpointing ----------------------------------------------------------------------------
    // Runs `forward` and saves only its input; the backward pass runs it again.
    Var checkpoint(const Var& input, std::function<Var(const Var&)> forward);
    // Whether this layer keeps the result of the product that comes now: selective checkpoints
    // keep every second one.
    bool keeps_product();
    // A result that selective checkpoints keep: made in the first run, taken in the second.
    Var make_kept(std::int64_t elements, Dtype dtype, Group group);

  private:
    struct Frame {
        std::function<Var(const Var&)> forward;
        Var input;
        std::int32_t first = 0,
                     last = 0;   // nodes [first, last); `last` follows the last that saves
        std::int32_t alive = 0;  // nodes that still need the recomputed tensors
        std::vector<Var> kept;   // results that are not computed again
        std::size_t taken = 0;   // of these, by the second run
        int products = 0;        // of the running one
        int layer = -1;
        bool autocast = false;
        bool filled = false;
    };
    struct StopRecomputation {};

    struct Leaf {
        Var data;
        int parameter = 0;
        int graph = 0;  // number of the backward pass that it belongs to
    };

    void recompute(std::int32_t frame);
    void count_waiting(Edge from);
    void send(Edge edge, Gradient gradient);
    void accumulate(Gradient& slot, Gradient incoming);
    void store_gradient(GraphParameter& parameter);
    void run_node(std::int32_t index);
    void drop_saved(Node& node);

    TrainingSettings settings_;
    TapeDevice device_;
    Communication* communication_ = nullptr;
    std::vector<Var>* states_ = nullptr;
    bool caches_ = false;
    std::vector<Buffer> buffers_;
    std::vector<std::int32_t> counts_;
    std::vector<Event> events_;
    std::vector<Reduction> reductions_;
    std::vector<PartialSums> partial_sums_;
    std::vector<GraphParameter> parameters_;
    std::vector<Node> nodes_;
    std::vector<std::int32_t> ready_;  // max-heap of node indices
    std::vector<Frame> frames_;
    std::vector<Leaf> leaves_;
    int backward_passes_ = 0;
    Phase phase_ = Phase::setup;
    std::int16_t layer_ = -1;
    bool autocast_ = false;
    bool recording_ = true;
    int first_parameter_ = 0;
    int first_layer_ = 0;
    bool adapts_ = true;
    bool on_backward_thread_ = false;
    std::array<bool, 2> workspace_made_{};
    std::array<bool, 2> lt_workspace_made_{};
    bool dropout_states_made_ = false;
    std::int32_t recording_frame_ = -1;  // inside a checkpoint's first run
    std::int32_t filling_frame_ = -1;    // inside its recomputation
    std::int32_t filling_next_ = 0;
    double flops_ = 0;
    std::vector<double> layer_flops_;
    double moved_bytes_ = 0;
    std::int64_t kernels_ = 0;
    std::int64_t recomputed_ = 0;
};

}  // namespace plimsoll::training
