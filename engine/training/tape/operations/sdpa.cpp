#include "engine/training/tape/operations/attention_kernels.hpp"

#include <utility>

namespace plimsoll::training {
namespace {

using Sizes = AttentionSizes;

std::int64_t round_up(std::int64_t n, std::int64_t to_multiple) {
    return (n + to_multiple - 1) / to_multiple * to_multiple;
}

Sizes sizes_of(const Node& n) {
    return {n.size[0], n.size[1], n.size[2], n.size[3], n.size[4], n.size[5]};
}

double flops_of(const Sizes& s) {
    return 2.0 * static_cast<double>(s.pairs) * static_cast<double>(s.queries) *
           static_cast<double>(s.keys) * static_cast<double>(s.head_dim + s.value_dim);
}

// Gradients of q, k, v; they leave as transposed views.
void qkv_gradients(Graph& g, Node& n, const Sizes& s) {
    const std::int64_t width = bytes_of(n.dtype);
    const std::array<std::int64_t, 3> bytes{s.pairs * s.queries * s.head_dim * width,
                                            s.kv_pairs * s.keys * s.head_dim * width,
                                            s.kv_pairs * s.keys * s.value_dim * width};
    for (int i = 0; i < 3; ++i)
        Graph::output(n, i, g.allocate(bytes[static_cast<std::size_t>(i)], kBackward), true);
    g.count_flops(2.5 * flops_of(s));  // five products instead of two
}

// Outputs of edges without a consumer are freed with the kernel's other results.
void drop_unwanted(Graph& g, Node& n) {
    for (int i = 0; i < 3; ++i) {
        auto& out = n.outputs[static_cast<std::size_t>(i)];
        if (n.wants(i)) continue;
        g.release(out.buffer);
        out = {};
    }
}

// Workspace of cuDNN's graph: row sums, an fp32 accumulator of dq, and k, v gradients of every
// query head where heads are grouped (cudnn-frontend, composite SDPA backward). cuDNN's engine may
// ask for more; not measured.
void cudnn_scratch(Graph& g, const Sizes& s) {
    std::int64_t bytes = 4 * s.pairs * s.queries * (1 + s.head_dim);
    if (s.kv_pairs != s.pairs) bytes += 2 * 2 * s.pairs * s.keys * s.head_dim;
    g.scratch(bytes, kBackward);
}

void cudnn_backward(Graph& g, Node& n) {
    const auto s = sizes_of(n);
    qkv_gradients(g, n, s);
    cudnn_scratch(g, s);
    drop_unwanted(g, n);
}

void flash_scratch(Graph& g, const Sizes& s) {
    const std::int64_t rows = round_up(s.queries, 128);
    const BufferId sums = g.allocate(4 * s.pairs * rows, kBackward);
    const BufferId dq = g.allocate(4 * s.pairs * rows * round_up(s.head_dim, 32), kBackward);
    BufferId expanded = kNoBuffer;
    if (s.kv_pairs != s.pairs)
        expanded = g.allocate(2 * 2 * s.pairs * s.keys * s.head_dim, kBackward);
    g.release(expanded);
    g.release(dq);
    g.release(sums);
}

void flash_backward(Graph& g, Node& n) {
    const auto s = sizes_of(n);
    qkv_gradients(g, n, s);
    flash_scratch(g, s);
    drop_unwanted(g, n);
}

// fp32 computes grad * out and its row sums with ordinary kernels, half in one of its own.
BufferId efficient_sums(Graph& g, const Sizes& s, Dtype dtype) {
    const std::int64_t sums = 4 * s.pairs * s.queries;
    if (dtype != Dtype::fp32) return g.allocate(sums, kBackward);
    const BufferId product = g.allocate(4 * s.pairs * s.queries * s.value_dim, kBackward);
    const BufferId reduced = g.allocate(sums, kBackward);
    const BufferId delta = g.allocate(sums, kBackward);
    g.release(reduced);
    g.release(product);
    return delta;
}

void efficient_scratch(Graph& g, const Sizes& s) {
    const std::int64_t blocks = (s.keys + 63) / 64;
    g.scratch(s.pairs * (blocks * 64 * round_up(s.head_dim, 64) * 4 + 16 * blocks), kBackward);
}

void efficient_backward(Graph& g, Node& n) {
    const auto s = sizes_of(n);
    qkv_gradients(g, n, s);
    const BufferId delta = efficient_sums(g, s, n.dtype);
    BufferId bias = kNoBuffer;
    if (n.wants(3))
        bias =
            g.allocate(s.pairs * s.queries * round_up(s.keys, 16) * bytes_of(n.dtype), kBackward);
    Graph::output(n, 3, bias, true);
    efficient_scratch(g, s);
    g.release(delta);
    drop_unwanted(g, n);
}

void sum_groups_backward(Graph& g, Node& n) {  // repeated heads: gradients summed per group
    Graph::output(n, 0, g.allocate(n.size[0] * bytes_of(n.dtype), kBackward));
}

void pass_on(Graph& g, Node& n) {
    g.retain(n.gradients[0].buffer);
    Graph::output(n, 0, n.gradients[0].buffer, true);
}

// One bias for all texts: what comes back for each is summed.
void repeated_backward(Graph& g, Node& n) {
    if (n.size[1] > n.size[0])
        Graph::output(n, 0, sum_rows(g, n.size[1] / n.size[0], n.size[0], n.dtype, kBackward));
    else
        pass_on(g, n);
}

// The bias as the fused kernels take it: in q's type, rows padded to a multiple of eight, repeated
// for every text by a view.
Var prepared_bias(Graph& g, const Var& bias, Dtype dtype, const AttentionShape& shape) {
    constexpr auto group = Group::attention_scores;
    Var y = to(g, bias, dtype, group);
    const std::int64_t rows = y.elements() / shape.keys;
    if (shape.keys % 8 != 0) {
        Var padded = g.make(rows * round_up(shape.keys, 8), dtype, group);
        Node* n = g.node(sum_groups_backward, {y.edge()}, dtype, group);
        if (n != nullptr) n->size[0] = y.elements();
        y = padded.alias(y.elements(), g.edge_to(n));
    }
    Node* n = g.node(repeated_backward, {y.edge()}, dtype, group);
    if (n == nullptr) return y;
    n->size = {y.elements(), shape.batch * shape.heads * shape.queries * shape.keys};
    return y.alias(y.elements(), g.edge_to(n));
}

Var fused(Graph& g, const Var& q, const Var& k, const Var& v, const AttentionShape& shape,
          SdpaKernel kernel, const Var& bias) {
    constexpr auto group = Group::attention;
    const std::int64_t pairs = shape.batch * shape.heads;
    Var mask;
    if (bias)
        mask = prepared_bias(g, bias, q.dtype(), shape);
    else if (shape.mask)  // the boolean mask becomes an additive one of q's type
        mask = g.make(shape.batch * shape.queries * round_up(shape.keys, 8), q.dtype(),
                      Group::attention_scores);
    Var seed, offset, statistics;  // generators of the memory-efficient kernel lie in host memory
    const std::int64_t rows =
        kernel == SdpaKernel::efficient ? round_up(shape.queries, 32) : shape.queries;
    if (kernel == SdpaKernel::cudnn) {
        seed = g.make_kept(1, Dtype::int64, group);
        offset = g.make_kept(1, Dtype::int64, group);
        statistics = g.make_kept(pairs * rows, Dtype::fp32, Group::attention_scores);
    }
    Var out = g.make_kept(pairs * shape.queries * shape.value_width(), q.dtype(), group);
    if (kernel != SdpaKernel::cudnn)
        statistics = g.make_kept(pairs * rows, Dtype::fp32, Group::attention_scores);
    if (kernel == SdpaKernel::flash) {
        seed = g.make_kept(2, Dtype::int64, group);
        offset = g.make_kept(1, Dtype::int64, group);  // not used by the kernel, kept all the same
    }

    const Node::Run run = kernel == SdpaKernel::cudnn   ? cudnn_backward
                          : kernel == SdpaKernel::flash ? flash_backward
                                                        : efficient_backward;
    Node* n = g.node(run, {q.edge(), k.edge(), v.edge(), mask.edge()}, q.dtype(), group);
    const Sizes s{pairs,
                  shape.queries,
                  shape.keys,
                  shape.head_dim,
                  shape.batch * shape.kv_heads,
                  shape.value_width()};
    g.count_flops(flops_of(s));
    if (n == nullptr) return out;
    n->size = {s.pairs, s.queries, s.keys, s.head_dim, s.kv_pairs, s.value_dim};
    g.save(n, q);
    g.save(n, k);
    g.save(n, v);
    g.save(n, out);
    g.save(n, statistics);
    if (seed) g.save(n, seed);
    if (offset) g.save(n, offset);
    if (mask) g.save(n, mask);
    out = out.alias(out.elements(), g.edge_to(n));
    g.sealed(n);
    return out;
}

}  // namespace

double attention_flops(const AttentionSizes& s) { return flops_of(s); }

void attention_scratch(Graph& g, SdpaKernel kernel, const AttentionSizes& s, Dtype dtype) {
    if (kernel == SdpaKernel::cudnn) return cudnn_scratch(g, s);
    if (kernel == SdpaKernel::flash) return flash_scratch(g, s);
    const BufferId delta = efficient_sums(g, s, dtype);
    efficient_scratch(g, s);
    g.release(delta);
}

Var repeat_heads(Graph& g, const Var& x, std::int64_t times) {
    if (times == 1) return x;
    Var y = g.make(x.elements() * times, x.dtype(), Group::attention);
    Node* n = g.node(sum_groups_backward, {x.edge()}, x.dtype(), Group::attention);
    if (n == nullptr) return y;
    n->size[0] = x.elements();
    return y.alias(y.elements(), g.edge_to(n));
}

Var repeat_kv(Graph& g, const Var& x, const AttentionShape& shape) {
    const std::int64_t times = shape.heads / shape.kv_heads;
    if (times == 1 || shape.kv_heads > 1) return repeat_heads(g, x, times);
    Node* n = g.node(sum_groups_backward, {x.edge()}, x.dtype(), Group::attention);
    if (n == nullptr) return x.alias(x.elements() * times, {});
    n->size[0] = x.elements();
    return x.alias(x.elements() * times, g.edge_to(n));
}

namespace {

// _scaled_dot_product_attention_math: scaled q and k, scores, safe softmax, values. Half inputs are
// computed in fp32 (allow_fp16_bf16_reduction_math_sdp is off by default).
Var math_attention(Graph& g, const Var& q, const Var& k, const Var& v, const AttentionShape& s,
                   const Var& given_bias) {
    constexpr auto group = Group::attention;
    constexpr auto scores_group = Group::attention_scores;
    const std::int64_t pairs = s.batch * s.heads;
    const std::int64_t times = s.heads / s.kv_heads;
    const Var wide_q = to(g, q, Dtype::fp32, group);
    const Var wide_k = to(g, k, Dtype::fp32, group);
    const Var wide_v = to(g, v, Dtype::fp32, group);
    const Var scaled_q = scale(g, wide_q, group);
    Var bias;
    if (given_bias) {
        bias = to(g, to(g, given_bias, q.dtype(), scores_group), Dtype::fp32, scores_group);
    } else if (s.causal) {
        const Var ones = g.make(s.queries * s.keys, Dtype::boolean, scores_group);
        const Var triangle = g.make(s.queries * s.keys, Dtype::boolean, scores_group);
        bias = g.make(s.queries * s.keys, Dtype::fp32, scores_group);
    }
    const Var keys = repeat_heads(g, wide_k, times);
    const Var values = repeat_heads(g, wide_v, times);
    // Repeated heads lie one after the other; others are views of rows, copied for the product.
    const auto by_heads = [&](const Var& x) { return times > 1 ? x : copy(g, x, false, group); };
    Var scores;
    {
        const Var scaled_k = scale(g, keys, group);
        const Var q_rows = copy(g, scaled_q, false, group);
        scores =
            bmm(g, q_rows, by_heads(scaled_k), pairs, s.queries, s.head_dim, s.keys, scores_group);
        if (given_bias) scores = add_in_place(g, scores, bias);
    }
    {
        const Var raw = scores;
        scores = softmax(g, raw, scores_group);
        g.scratch(scores.elements(), scores_group);  // rows that are all -inf
    }
    scores = dropout(g, scores, s.dropout, scores_group);
    const Var weights = to(g, scores, q.dtype(), scores_group);  // the second result, not used
    const Var context =
        bmm(g, scores, by_heads(values), pairs, s.queries, s.keys, s.value_width(), group);
    return to(g, context, q.dtype(), group);
}

}  // namespace

// Priorities of PyTorch 2.11 (sdp_utils.cpp): cuDNN on Hopper and data-centre Blackwell, flash on
// Ampere and later without a mask, then memory-efficient; fp32 with grouped heads, and bf16 before
// Ampere, are left with the plain composition.
SdpaKernel choose_sdpa(const TrainingSettings& settings, const TapeDevice& device, Dtype dtype,
                       const AttentionShape& shape) {
    const bool grouped = shape.kv_heads != shape.heads;
    if (settings.sdpa != SdpaKernel::automatic) return settings.sdpa;
    const int cc = device.compute_capability;
    if (dtype == Dtype::half) {
        const bool bf16 =
            settings.precision == Precision::bf16 || settings.precision == Precision::bf16_autocast;
        if (cc < 80) return bf16 || cc < 50 || grouped ? SdpaKernel::math : SdpaKernel::efficient;
        const bool data_centre = cc >= 90 && cc < 110;
        if (data_centre && !shape.trained_bias) return SdpaKernel::cudnn;
        const bool even = shape.value_width() == shape.head_dim;
        if (even && !shape.mask && !shape.biased) return SdpaKernel::flash;
    }
    return grouped ? SdpaKernel::math : SdpaKernel::efficient;
}

Var sdpa(Graph& g, const Var& q, const Var& k, const Var& v, const AttentionShape& shape,
         const Var& bias) {
    const auto kernel = choose_sdpa(g.settings(), g.device(), q.dtype(), shape);
    if (g.settings().parallel.context > 1) return ring_attention(g, q, k, v, shape, kernel);
    if (kernel == SdpaKernel::math) return math_attention(g, q, k, v, shape, bias);
    return fused(g, q, k, v, shape, kernel, bias);
}

namespace {

// x - max(x): the places of the largest are kept, their gradients scattered.
void lowered_backward(Graph& g, Node& n) {
    const std::int64_t bytes = n.size[0] * bytes_of(n.dtype);
    g.scratch(bytes, kBackward);
    Graph::output(n, 0, g.allocate(bytes, kBackward));
}

// A score of each head that no token gets takes its share of the probabilities.
Var with_sinks(Graph& g, Var scores, const Var& sinks, const AttentionShape& s) {
    constexpr auto group = Group::attention_scores;
    const std::int64_t rows = s.batch * s.heads * s.queries;
    const Var joined = concatenate(g, scores, expand(g, sinks, rows), group);
    scores.reset();
    const Var places = g.make(rows, Dtype::int64, group);
    Var y = g.make(joined.elements(), joined.dtype(), group);
    Node* n = g.node(lowered_backward, {joined.edge()}, joined.dtype(), group);
    if (n == nullptr) return y;
    n->size[0] = joined.elements();
    g.save(n, places);
    y = y.alias(y.elements(), g.edge_to(n));
    g.sealed(n);
    return y;
}

}  // namespace

Var eager_attention(Graph& g, const Var& q, const Var& k, const Var& v, const Var& bias,
                    const AttentionShape& s, Probabilities probabilities, Var& weights,
                    const Var& mask, const Var& sinks) {
    constexpr auto group = Group::attention;
    constexpr auto scores_group = Group::attention_scores;
    const std::int64_t pairs = s.batch * s.heads;
    const Dtype dtype = q.dtype();
    const Var keys = repeat_kv(g, k, s);
    const Var values = repeat_kv(g, v, s);
    // Heads of a single text lie as the product takes them.
    const auto rows = [&](const Var& x) { return s.batch == 1 ? x : copy(g, x, false, group); };
    Var scores;
    {
        const Var q_rows = rows(q);
        const Var k_rows = rows(keys);
        scores = bmm(g, q_rows, k_rows, pairs, s.queries, s.head_dim, s.keys, scores_group);
    }
    scores = scale(g, scores, scores_group);
    if (s.capped) scores = cap(g, std::move(scores), scores_group);
    if (bias) scores = add(g, scores, bias, scores_group);
    if (mask) scores = add(g, scores, mask, scores_group);
    if (sinks) scores = with_sinks(g, std::move(scores), sinks, s);
    if (probabilities == Probabilities::fp32_softmax)
        scores = to(g, scores, Dtype::fp32, scores_group);
    scores = softmax(g, scores, scores_group);
    if (sinks) scores = slice(g, scores, pairs * s.queries * s.keys);
    if (probabilities != Probabilities::after_dropout) scores = to(g, scores, dtype, scores_group);
    scores = dropout(g, scores, s.dropout, scores_group);
    weights = scores;
    const Var half = to(g, scores, dtype, scores_group);
    const Var v_rows = rows(values);
    const Var context = bmm(g, half, v_rows, pairs, s.queries, s.keys, s.value_width(), group);
    return copy(g, context, true, group);
}

}  // namespace plimsoll::training
