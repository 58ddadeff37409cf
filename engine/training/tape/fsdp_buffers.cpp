#include "engine/training/tape/fsdp_buffers.hpp"

#include <utility>

namespace plimsoll::training {
namespace {

constexpr auto kFsdp = Group::communication;

}  // namespace

FsdpBuffers::FsdpBuffers(Graph& graph, const Layout& layout, const SharedWeights& weights)
    : graph_(graph),
      layout_(layout),
      trained_(weights.trained),
      pipelined_(weights.pipelined),
      first_layer_(weights.first_layer),
      units_(units_of<Unit>(weights.parameters, weights.begin)),
      experts_(units_of<Unit>(weights.parameters, weights.begin, true)),
      by_columns_(layout.cards > weights.experts && layout.expert_cards > 1) {}

void FsdpBuffers::free(BufferId& id) { graph_.release(std::exchange(id, kNoBuffer)); }

void FsdpBuffers::begin_forward() {
    gather(unit(-1));
    copy_out(unit(-1), true);
}

// A model that is only used goes back to its shards, what is outside the layers with it.
void FsdpBuffers::end_forward() {
    enter(-1, false);
    free(last_gathered_);
    if (!trained_ && !keeps()) unit(-1).free_full(graph_);
}

void FsdpBuffers::begin_backward() {
    // What is outside the layers is there already; the last layer is gathered ahead of its turn.
    if (units_.size() > 1) gather(units_.back());
}

// The units outside the layers keep their weights from the start of forward until here: they go
// before the gradients are sent.
void FsdpBuffers::end_backward() {
    enter(-1, true);
    if (pipelined_) return widen(unit(-1));
    for (auto& u : units_) {
        u.free_full(graph_);
        free(u.gathered);
    }
    reduce(unit(-1));
    send_gradients();
}

void FsdpBuffers::send_gradients() {
    free(last_reduced_);
    for (auto* units : {&units_, &experts_})
        for (auto& u : *units) free(u.summed);
}

void FsdpBuffers::reduce_gradients() {
    for (std::size_t i = 0; i < units_.size(); ++i)
        for (auto* unit : {&units_[i], &experts_[i]}) {
            unit->free_full(graph_);
            free(unit->gathered);
            reduce(*unit);
        }
    send_gradients();
}

// What a micro-batch adds is narrow, and the sum is as wide as what is sent.
void FsdpBuffers::widen(Unit& unit) {
    if (layout_.sum_bytes == layout_.compute_bytes) return;
    const bool first = unit.wide.empty();
    for (const auto index : unit.parameters) {
        auto& p = graph_.parameter(index);
        if (p.gradient == kNoBuffer) continue;
        if (first)
            unit.wide.push_back(graph_.allocate(p.elements * layout_.sum_bytes, Group::gradients));
        free(p.gradient);
    }
}

void FsdpBuffers::gather(Unit& unit) {
    if (unit.gathered == kNoBuffer && unit.full.empty() && cards_of(unit) > 1) {
        const auto bytes = unit.gathered_bytes(graph_, layout_);
        unit.gathered = graph_.on_stream(Stream::gather, graph_.allocate(bytes, kFsdp));
        // This card's part comes from the host first.
        if (layout_.offloads_weights) graph_.scratch(bytes / layout_.cards, kFsdp);
    }
}

// In forward, what was gathered before is kept until the next has been copied, because its copy may
// still run.
void FsdpBuffers::copy_out(Unit& unit, bool forward) {
    if (!unit.full.empty()) return;
    unit.allocate_full(graph_, layout_);
    if (unit.of_experts) pass_copies(unit);
    if (forward) {
        free(last_gathered_);
        last_gathered_ = std::exchange(unit.gathered, kNoBuffer);
    }
    free(unit.gathered);
}

// A single card's shard is narrowed before it is copied, and shards of inner dimensions are put
// together in copies.
void FsdpBuffers::pass_copies(const Unit& unit) {
    const bool narrows = cards_of(unit) == 1 && layout_.weight_bytes != layout_.compute_bytes;
    std::vector<BufferId> copies;
    for (const auto id : unit.full)
        if (by_columns_ || (narrows && id == unit.full.back()))
            copies.push_back(graph_.allocate(graph_.bytes(id), kFsdp));
    for (const auto id : copies) graph_.release(id);
}

void FsdpBuffers::cross_experts(int layer, bool enters, Pass pass) {
    auto& unit = experts_[static_cast<std::size_t>(layer - first_layer_ + 1)];
    const bool backward = pass == Pass::backward;
    if (enters) {
        gather(unit);
        return copy_out(unit, !backward);
    }
    if (pass == Pass::again) free(last_gathered_);
    if (backward && pipelined_) return widen(unit);
    if (backward || (pass == Pass::forward && !keeps())) unit.free_full(graph_);
    if (backward) reduce(unit);
}

// Of a neighbour, ahead of its turn. torchtitan asks for that in forward, too, if there are units
// of experts.
void FsdpBuffers::gather_ahead(int layer) {
    if (layer < 0 || layer + 1 >= static_cast<int>(units_.size())) return;
    gather(unit(layer));
    if (auto& experts = experts_[static_cast<std::size_t>(layer + 1)]; experts.of_experts)
        gather(experts);
}

void FsdpBuffers::enter(int layer, bool backward) {
    if (layer >= 0) layer -= first_layer_;
    // A copy of the model may have a single unit.
    if (layer == current_ || layer + 1 >= static_cast<int>(units_.size())) return;
    if (current_ >= 0) {
        auto& left = unit(current_);
        if (backward && pipelined_)
            widen(left);
        else if (backward || !keeps())
            left.free_full(graph_);
        if (backward && !pipelined_) reduce(left);
    }
    current_ = layer;
    if (layer < 0) return;
    gather(unit(layer));
    copy_out(unit(layer), !backward);
    if (backward)
        gather_ahead(layer - 1);
    else if (has_experts())
        gather_ahead(layer + 1);
}

void FsdpBuffers::reduce(Unit& unit) {
    std::int64_t elements = 0;
    for (const auto index : unit.parameters) {
        const auto& p = graph_.parameter(index);
        if (p.gradient != kNoBuffer || !unit.wide.empty())
            elements += layout_.whole(p.elements, p.blocks);
    }
    if (elements == 0) return;
    free(last_reduced_);  // which has been sent by now
    const bool experts = unit.of_experts;
    // The last gradient's own memory goes with the function that copied it.
    BufferId copied = kNoBuffer;
    if (experts && by_columns_)
        copied =
            graph_.allocate(graph_.parameter(unit.parameters.back()).elements *
                                (unit.wide.empty() ? layout_.compute_bytes : layout_.sum_bytes),
                            kFsdp);
    last_reduced_ = graph_.allocate(layout_.padded(elements, experts) * layout_.sum_bytes, kFsdp);
    for (const auto index : unit.parameters) {
        auto& p = graph_.parameter(index);
        if (p.gradient == kNoBuffer && unit.wide.empty()) continue;
        free(p.gradient);
        p.reduced = true;
    }
    for (auto& sum : unit.wide) free(sum);
    unit.wide.clear();
    const auto shards = [&](int width) {
        return graph_.on_stream(
            Stream::reduce,
            graph_.allocate(layout_.shard(elements, experts) * width, Group::gradients));
    };
    BufferId received = shards(layout_.sum_bytes);
    // One card's are divided out of place.
    if (cards_of(unit) == 1)
        graph_.release(
            graph_.on_stream(Stream::reduce, graph_.allocate(elements * layout_.sum_bytes, kFsdp)));
    if (layout_.master_bytes != layout_.sum_bytes) {
        const BufferId wide = shards(layout_.master_bytes);
        drop(unit, std::exchange(received, wide));
    }
    if (unit.gradient == kNoBuffer && !layout_.offloads_optimizer)
        unit.gradient = received;
    else
        drop(unit, received);  // added to what earlier micro-batches left, or sent to the host
    graph_.release(copied);
}

// What the replicas add up stays until the end of the backward pass.
void FsdpBuffers::drop(Unit& unit, BufferId received) {
    if (layout_.replicas > 1 && unit.summed == kNoBuffer)
        unit.summed = received;
    else
        graph_.release(received);
}

void FsdpBuffers::zero_gradients() {
    for (auto* units : {&units_, &experts_})
        for (auto& u : *units) free(u.gradient);
    for (auto& p : graph_.parameters()) p.reduced = false;
}

}  // namespace plimsoll::training
