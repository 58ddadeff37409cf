#include "engine/training/tape/operations/operations.hpp"

// What flash-attn 2.8 allocates (csrc/flash_attn/flash_api.cpp) and keeps
// (flash_attn_interface.py).

namespace plimsoll::training {
namespace {

std::int64_t rounded_up(std::int64_t n, std::int64_t to_multiple) {
    return (n + to_multiple - 1) / to_multiple * to_multiple;
}

// size: rows of q, of k, heads, heads of k, head size, elements of either sum by row. Sums of q's
// gradient stand in fp32; grouped heads get gradients of their own first.
void flash_attention_backward(Graph& g, Node& n) {
    const auto [queries, keys, heads, kv_heads, width, sum_rows_of] = n.size;
    const std::array<std::int64_t, 3> elements{queries * heads * width, keys * kv_heads * width,
                                               keys * kv_heads * width};
    for (int i = 0; i < 3; ++i)
        Graph::output(n, i, g.allocate(elements[static_cast<std::size_t>(i)] * 2, kBackward), true);
    const std::int64_t padded_width = width <= 192 ? rounded_up(width, 32) : 256;
    const BufferId sums = g.allocate(4 * heads * sum_rows_of, kBackward);
    const BufferId dq = g.allocate(4 * heads * sum_rows_of * padded_width, kBackward);
    BufferId dk = kNoBuffer, dv = kNoBuffer;
    if (kv_heads != heads) {
        dk = g.allocate(2 * keys * heads * width, kBackward);
        dv = g.allocate(2 * keys * heads * width, kBackward);
    }
    for (const auto id : {dv, dk, dq, sums}) g.release(id);
    for (int i = 0; i < 3; ++i) {
        auto& out = n.outputs[static_cast<std::size_t>(i)];
        if (n.wants(i)) continue;
        g.release(out.buffer);
        out = {};
    }
}

}  // namespace

Var flash_attention(Graph& g, const Var& given_q, const Var& given_k, const Var& given_v,
                    const AttentionShape& s) {
    constexpr auto group = Group::attention;
    Var q = given_q, k = given_k, v = given_v, indices;
    if (s.mask) {  // transformers takes the padding out and puts it back
        indices = g.make(s.batch * s.keys, Dtype::int64, group);
        k = pick_rows(g, k, k.elements(), group);
        v = pick_rows(g, v, v.elements(), group);
        q = pick_rows(g, q, q.elements(), group);
    }
    const bool by_lengths = s.mask || g.settings().packed;
    const std::int64_t rows = s.batch * s.queries;
    const std::int64_t texts = g.settings().packed ? g.settings().batch : s.batch;
    Var lengths;  // those of a packed row come with the batch
    if (s.mask) lengths = g.make((texts + 2) / 2, Dtype::int64, group);  // int32
    Var out = g.make(q.elements(), Dtype::half, group);
    const Var statistics = g.make(rows * s.heads, Dtype::fp32, Group::attention_scores);
    const Var random = g.make(2, Dtype::int64, group);
    const double flops = 4.0 * static_cast<double>(rows * s.heads) *
                         static_cast<double>(s.head_dim) *
                         static_cast<double>(g.settings().packed ? g.settings().sequence : s.keys);
    g.count_flops(3.5 * flops);
    Node* n = g.node(flash_attention_backward, {q.edge(), k.edge(), v.edge()}, Dtype::half, group);
    if (n == nullptr) return out;
    // By lengths, every text's sums begin at a multiple of 128.
    const std::int64_t summed =
        by_lengths ? rows + 128 * texts : s.batch * rounded_up(s.queries, 128);
    n->size = {rows, s.batch * s.keys, s.heads, s.kv_heads, s.head_dim, summed};
    for (const Var& kept : {q, k, v, out, statistics, random}) g.save(n, kept);
    if (lengths) g.save(n, lengths);
    out = out.alias(out.elements(), g.edge_to(n));
    g.sealed(n);
    return s.mask ? pick_rows(g, out, out.elements(), group) : out;
}

}  // namespace plimsoll::training
