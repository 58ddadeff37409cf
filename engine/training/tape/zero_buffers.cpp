#include "engine/training/tape/zero_buffers.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::training {
namespace {

constexpr auto kZero = Group::communication;

// Of the tables that a copy beside adapters stands for, only one that a tied head multiplies by is
// used, or that is read without adapters.
std::vector<std::size_t> unused_tables(const std::vector<Parameter>& parameters, bool tied) {
    const bool head_is_copied = std::ranges::any_of(
        parameters, [](const auto& p) { return p.copied && p.part == Part::head; });
    std::vector<std::size_t> unused;
    for (std::size_t i = 0; i + 1 < parameters.size(); ++i) {
        const auto &p = parameters[i], &next = parameters[i + 1];
        const bool replaced = next.copied && next.elements == p.elements;
        if (replaced && (p.part == Part::head || !tied || head_is_copied)) unused.push_back(i);
    }
    return unused;
}

}  // namespace

ZeroBuffers::ZeroBuffers(Graph& graph, const Layout& layout, const SharedWeights& weights)
    : graph_(graph),
      layout_(layout),
      trains_(weights.trained),
      units_(units_of<ShardedUnit>(weights.parameters, weights.begin)) {
    for (const auto& p : weights.parameters) {
        if (!p.trainable || !trains_) continue;
        trained_.push_back(p.elements);
        trainable_ += p.elements;
        largest_ = std::max(largest_, p.elements);
    }
    auto& outside = unit(-1).parameters;
    if (!graph.settings().uses_reference())
        for (const auto i : unused_tables(weights.parameters, weights.tied))
            std::erase(outside, weights.begin + static_cast<int>(i));
    for (std::size_t at = 0; !weights.tied && at < outside.size(); ++at) {
        const auto index = static_cast<std::size_t>(outside[at] - weights.begin);
        if (weights.parameters[index].part == Part::embeddings) embeddings_.push_back(at);
    }
}

void ZeroBuffers::free(BufferId& id) { graph_.release(std::exchange(id, kNoBuffer)); }

std::int64_t ZeroBuffers::bucket_elements() const { return layout_.bucket_elements(trainable_); }

// Stages 1 and 2 cut the weights, laid end to end, into equal parts, but copy a gradient that lies
// in two of them whole for each. Of the card with the most.
std::int64_t ZeroBuffers::own_elements() const {
    const auto part = layout_.shard(trainable_);
    std::int64_t max = 0, own = 0, at = 0, last = 0;
    for (const auto elements : trained_) {
        own += elements;
        max = std::max(max, own);
        at += elements;
        if (at / part > last) {
            last = at / part;
            own = at % part > 0 ? elements : 0;
        }
    }
    return std::max(max, part);
}

void ZeroBuffers::setup() {
    for (const auto& u : units_) bytes_ += u.bytes(graph_, layout_);
    if (layout_.offloads_optimizer) {
        // ZeRO-1 and 2 send gradients to the host through a buffer of the largest one.
        if (!gathers()) graph_.allocate(largest_ * layout_.compute_bytes, kZero);
    } else {
        graph_.allocate(layout_.shard(trainable_) * layout_.master_bytes, Group::optimizer);
    }
    if (!gathers()) return;
    graph_.allocate(bucket_elements() * layout_.compute_bytes, kZero);
    if (!layout_.offloads_optimizer)
        graph_.allocate(layout_.shard(trainable_) * layout_.compute_bytes, Group::gradients);
}

void ZeroBuffers::begin_forward() {
    if (!gathers() || live_ != kNoBuffer) return;
    if (gathers_in_turn())
        live_ = graph_.allocate((kMaxLive + kPrefetched) * layout_.compute_bytes, kZero);
    else
        fetch(units_.begin());
}

void ZeroBuffers::end_forward() {
    if (trains_) return;
    enter(-1, false);
    for (auto& u : units_) u.free_full(graph_);
    free(arriving_);
}

// Weights arrive in one buffer, with those that are used next, and are copied out of it. It stays
// until the last of them are used.
void ZeroBuffers::fetch(Units::iterator first) {
    std::int64_t bytes = first->bytes(graph_, layout_);
    auto last = first + 1;
    for (; last != units_.end(); ++last) {
        const auto more = last->bytes(graph_, layout_);
        if (bytes + more > kPrefetched * layout_.compute_bytes) break;
        bytes += more;
    }
    const BufferId next = graph_.allocate(bytes, kZero);
    for (auto unit = first; unit != last; ++unit)
        if (unit->full.empty()) unit->allocate_full(graph_, layout_);
    free(arriving_);
    arriving_ = next;
}

