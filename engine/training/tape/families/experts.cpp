#include "engine/training/tape/families/experts.hpp"

namespace plimsoll::training {
namespace {

constexpr auto kGroup = Group::experts;
constexpr auto kBackward = Group::backward_temporaries;

void fresh_backward(Graph& g, Node& n) {
    Graph::output(n, 0, g.allocate(n.size[0] * bytes_of(n.dtype), kBackward));
}

// The largest of each row and where they stood; their gradient is scattered into zeros.
Var largest(Graph& g, const Var& x, std::int64_t elements, const Var& indices) {
    Var y = g.make(elements, x.dtype(), kGroup);
    Node* n = g.node(fresh_backward, {x.edge()}, x.dtype(), kGroup);
    if (n == nullptr) return y;
    n->size[0] = x.elements();
    g.save(n, indices);
    y = y.alias(elements, g.edge_to(n));
    g.sealed(n);
    return y;
}

// Divided in place by their sum. The derivative needs what stood there before: a clone.
void share_backward(Graph& g, Node& n) {
    const BufferId quotient = g.allocate(n.size[0] * 4, kBackward);
    const BufferId of_sum = g.allocate(n.size[0] * 4, kBackward);
    Graph::output(n, 0, g.allocate(n.size[0] * 4, kBackward));
    g.release(of_sum);
    g.release(quotient);
}

Var shares(Graph& g, Var x, std::int64_t rows) {
    const Var sum = g.make(rows, g.autocast() ? Dtype::fp32 : x.dtype(), kGroup);
    Node* n = g.node(share_backward, {x.edge()}, x.dtype(), kGroup);
    if (n == nullptr) return x;
    const Var clone = g.make(x.elements(), x.dtype(), kGroup);
    n->size[0] = x.elements();
    g.save(n, sum);
    g.save(n, clone);
    x = x.alias(x.elements(), g.edge_to(n));
    g.sealed(n);
    return x;
}

// Rows by an index that its derivative needs; equal indices are sorted to be summed.
void pick_backward(Graph& g, Node& n) {
    Graph::output(n, 0, g.allocate(n.size[0] * bytes_of(n.dtype), kBackward));
    g.scratch(4 * 8 * n.size[1], kBackward);
}

}  // namespace

Var pick(Graph& g, const Var& x, std::int64_t elements, const Var& index) {
    Var y = g.make(elements, x.dtype(), kGroup);
    Node* n = g.node(pick_backward, {x.edge()}, x.dtype(), kGroup);
    if (n == nullptr) return y;
    n->size = {x.elements(), index.elements()};
    g.save(n, index);
    y = y.alias(elements, g.edge_to(n));
    g.sealed(n);
    return y;
}

namespace {

// size: rows, in, out, elements of all experts' weights.
void grouped_backward(Graph& g, Node& n) {
    const double flops = 2.0 * static_cast<double>(n.size[0]) * static_cast<double>(n.size[1]) *
                         static_cast<double>(n.size[2]);
    const std::int64_t width = bytes_of(n.dtype);
    if (n.wants(0)) {
        Graph::output(n, 0, g.allocate(n.size[0] * n.size[1] * width, kBackward));
        g.count_flops(flops);
    }
    if (n.wants(1)) {
        Graph::output(n, 1, g.allocate(n.size[3] * width, kBackward));
        g.count_flops(flops);
    }
}

}  // namespace

// Autocast does not know grouped products: the input takes the weights' type.
Var grouped_product(Graph& g, const Var& x, const Var& w, std::int64_t in, std::int64_t out,
                    const Var& offsets) {
    const Var input = to(g, x, w.dtype(), kGroup);
    const std::int64_t rows = x.elements() / in;
    Var y = g.make(rows * out, w.dtype(), kGroup);
    g.count_flops(2.0 * static_cast<double>(rows) * static_cast<double>(in) *
                  static_cast<double>(out));
    Node* n = g.node(grouped_backward, {input.edge(), w.edge()}, w.dtype(), kGroup);
    if (n == nullptr) return y;
    n->size = {rows, in, out, w.elements()};
    g.save(n, offsets);
    // Before Ampere transformers multiplies expert by expert in an operation of its own.
    const bool keeps_all = g.device().compute_capability < 80;
    if (keeps_all || n->wants(1)) g.save(n, input);
    if (keeps_all || n->wants(0)) g.save(n, w);
    y = y.alias(y.elements(), g.edge_to(n));
    g.sealed(n);
    return y;
}

namespace {

// Sum over a row's experts; its gradient is spread over them by a view.
void spread_backward(Graph& g, Node& n) {
    g.retain(n.gradients[0].buffer);
    Graph::output(n, 0, n.gradients[0].buffer, true);
}

Var sum_experts(Graph& g, const Var& x, std::int64_t elements) {
    Var y = g.make(elements, x.dtype(), kGroup);
    Node* n = g.node(spread_backward, {x.edge()}, x.dtype(), kGroup);
    return n == nullptr ? y : y.alias(elements, g.edge_to(n));
}

struct Routing {
    Var gates, experts;  // of every token's experts
};

// DeepSeek's logits: both factors are converted to fp32, which autocast takes back.
Var wide_logits(Graph& g, const Var& x, const Linear& router) {
    const Var input = to(g, x, Dtype::fp32, kGroup);
    if (g.autocast()) return linear(g, input, router, kGroup);
    const Var weight = to(g, parameter(g, router.weight), Dtype::fp32, Group::half_weights);
    return linear_with(g, input, weight, router.in, router.out, kGroup);
}

// Scores of the chosen, and where they stood; groups and corrections only decide which.
Var chosen_scores(Graph& g, const Var& scores, std::int64_t chosen, const Var& indices) {
    g.scratch(4 * scores.elements() * 4, kGroup);
    return gather(g, scores, chosen, indices, kGroup);
}

Routing route(Graph& g, const ModelShape& s, const Experts& experts, const Var& x,
              std::vector<Var>& routers) {
    const std::int64_t rows = x.elements() / s.hidden;
    const std::int64_t chosen = rows * s.experts_per_row;
    const auto kind = s.traits().router;
    const Linear router{
        .weight = experts.router, .bias = experts.router_bias, .in = s.hidden, .out = s.experts};
    const bool wide = kind == Router::scaled || kind == Router::sigmoid;
    const Var logits = wide ? wide_logits(g, x, router) : linear(g, x, router, kGroup);
    if (s.router_loss && !g.recomputing()) routers.push_back(logits);
    Routing r;
    r.experts = g.make(chosen, Dtype::int64, kGroup);
    if (kind == Router::chosen) {
        // GPT-OSS, whose router has a bias, computes in the type of the logits.
        const bool narrow = experts.router_bias >= 0;
        const Var scores = narrow ? logits : to(g, logits, Dtype::fp32, kGroup);
        r.gates = softmax(g, largest(g, scores, chosen, r.experts), kGroup, narrow);
        if (!narrow) r.gates = to(g, r.gates, x.dtype(), kGroup);
        return r;
    }
    if (kind == Router::corrected) {
        r.gates = chosen_scores(g, sigmoid(g, logits, kGroup), chosen, r.experts);
        if (s.normalised_routing) {
            const Dtype wide_type = g.autocast() ? Dtype::fp32 : r.gates.dtype();
            const Var sum = to(g, reduce(g, r.gates, rows, kGroup), wide_type, kGroup);
            r.gates = multiply(g, r.gates, shift(g, sum, kGroup), kGroup, Broadcast::over_columns);
        }
        r.gates = scale(g, r.gates, kGroup);
        return r;
    }
    if (kind == Router::sigmoid) {
        r.gates = chosen_scores(g, sigmoid(g, logits, kGroup), chosen, r.experts);
    } else {
        const Var probabilities = softmax(g, to(g, logits, Dtype::fp32, kGroup), kGroup);
        r.gates = largest(g, probabilities, chosen, r.experts);
    }
    if (s.normalised_routing) r.gates = shares(g, std::move(r.gates), rows);
    if (wide) r.gates = scale(g, r.gates, kGroup);
    // Mixtral and DeepSeek leave them in fp32.
    if (kind == Router::softmax) r.gates = to(g, r.gates, logits.dtype(), kGroup);
    return r;
}

// What GPT-OSS does with both halves, of which each other number is one's: both are clamped.
Var clamped_gate(Graph& g, const Var& both) {
    const std::int64_t half = both.elements() / 2;
    Var gate = slice(g, both, half), up = slice(g, both, half);
    gate = clamp(g, gate, kGroup);
    up = clamp(g, up, kGroup);
    const Var glu = multiply(g, gate, sigmoid(g, scale(g, gate, kGroup), kGroup), kGroup);
    return multiply(g, shift(g, up, kGroup), glu, kGroup);
}

Var apply_experts(Graph& g, const ModelShape& s, const Experts& experts, const Var& x,
                  const Routing& routing) {
    const std::int64_t rows = x.elements() / s.hidden;
    const std::int64_t pairs = rows * s.experts_per_row;
    const std::int64_t width = s.expert_hidden;
    const Var sorted = g.make(pairs, Dtype::int64, kGroup);
    const Var order = g.make(pairs, Dtype::int64, kGroup);
    Var input, offsets, beyond;
    {
        const Var tokens = g.make(pairs, Dtype::int64, kGroup);
        input = pick(g, x, pairs * s.hidden, tokens);
    }
    const Var gates = pick(g, routing.gates, pairs, order);
    const Var narrow = g.make((pairs + 1) / 2, Dtype::int64, kGroup);  // int32
    const Var counts = g.make((s.experts + 1) / 2, Dtype::int64, kGroup);
    offsets = g.make((s.experts + 1) / 2, Dtype::int64, kGroup);
    beyond = g.make(pairs, Dtype::boolean, kGroup);
    // Rows beyond the last expert's become zero.
    input = masked_fill(g, input, beyond, true, kGroup);
    // Every row gets its expert's bias.
    const auto product = [&](const Var& in, int weight, int bias, std::int64_t from,
                             std::int64_t to_width) {
        Var addend;
        if (bias >= 0) addend = pick(g, parameter(g, bias), pairs * to_width, sorted);
        Var out = grouped_product(g, in, parameter(g, weight), from, to_width, offsets);
        if (addend) out = add_in_place(g, out, addend);
        return masked_fill(g, out, beyond, false, kGroup);
    };
    Var y = product(input, experts.gate_up, experts.gate_up_bias, s.hidden, 2 * width);
    if (experts.gate_up_bias >= 0) {
        y = clamped_gate(g, y);
    } else {
        const auto [gate, up] = split2(g, y);
        y = multiply(g, activate(g, gate, s.activation, kGroup), up, kGroup);
    }
    y = product(y, experts.down, experts.down_bias, width, s.hidden);
    Var weighted = multiply(g, y, gates, kGroup, Broadcast::over_columns);
    const Var back = g.make(pairs, Dtype::int64, kGroup);
    weighted = pick(g, weighted, pairs * s.hidden, back);
    return to(g, sum_experts(g, weighted, x.elements()), x.dtype(), kGroup);
}

// A product with every expert's weight; autocast halves both.
Var even_product(Graph& g, const ModelShape& s, const Var& x, int weight, std::int64_t in,
                 std::int64_t out) {
    const Dtype dtype = attended_type(g, x);
    const Var w = to(g, parameter(g, weight), dtype, Group::half_weights);
    return bmm(g, to(g, x, dtype, kGroup), w, s.experts, x.elements() / in / s.experts, in, out,
               kGroup);
}

// Llama 4's experts read all tokens, times what the router gave them or zero.
Var run_even_experts(Graph& g, const ModelShape& s, const Experts& experts, const Var& x) {
    const std::int64_t rows = x.elements() / s.hidden;
    const Linear router{.weight = experts.router, .in = s.hidden, .out = s.experts};
    Var scores = linear(g, x, router, kGroup);
    const Dtype dtype = scores.dtype();
    const Var places = g.make(rows * s.experts_per_row, Dtype::int64, kGroup);
    {
        const Var best = largest(g, scores, rows * s.experts_per_row, places);
        scores = pick(g, best, rows * s.experts, places);
    }
    scores = to(g, sigmoid(g, to(g, scores, Dtype::fp32, kGroup), kGroup), dtype, kGroup);
    Var y;
    {
        const Var copies = repeat_heads(g, x, s.experts);
        y = multiply(g, copies, copy(g, scores, true, kGroup), kGroup, Broadcast::over_columns);
    }
    y = even_product(g, s, y, experts.gate_up, s.hidden, 2LL * s.expert_hidden);
    {
        const auto [gate, up] = split2(g, y);
        y = multiply(g, up, activate(g, gate, s.activation, kGroup), kGroup);
    }
    y = even_product(g, s, y, experts.down, s.expert_hidden, s.hidden);
    const Var shared = gated_feed_forward(g, experts.shared, x, s.activation);
    return add_in_place(g, shared, sum_experts(g, y, x.elements()));
}

}  // namespace

GatedLinear read_gated(ParameterCursor& p, const Graph& g, const ModelShape& s,
                       std::int64_t width) {
    GatedLinear layer;
    layer.gate = read_linear(p, g, s.hidden, width, s.ffn_bias);
    layer.up = read_linear(p, g, s.hidden, width, s.ffn_bias);
    layer.down = read_linear(p, g, width, s.hidden, s.ffn_bias);
    return layer;
}

Var gated_feed_forward(Graph& g, const GatedLinear& layer, const Var& x, Activation activation) {
    constexpr auto group = Group::feed_forward;
    if (fuses_adapters(g, layer.gate, x) && fuses_adapters(g, layer.up, x) &&
        layer.down.lora_a >= 0) {
        const Var own = linear(g, x, layer.gate, group);
        return fused_gated(g, own, linear(g, x, layer.up, group), layer.down, group);
    }
    Var y;
    {
        const Var gate = activate(g, linear(g, x, layer.gate, group), activation, group);
        const Var up = linear(g, x, layer.up, group);
        y = multiply(g, gate, up, group);
    }
    return linear(g, y, layer.down, group);
}

Experts read_experts(ParameterCursor& p, const Graph& g, const ModelShape& s) {
    Experts e;
    const auto traits = s.traits();
    const auto router = [&] {
        e.router = p.next();
        if (traits.biased_experts) e.router_bias = p.next();
    };
    if (!traits.experts_first || s.expert_cards > 1) router();
    e.gate_up = p.next();
    if (s.expert_cards > 1) e.up = p.next();
    if (traits.biased_experts) e.gate_up_bias = p.next();
    e.down = p.next();
    if (traits.biased_experts) e.down_bias = p.next();
    if (traits.experts_first && s.expert_cards == 1) router();
    if (s.shared_expert_hidden > 0) e.shared = read_gated(p, g, s, s.shared_expert_hidden);
    if (traits.gated_shared) e.shared_gate = read_linear(p, g, s.hidden, 1, false);
    return e;
}

Experts read_experts_beside(ParameterCursor& p, const Graph& g, const ModelShape& s) {
    Experts e;
    e.input_scale = p.next();
    e.expert_scale = p.next();
    e.projection = read_linear(p, g, s.hidden, s.experts, false);
    e.gate_up = p.next();
    e.down = p.next();
    e.after_dense = p.next();
    e.after = p.next();
    e.before = p.next();
    return e;
}

Var run_experts_beside(Graph& g, const ModelShape& s, const Experts& experts, const Var& x) {
    const std::int64_t rows = x.elements() / s.hidden;
    const std::int64_t chosen = rows * s.experts_per_row;
    Routing r;
    {
        Var given = power_rms_norm(g, x, -1, s.hidden);
        given = multiply(g, given, parameter(g, experts.input_scale), kGroup, Broadcast::over_rows);
        const Var logits = linear(g, scale(g, given, kGroup), experts.projection, kGroup);
        const Var probabilities = softmax(g, to(g, logits, Dtype::fp32, kGroup), kGroup);
        r.experts = g.make(chosen, Dtype::int64, kGroup);
        r.gates = shares(g, largest(g, probabilities, chosen, r.experts), rows);
        const Var scales = pick(g, parameter(g, experts.expert_scale), chosen, r.experts);
        r.gates = multiply(g, r.gates, scales, kGroup);
    }
    const Var y = apply_experts(g, s, experts, power_rms_norm(g, x, experts.before, s.hidden), r);
    return power_rms_norm(g, y, experts.after, s.hidden);
}

Var router_loss(Graph& g, const ModelShape& s, const std::vector<Var>& routers) {
    const std::int64_t rows = routers.front().elements() / s.experts;
    // How many tokens each expert got, and how many there are. Padding does not count, unless texts
    // are packed.
    Var got = g.make(s.experts, Dtype::fp32, kGroup), sum = g.make(s.experts, Dtype::fp32, kGroup);
    const bool masked = !g.settings().packed;
    const Var mask = masked ? g.make(rows, Dtype::fp32, kGroup) : Var();
    const Var total = masked ? g.make(1, Dtype::fp32, kGroup) : Var();
    for (const auto& logits : routers) {
        const Var probabilities = softmax(g, logits, kGroup);
        g.scratch(rows * s.experts_per_row * (8 + 4 + 4), kGroup);  // the largest, their places
        Var wide = to(g, probabilities, Dtype::fp32, kGroup);
        if (masked) wide = multiply(g, wide, mask, kGroup, Broadcast::over_columns);
        got = g.make(s.experts, Dtype::fp32, kGroup);
        sum = add(g, sum, reduce(g, wide, s.experts, kGroup), kGroup);
    }
    const Var of_tokens = g.make(s.experts, Dtype::fp32, kGroup);
    const Var of_probability =
        masked ? divide_by_constant(g, sum, total, kGroup) : scale(g, sum, kGroup);
    return scale(g, reduce(g, multiply(g, of_probability, of_tokens, kGroup), 1, kGroup), kGroup);
}

Var with_router_loss(Graph& g, const Var& loss, const Var& of_routers) {
    return add(g, loss, scale(g, of_routers, kGroup), kGroup);
}

Var run_experts(Graph& g, const ModelShape& s, const Experts& experts, const Var& x,
                std::vector<Var>& routers) {
    if (s.expert_cards > 1) return run_divided_experts(g, s, experts, x);
    if (s.traits().even_experts) return run_even_experts(g, s, experts, x);
    Var shared;
    const bool gated = experts.shared_gate.weight >= 0;
    const auto run_shared = [&] { return gated_feed_forward(g, experts.shared, x, s.activation); };
    if (gated) shared = run_shared();
    Var y;
    {
        const Routing routing = route(g, s, experts, x, routers);
        y = apply_experts(g, s, experts, x, routing);
        if (!gated && s.shared_expert_hidden > 0) shared = run_shared();
        if (!shared) return y;
        if (gated) {
            const Var gate = sigmoid(g, linear(g, x, experts.shared_gate, kGroup), kGroup);
            shared = multiply(g, gate, shared, kGroup, Broadcast::over_columns);
        }
    }
    return add(g, y, shared, kGroup);
}

}  // namespace plimsoll::training
