#include "engine/training/tape/operations/attention_kernels.hpp"

// Attention of a card's part of a text to all of it, as PyTorch 2.11's context_parallel computes it
// (torch.distributed.tensor.experimental, _context_parallel/_attention.py) with its defaults: keys
// and values are gathered, results of parts are merged in fp32, and every card has one part from
// the front of the text and one from its back, for balance.

namespace plimsoll::training {
namespace {

struct Ring {
    SdpaKernel kernel;
    AttentionSizes whole;  // of this card's part of the text
    Dtype dtype;
    int cards;
    int rank;

    std::int64_t width() const { return bytes_of(dtype); }
    std::int64_t queries() const { return whole.pairs * whole.queries * whole.head_dim; }
    std::int64_t keys() const { return whole.kv_pairs * whole.keys * whole.head_dim; }
    // Parts of cards before this one are seen by all queries, but only their front; others by the
    // queries of the back.
    bool by_half_of_queries(int step) const { return step > rank; }
    AttentionSizes at(int step) const {
        auto s = whole;
        if (by_half_of_queries(step))
            s.queries /= 2;
        else if (step > 0)
            s.keys /= 2;
        return s;
    }
};

// The card with most to hold: it has steps of both kinds, and with two cards those of half of the
// queries, whose gradients are copied.
Ring ring_of(const Graph& g, SdpaKernel kernel, const AttentionSizes& whole, Dtype dtype) {
    const int cards = g.settings().parallel.context;
    return {kernel, whole, dtype, cards, (cards - 1) / 2};
}

// One buffer in place of another, which lives until the new one does.
void replace(Graph& g, BufferId& held, std::int64_t bytes) {
    const BufferId made = g.allocate(bytes, kBackward);
    g.release(held);
    held = made;
}

void take(Graph& g, BufferId& held, BufferId other) {
    g.release(held);
    held = other;
}

class Backward {
  public:
    Backward(Graph& g, const Ring& ring) : g_(g), r_(ring) {}

    void run(Node& n) {
        const auto wide = 4 * r_.keys();
        BufferId dq = g_.allocate(4 * r_.queries(), kBackward);
        dk_ = g_.allocate(wide, kBackward);
        dv_ = g_.allocate(wide, kBackward);
        key_ = g_.allocate(r_.keys() * r_.width(), kBackward);
        value_ = g_.allocate(r_.keys() * r_.width(), kBackward);
        for (int step = 0; step < r_.cards; ++step) {
            if (step == 1) drop({&key_, &value_});
            if (step + 1 < r_.cards) replace(g_, joined_, 2 * r_.keys() * r_.width());
            if (step == 0)
                gathered_ = g_.allocate(2 * r_.keys() * r_.width() * r_.cards, kBackward);
            attend(step);
            if (step > 0) add_received(step);
            replace(g_, joined_sums_, 2 * wide);
            replace(g_, received_, 2 * wide);
            if (r_.by_half_of_queries(step)) replace(g_, dq, 4 * r_.queries());
        }
        if (r_.dtype != Dtype::fp32) {
            replace(g_, dq, r_.queries() * r_.width());
            replace(g_, received_, 2 * r_.keys() * r_.width());
        }
        drop({&dk_, &dv_, &joined_, &gathered_, &joined_sums_, &part_q_, &part_k_, &part_v_});
        Graph::output(n, 0, dq, true);
        g_.retain(received_);
        Graph::output(n, 1, received_, true);
        Graph::output(n, 2, received_, true);
    }

  private:
    void drop(std::initializer_list<BufferId*> buffers) {
        for (auto* id : buffers) take(g_, *id, kNoBuffer);
    }

    // The gradients of the step before keep their names until these are there.
    void attend(int step) {
        const auto s = r_.at(step);
        const auto width = r_.width();
        const BufferId q = g_.allocate(s.pairs * s.queries * s.head_dim * width, kBackward);
        const BufferId k = g_.allocate(s.kv_pairs * s.keys * s.head_dim * width, kBackward);
        const BufferId v = g_.allocate(s.kv_pairs * s.keys * s.head_dim * width, kBackward);
        attention_scratch(g_, r_.kernel, s, r_.dtype);
        g_.count_flops(2.5 * attention_flops(s));
        take(g_, part_q_, q);
        take(g_, part_k_, k);
        take(g_, part_v_, v);
    }

