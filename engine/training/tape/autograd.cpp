#include "engine/training/tape/communication.hpp"
#include "engine/training/tape/graph.hpp"

#include <algorithm>

// Recording nodes and running them backward. Order of effects inside one node, as observed in
// PyTorch: outputs are allocated, the incoming gradient goes, the saved tensors go, the outputs
// reach their slots (where an addition may allocate).

namespace plimsoll::training {

Node* Graph::node(Node::Run run, std::initializer_list<Edge> edges, Dtype dtype, Group group) {
    if (!recording_) return nullptr;
    if (std::all_of(edges.begin(), edges.end(),
                    [](const Edge& e) { return e.kind == Edge::Kind::none; }))
        return nullptr;
    if (filling_frame_ >= 0) {
        while (nodes_[static_cast<std::size_t>(filling_next_)].cached_cast) ++filling_next_;
        return &nodes_[static_cast<std::size_t>(filling_next_++)];
    }
    Node n;
    n.run = run;
    n.dtype = dtype;
    n.group = group;
    n.layer = layer_;
    n.frame = recording_frame_;
    for (const auto& e : edges) n.next[static_cast<std::size_t>(n.n_next++)] = e;
    nodes_.push_back(n);
    return &nodes_.back();
}

void Graph::save(Node* node, BufferId buffer) {
    if (node == nullptr) return;
    if (recording_frame_ >= 0) {  // a checkpoint keeps nothing of its first run
        auto& frame = frames_[static_cast<std::size_t>(recording_frame_)];
        frame.last = edge_to(node).index + 1;
        if (!std::exchange(node->saves, true)) ++frame.alive;
        return;
    }
    node->saved[static_cast<std::size_t>(node->n_saved++)] = buffer;
    retain(buffer);
}

void Graph::sealed(Node* node) {
    if (node == nullptr || filling_frame_ < 0) return;
    if (filling_next_ == frames_[static_cast<std::size_t>(filling_frame_)].last)
        throw StopRecomputation{};
}

Edge Graph::edge_to(const Node* node, int slot) const {
    if (node == nullptr) return {};
    return {Edge::Kind::node, static_cast<std::int32_t>(node - nodes_.data()), slot};
}

Var Graph::as_leaf(Var x) {
    if (!recording_) return x;
    GraphParameter p;
    p.elements = x.elements();
    p.dtype = x.dtype();
    p.leaf = true;
    const auto index = static_cast<int>(parameters_.size());
    parameters_.push_back(p);
    leaves_.push_back({x, index, backward_passes_});
    return x.alias(x.elements(), {Edge::Kind::parameter, index, 0});
}

void Graph::drop_leaves(bool newest_too) {
    std::erase_if(leaves_, [&](Leaf& leaf) {
        if (!newest_too && leaf.graph == backward_passes_) return false;
        auto& p = parameter(leaf.parameter);
        release(p.gradient);
        p.gradient = kNoBuffer;
        leaf.data.reset();
        return true;
    });
}

Var Graph::checkpoint(const Var& input, std::function<Var(const Var&)> forward) {
    if (!recording_) return forward(input);
    const auto index = static_cast<std::int32_t>(frames_.size());
    Frame frame;
    frame.forward = std::move(forward);
    frame.input = input;
    frame.first = frame.last = static_cast<std::int32_t>(nodes_.size());
    frame.layer = layer_;
    frame.autocast = autocast_;
    frames_.push_back(std::move(frame));
    recording_frame_ = index;
    Var out = frames_.back().forward(input);
    recording_frame_ = -1;
    if (frames_.back().alive == 0) frames_.back().input.reset();
    return out;
}

bool Graph::keeps_product() {
    const auto index = recomputing() ? filling_frame_ : recording_frame_;
    return settings_.selective && index >= 0 &&
           ++frames_[static_cast<std::size_t>(index)].products % 2 == 1;
}

Var Graph::make_kept(std::int64_t elements, Dtype dtype, Group group) {
    const auto index = recomputing() ? filling_frame_ : recording_frame_;
    if (!settings_.selective || index < 0) return make(elements, dtype, group);
    auto& frame = frames_[static_cast<std::size_t>(index)];
    if (!recomputing()) return frame.kept.emplace_back(make(elements, dtype, group));
    auto& kept = frame.kept[frame.taken++];
    // PyTorch stops before it takes the result of the last operation that saves something.
    return filling_next_ + 1 >= frame.last ? kept : std::exchange(kept, {});
}

void Graph::recompute(std::int32_t index) {
    auto& frame = frames_[static_cast<std::size_t>(index)];
    frame.filled = true;
    frame.products = 0;
    filling_frame_ = index;
    filling_next_ = frame.first;
    if (frame.autocast) enter_autocast();
    try {
        const Var out = frame.forward(frame.input);
    } catch (const StopRecomputation&) {
        // Everything that backward needs has been recomputed: PyTorch stops early too.
    }
    if (frame.autocast) exit_autocast();
    filling_frame_ = -1;
}

void Graph::count_waiting(Edge from) {
    if (from.kind == Edge::Kind::none) return;
    std::vector<Edge> todo{from};
    std::vector<bool> seen(nodes_.size());
    while (!todo.empty()) {
        const Edge e = todo.back();
        todo.pop_back();
        if (seen[static_cast<std::size_t>(e.index)]) continue;
        seen[static_cast<std::size_t>(e.index)] = true;
        const auto& n = nodes_[static_cast<std::size_t>(e.index)];
        for (int i = 0; i < n.n_next; ++i) {
            const Edge& next = n.next[static_cast<std::size_t>(i)];
            if (next.kind == Edge::Kind::parameter) ++parameter(next.index).waiting;
            if (next.kind != Edge::Kind::node) continue;
            ++nodes_[static_cast<std::size_t>(next.index)].waiting;
            todo.push_back(next);
        }
    }
}

void Graph::accumulate(Gradient& slot, Gradient incoming) {
    if (slot.buffer == kNoBuffer) {
        slot = incoming;
        return;
    }
    // Not where the summands are PyTorch's DTensors.
    const bool in_place = settings_.parallel.tensor == 1 && !slot.view &&
                          counts_[static_cast<std::size_t>(slot.buffer)] == 1;
    if (!in_place) {
        const BufferId sum = allocate(bytes(slot.buffer), Group::backward_temporaries);
        release(slot.buffer);
        slot = {sum, false};
    }
    release(incoming.buffer);
}

void Graph::store_gradient(GraphParameter& p) {
    const Gradient grad = std::exchange(p.incoming, {});
    if (p.gradient == kNoBuffer) {
        p.gradient = grad.buffer;
        if (!p.leaf) regroup(grad.buffer, Group::gradients);
    } else {
        release(grad.buffer);
    }
    if (communication_ != nullptr && !p.leaf) communication_->arrived(p);
}

void Graph::send(Edge edge, Gradient gradient) {
    if (edge.kind == Edge::Kind::parameter) {
        auto& p = parameter(edge.index);
        accumulate(p.incoming, gradient);
        if (--p.waiting == 0) store_gradient(p);
    } else {
        auto& n = nodes_[static_cast<std::size_t>(edge.index)];
        accumulate(n.gradients[static_cast<std::size_t>(edge.slot)], gradient);
        if (--n.waiting == 0) {
            ready_.push_back(edge.index);
            std::push_heap(ready_.begin(), ready_.end());
        }
    }
}

void Graph::drop_saved(Node& n) {
    for (int i = 0; i < n.n_saved; ++i) release(n.saved[static_cast<std::size_t>(i)]);
    n.n_saved = 0;
    if (n.frame < 0 || !std::exchange(n.saves, false)) return;
    auto& frame = frames_[static_cast<std::size_t>(n.frame)];
    if (--frame.alive == 0) {
        frame.input.reset();
        frame.kept.clear();
        frame.forward = nullptr;
    }
}

void Graph::run_node(std::int32_t index) {
    auto& n = nodes_[static_cast<std::size_t>(index)];
    if (communication_ != nullptr) communication_->enter(n.layer, true);
    layer_ = n.layer;
    if (n.frame >= 0 && n.saves && !frames_[static_cast<std::size_t>(n.frame)].filled)
        recompute(n.frame);
    n.outputs.fill({});
    n.run(*this, n);
    // Recomputed tensors belong to the running operation only.
    if (n.frame >= 0) drop_saved(n);
    if (n.finish != nullptr) n.finish(*this, n);
    for (auto& g : n.gradients) {
        release(g.buffer);
        g = {};
    }
    drop_saved(n);
    for (int i = 0; i < n.n_next; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (n.next[at].kind != Edge::Kind::none)
            send(n.next[at], n.outputs[at]);
        else
            release(n.outputs[at].buffer);
    }
}

void Graph::backward(const Var& result, BufferId seed, bool others_wait) {
    on_backward_thread_ = true;
    if (communication_ != nullptr) communication_->begin_backward();
    count_waiting(result.edge());
    auto& root = nodes_[static_cast<std::size_t>(result.edge().index)];
    // torch.autograd.backward keeps the result's own gradient until it returns.
    const bool is_loss = seed == kNoBuffer;
    if (is_loss) seed = allocate(4, Group::backward_temporaries);
    retain(seed);
    root.gradients[0] = {seed, false};
    ready_.assign(1, result.edge().index);
    while (!ready_.empty()) {
        std::pop_heap(ready_.begin(), ready_.end());
        const auto index = ready_.back();
        ready_.pop_back();
        run_node(index);
    }
    layer_ = -1;
    if (communication_ != nullptr) communication_->end_backward();
    if (is_loss) release(seed);
    ++backward_passes_;
    on_backward_thread_ = false;
    if (others_wait) return;
    nodes_.clear();
    frames_.clear();
}

}  // namespace plimsoll::training