void ZeroBuffers::enter(int layer, bool backward) {
    if (!gathers() || gathers_in_turn() || layer == current_) return;
    if (backward && current_ >= 0) unit(current_).free_full(graph_);
    if (!backward && !(trains_ && graph_.needs_gradients())) release_unused();
    const bool after_last = current_ + 2 == static_cast<int>(units_.size());
    current_ = layer;
    if (layer < 0 && after_last && !backward) free(arriving_);  // the head's are the last
    if (layer < 0 || !unit(layer).full.empty()) return;
    fetch(units_.begin() + layer + 1);
}

// Of what has just run, DeepSpeed releases what its trace of the step does not use again: below the
// first trained weight, there is no backward pass.
void ZeroBuffers::release_unused() {
    if (current_ >= 0) return unit(current_).free_full(graph_);
    auto& first = unit(-1).full;
    for (const auto at : embeddings_)
        if (at < first.size()) free(first[at]);
}

void ZeroBuffers::begin_backward() {
    free(arriving_);
    ++micro_;
}

// A gradient is copied into the bucket, unless it is larger.
void ZeroBuffers::fill(GraphParameter& p) {
    if (filled_ + p.elements > bucket_elements()) reduce();
    filled_ += p.elements;
    widest_ = std::max(widest_, p.elements);
    if (p.elements > bucket_elements()) {
        waiting_.push_back(static_cast<int>(&p - graph_.parameters().data()));
        return;
    }
    free(p.gradient);
    p.reduced = true;
}

void ZeroBuffers::reduce() {
    if (filled_ == 0) return;
    const BufferId sent = graph_.allocate(std::exchange(filled_, 0) * layout_.compute_bytes, kZero);
    if (!gathers()) graph_.release(sent);
    if (layout_.offloads_optimizer) send_to_host(std::exchange(widest_, 0));
    if (gathers()) graph_.release(sent);
    keep_own();
    for (const auto index : std::exchange(waiting_, {})) {
        free(graph_.parameter(index).gradient);
        graph_.parameter(index).reduced = true;
    }
}

// Stage 3 adds to what lies on the host by a copy on the card. The norms of a step's gradients are
// sums of doubles, one parameter after the other.
void ZeroBuffers::send_to_host(std::int64_t widest) {
    const auto part = std::min(widest, layout_.shard(gathers() ? widest : trainable_));
    const auto copied = gathers() ? layout_.compute_bytes : 0;
    graph_.scratch(part * (copied + (is_last() ? 8 : 0)), kZero);
}

void ZeroBuffers::keep_own() {
    if (!gathers() && !layout_.offloads_optimizer && own_ == kNoBuffer)
        own_ = graph_.allocate(own_elements() * layout_.compute_bytes, Group::gradients);
}

// The first gradient makes the bucket: what the loss and the head allocate has been freed by then.
void ZeroBuffers::arrived(GraphParameter& p) {
    if (!gathers() && bucket_ == kNoBuffer)
        bucket_ = graph_.allocate(bucket_elements() * layout_.compute_bytes, kZero);
    if (layout_.shards_gradients) fill(p);
}

// Stage 1 sends the whole gradients of all micro-batches at the last one's end. Until then its
// bucket stays.
void ZeroBuffers::end_backward() {
    enter(-1, true);
    free(live_);
    if (!layout_.shards_gradients && !is_last()) return;
    if (!layout_.shards_gradients)
        for (auto& p : graph_.parameters())
            if (p.gradient != kNoBuffer && !p.leaf) fill(p);
    reduce();
    // The embeddings stay until here: their inputs need no gradient that would say when they end.
    for (auto& u : units_) u.free_full(graph_);
    free(arriving_);
    if (kept_ == kNoBuffer)
        kept_ = std::exchange(own_, kNoBuffer);
    else
        free(own_);  // added
    free(bucket_);
    if (is_last()) micro_ = 0;
}

void ZeroBuffers::begin_update() {
    if (layout_.offloads_optimizer) return;
    // Norms are sums of doubles.
    graph_.scratch(8 * std::min(largest_, layout_.shard(gathers() ? largest_ : trainable_)),
                   Group::optimizer_temporaries);
    auto elements = layout_.shard(trainable_);
    if (gathers()) elements = std::min(elements, kMaxUpdated);
    const BufferId flat =
        graph_.allocate(elements * layout_.compute_bytes, Group::optimizer_temporaries);
    if (!layout_.mixed) {
        update_ = flat;
    } else {
        update_ = graph_.allocate(elements * layout_.master_bytes, Group::optimizer_temporaries);
        graph_.release(flat);
    }
    free(kept_);
}

void ZeroBuffers::end_update() { free(update_); }

void ZeroBuffers::zero_gradients() {
    free(kept_);
    for (auto& p : graph_.parameters()) p.reduced = false;
}

}  // namespace plimsoll::training