    // Sums that the card before sent: both are parts of what was received, or copies with this
    // step's added to the front.
    void add_received(int step) {
        drop({&joined_sums_, &dk_, &dv_});
        if (r_.by_half_of_queries(step)) {
            g_.retain(received_);
            dk_ = received_;
        } else {
            dk_ = g_.allocate(4 * r_.keys(), kBackward);
            dv_ = g_.allocate(4 * r_.keys(), kBackward);
        }
    }

    Graph& g_;
    Ring r_;
    BufferId dk_ = kNoBuffer, dv_ = kNoBuffer;
    BufferId key_ = kNoBuffer, value_ = kNoBuffer;
    BufferId joined_ = kNoBuffer, gathered_ = kNoBuffer;
    BufferId joined_sums_ = kNoBuffer, received_ = kNoBuffer;
    BufferId part_q_ = kNoBuffer, part_k_ = kNoBuffer, part_v_ = kNoBuffer;
};

void ring_backward(Graph& g, Node& n) {
    const AttentionSizes s{n.size[0], n.size[1], n.size[2], n.size[3], n.size[4], n.size[3]};
    Backward(g, ring_of(g, static_cast<SdpaKernel>(n.size[5]), s, n.dtype)).run(n);
}

// What was computed of the text's parts so far, and its logarithms of sums.
struct Merged {
    Var out, sums;
};

// Its names are those of the Python code: what they hold ends when they are bound again.
void merge(Graph& g, Merged& so_far, const Var& block, bool half) {
    constexpr auto group = Group::attention;
    const auto like = [&](const Var& x) { return g.make(x.elements(), Dtype::fp32, group); };
    const std::int64_t sums = so_far.sums.elements() / (half ? 2 : 1);
    Var out;
    {
        Var product;
        {
            const Var share = g.make(sums, Dtype::fp32, group);
            const Var difference = like(block);
            product = like(block);
        }
        out = like(block);
    }
    Var sum = g.make(sums, Dtype::fp32, group);
    if (half) {
        so_far.sums = like(so_far.sums);
        so_far.out = like(so_far.out);
    } else {
        so_far.sums = std::move(sum);
        so_far.out = std::move(out);
    }
}

Var run_forward(Graph& g, const Ring& r, Var& sums) {
    constexpr auto group = Group::attention;
    Var key = g.make(r.keys(), r.dtype, group);
    Var value = g.make(r.keys(), r.dtype, group);
    Var gathered, block, block_sums;
    Merged merged;
    for (int step = 0; step < r.cards; ++step) {
        if (step == 1) {
            key.reset();
            value.reset();
        }
        if (step + 1 < r.cards) {
            const Var joined = g.make(2 * r.keys(), r.dtype, group);
            if (step == 0) gathered = g.make(2 * r.keys() * r.cards, r.dtype, group);
        }
        const auto s = r.at(step);
        g.count_flops(attention_flops(s));
        block = g.make(s.pairs * s.queries * s.head_dim, r.dtype, group);
        block_sums = g.make(s.pairs * s.queries, Dtype::fp32, Group::attention_scores);
        const Var wide = to(g, block, Dtype::fp32, group);
        if (step == 0)
            merged = {wide, block_sums};
        else
            merge(g, merged, wide, r.by_half_of_queries(step));
    }
    sums = merged.sums;
    return to(g, merged.out, r.dtype, group);
}

}  // namespace

Var ring_attention(Graph& g, const Var& q, const Var& k, const Var& v, const AttentionShape& shape,
                   SdpaKernel kernel) {
    const AttentionSizes s{shape.batch * shape.heads,    shape.queries, shape.keys, shape.head_dim,
                           shape.batch * shape.kv_heads, shape.head_dim};
    Var sums;
    const bool records = g.set_recording(false);
    Var out = run_forward(g, ring_of(g, kernel, s, q.dtype()), sums);
    g.set_recording(records);
    Node* n = g.node(ring_backward, {q.edge(), k.edge(), v.edge()}, q.dtype(), Group::attention);
    if (n == nullptr) return out;
    n->size = {s.pairs, s.queries, s.keys, s.head_dim, s.kv_pairs, static_cast<int>(kernel)};
    g.save(n, q);
    g.save(n, k);
    g.save(n, v);
    g.save(n, out);
    g.save(n, sums);
    out = out.alias(out.elements(), g.edge_to(n));
    g.sealed(n);
    return out;
}

}  // namespace plimsoll::training
