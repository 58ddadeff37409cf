#include "engine/training/tape/families/delta_rule.hpp"

// As transformers 5.17 calls flash-linear-attention 0.6, with PyTorch's own convolution.

namespace plimsoll::training {
namespace {

constexpr auto kGroup = Group::attention;
constexpr std::int64_t kChunk = 64;  // tokens

struct Sizes {
    std::int64_t tokens, heads, key_dim, value_dim, chunks;

    std::int64_t keys() const { return tokens * heads * key_dim; }
    std::int64_t values() const { return tokens * heads * value_dim; }
    std::int64_t numbers() const { return tokens * heads; }  // one for each head of a token
    std::int64_t states() const { return chunks * heads * key_dim * value_dim; }
    double flops() const {
        const auto k = static_cast<double>(key_dim), v = static_cast<double>(value_dim);
        return static_cast<double>(numbers()) * (2 * kChunk * (3 * k + 2 * v) + 6 * k * v);
    }
};

// The derivative makes products and states again.
void delta_backward(Graph& g, Node& n) {
    const Sizes s{n.size[0], n.size[1], n.size[2], n.size[3], n.size[4]};
    const auto make = [&](std::int64_t elements) {
        return g.allocate(elements * bytes_of(n.dtype), kBackward);
    };
    const auto wide = [&] { return g.allocate(s.numbers() * 4, kBackward); };
    const BufferId w = make(s.keys()), u = make(s.values());
    const BufferId states = make(s.states()), corrected = make(s.values());
    BufferId dv = make(s.values());
    const BufferId of_states = make(s.states());
    const BufferId passed = make(s.values());
    g.release(dv);
    BufferId dq = make(s.keys()), dk = make(s.keys());
    const BufferId parts = wide();
    const BufferId dw = make(s.keys());
    BufferId decay = wide();
    g.release(parts);
    const BufferId more_k = make(s.keys());
    dv = make(s.values());
    const BufferId more_decay = wide(), beta = make(s.numbers());
    g.release(passed);
    const BufferId summed = wide();
    g.release(decay);
    decay = summed;
    for (const BufferId one : {w, u, states, corrected, of_states, dw, more_k, more_decay})
        g.release(one);
    for (BufferId* one : {&dq, &dk}) {  // of unit length
        const BufferId scaled = make(s.keys());
        g.release(*one);
        *one = scaled;
    }
    int edge = 0;
    for (const BufferId one : {dq, dk, dv, decay, beta}) {
        if (n.wants(edge))
            Graph::output(n, edge, one);
        else
            g.release(one);
        ++edge;
    }
    g.count_flops(2.5 * s.flops());
}

// fla.ops.gated_delta_rule.chunk_gated_delta_rule with q and k to unit length. It copies what does
// not lie in the order of tokens: v, and q and k unless they were repeated. Where packed texts
// begin (8 bytes for each of their chunks) is left out.
Var gated_delta_rule(Graph& g, const Var& q, const Var& k, const Var& v, const Var& decay,
                     const Var& beta, const Sizes& s, bool repeated) {
    const Dtype dtype = q.dtype();
    const auto make = [&](std::int64_t elements) { return g.make(elements, dtype, kGroup); };
    const auto wide = [&] { return g.make(s.numbers(), Dtype::fp32, kGroup); };
    const Var own_q = repeated ? q : make(s.keys()), own_k = repeated ? k : make(s.keys());
    const Var own_v = make(s.values());
    const Var unit_q = make(s.keys()), length_q = wide();
    const Var unit_k = make(s.keys()), length_k = wide();
    const Var sums = wide(), solved = make(s.numbers() * kChunk);
    Var y;
    {
        const Var w = make(s.keys()), u = make(s.values());
        const Var states = make(s.states()), corrected = make(s.values());
        y = make(s.values());
    }
    g.count_flops(s.flops());
    Node* n = g.node(delta_backward, {q.edge(), k.edge(), v.edge(), decay.edge(), beta.edge()},
                     dtype, kGroup);
    if (n == nullptr) return y;
    n->size = {s.tokens, s.heads, s.key_dim, s.value_dim, s.chunks};
    for (const Var* one : {&unit_q, &length_q, &unit_k, &length_k, &own_v, &sums, &beta, &solved})
        g.save(n, *one);
    y = y.alias(y.elements(), g.edge_to(n));
    g.sealed(n);
    return y;
}

struct Projected {
    Var qkv, gate, beta, time;
};

Projected project(Graph& g, const LinearHeads& l, const DeltaRule& rule, const Var& x,
                  std::int64_t tokens) {
    Projected p;
    if (rule.gate.weight >= 0) {
        p.qkv = by_channels(g, linear(g, x, rule.qkv, kGroup), l.channels());
        p.gate = linear(g, x, rule.gate, kGroup);
        p.beta = linear(g, x, rule.beta, kGroup);
        p.time = linear(g, x, rule.time, kGroup);
        return p;
    }
    // Parts of each head lie side by side and are copied from there.
    const auto keys = tokens * l.key_width(), values = tokens * l.value_width();
    const auto parts = split(g, linear(g, x, rule.qkv, kGroup), {keys, keys, values, values});
    const auto numbers = split2(g, linear(g, x, rule.beta, kGroup));
    const auto own = [&](const Var& x) { return copy(g, x, false, kGroup); };
    const bool several = l.values > l.keys;  // else they are already of one head each
    const Var values_first = several ? own(parts[2]) : Var();
    p.gate = several ? own(parts[3]) : parts[3];
    p.beta = several ? own(numbers[0]) : numbers[0];
    p.time = several ? own(numbers[1]) : numbers[1];
    const Var q = own(parts[0]), k = own(parts[1]);
    const Var v = several ? values_first : own(parts[2]);
    p.qkv = concatenate(g, q, k, kGroup, v);
    return p;
}

}  // namespace

DeltaRule read_delta_rule(ParameterCursor& p, const Graph& g, const ModelShape& s) {
    const auto& l = s.linear;
    const bool packed = s.traits().packed_delta;
    DeltaRule rule;
    rule.time_bias = p.next();
    rule.rates = p.next();
    rule.convolution = p.next();
    if (packed) {
        rule.qkv = read_linear(p, g, s.hidden, l.channels() + l.value_width(), false);
        rule.beta = read_linear(p, g, s.hidden, 2LL * l.values, false);
    }
    rule.norm = p.next();
    rule.out = read_linear(p, g, l.value_width(), s.hidden, false);
    if (packed) return rule;
    rule.qkv = read_linear(p, g, s.hidden, l.channels(), false);
    rule.gate = read_linear(p, g, s.hidden, l.value_width(), false);
    rule.beta = read_linear(p, g, s.hidden, l.values, false);
    rule.time = read_linear(p, g, s.hidden, l.values, false);
    return rule;
}

Var run_delta_rule(Graph& g, const ModelShape& s, const DeltaRule& rule, const Var& x) {
    const auto& l = s.linear;
    const auto& t = g.settings();
    const std::int64_t tokens = x.elements() / s.hidden;
    auto [qkv, gate, beta, time] = project(g, l, rule, x, tokens);
    // Quantized layers return fp32 under autocast, which the convolution narrows for a while.
    const Dtype own = qkv.dtype();
    qkv = silu(g, causal_convolution(g, qkv, rule.convolution, l.channels(), kGroup), kGroup);
    qkv = to(g, qkv, own, kGroup);
    const auto keys = tokens * l.key_width();
    auto parts = split(g, qkv, {keys, keys, tokens * l.value_width()});
    beta = sigmoid(g, beta, kGroup);
    Var decay;
    {
        const Var rates =
            exponential(g, to(g, parameter(g, rule.rates), Dtype::fp32, kGroup), kGroup);
        const Var times =
            add(g, to(g, time, Dtype::fp32, kGroup), parameter(g, rule.time_bias), kGroup);
        decay = multiply(g, negate(g, rates, kGroup), softplus(g, times, kGroup), kGroup,
                         Broadcast::over_rows);
    }
    const std::int64_t times = l.values / l.keys;
    for (auto* one : {&parts[0], &parts[1]}) *one = repeat_heads(g, *one, times);
    const Sizes sizes{tokens, l.values, l.key_dim, l.value_dim,
                      t.batch * ((t.sequence + kChunk - 1) / kChunk)};
    Var y = gated_delta_rule(g, parts[0], parts[1], parts[2], decay, beta, sizes, times > 1);
    y = rms_norm(g, y, rule.norm, l.value_dim);
    y = multiply(g, y, silu(g, to(g, gate, Dtype::fp32, kGroup), kGroup), kGroup);
    return linear(g, to(g, y, qkv.dtype(), kGroup), rule.out, kGroup);
}

}  // namespace plimsoll::training
