#include "engine/training/tape/layout.hpp"
#include "engine/training/tape/operations/operations.hpp"
#include "engine/training/tape/sharded_unit.hpp"

namespace plimsoll::training {
namespace {

// A weight or bias as the kernel sees it: itself, or autocast's half copy. An uncached copy goes
// with the operand, also where a recomputation stops inside the product.
struct Operand {
    BufferId buffer = kNoBuffer;
    Edge edge;
    Var copy = {};
};

void cast_backward(Graph& g, Node& n) {
    Graph::output(n, 0, g.allocate(n.size[0] * bytes_of(n.dtype), kBackward));
}

// Autocast caches copies of fp32 leaves that require a gradient; frozen weights are converted again
// at every use (ATen autocast_mode.cpp).
Operand operand(Graph& g, int index) {
    if (index < 0) return {};
    auto& p = g.parameter(index);
    const Edge own = p.trainable ? Edge{Edge::Kind::parameter, index, 0} : Edge{};
    if (!g.autocast() || p.dtype != Dtype::fp32) return {p.data, own};
    if (p.cast != kNoBuffer) return {p.cast, p.cast_edge};
    if (!p.trainable) {
        Var copy = g.make(p.elements, Dtype::half, Group::half_weights);
        return {copy.buffer(), {}, std::move(copy)};
    }
    p.cast = g.allocate(p.elements * 2, Group::half_weights);
    p.cast_edge = own;
    if (!g.recomputing()) {
        Node* n = g.node(cast_backward, {own}, Dtype::fp32, Group::half_weights);
        if (n != nullptr) {
            n->size[0] = p.elements;
            n->cached_cast = true;
        }
        p.cast_edge = g.edge_to(n);
    }
    return {p.cast, p.cast_edge};
}

// DeepSpeed replaces torch.nn.functional.linear in stage 3 (deepspeed/runtime/zero/linear.py).
bool has_zero3_linear(const Graph& g) {
    return layout_of(g.settings()).sharding == Sharding::zero3;
}

double flops_of(std::int64_t rows, std::int64_t in, std::int64_t out) {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(in) * static_cast<double>(out);
}
double flops_of(const Node& n) { return flops_of(n.size[0], n.size[1], n.size[2]); }

// size: rows, in, out. Edges: input, weight, bias.
void input_gradient(Graph& g, Node& n) {
    if (!n.wants(0)) return;
    Graph::output(n, 0, g.allocate(n.size[0] * n.size[1] * bytes_of(n.dtype), kBackward), true);
    g.matmul(flops_of(n), false);
}
// PyTorch's is a transposed view.
void weight_gradient(Graph& g, Node& n) {
    if (!n.wants(1)) return;
    Graph::output(n, 1, g.allocate(n.size[1] * n.size[2] * bytes_of(n.dtype), kBackward),
                  !has_zero3_linear(g));
    g.matmul(flops_of(n), false);
}
void addmm_backward(Graph& g, Node& n) {
    input_gradient(g, n);
    weight_gradient(g, n);
}
void bias_gradient(Graph& g, Node& n) {
    if (n.wants(2)) Graph::output(n, 2, sum_rows(g, n.size[0], n.size[2], n.dtype, kBackward));
}
void mm_backward(Graph& g, Node& n) {
    weight_gradient(g, n);
    input_gradient(g, n);
}

Var product(Graph& g, const Var& x, const Operand& weight, const Operand& bias, bool has_bias,
            std::int64_t in, std::int64_t out, Group group, bool conv1d = false) {
    const std::int64_t rows = x.elements() / in;
    const bool kept = g.keeps_product();
    Var y = kept ? g.make_kept(rows * out, x.dtype(), group) : g.make(rows * out, x.dtype(), group);
    if (!kept || !g.recomputing()) g.matmul(flops_of(rows, in, out), has_bias);
    Node* n = g.node(has_bias || has_zero3_linear(g) ? addmm_backward : mm_backward,
                     {x.edge(), weight.edge, bias.edge}, x.dtype(), group);
    if (n == nullptr) return y;
    n->size = {rows, in, out};
    if (has_bias) n->finish = bias_gradient;
    // DeepSpeed's keeps its input, though only a trained weight needs it; GPT-2's layers are no
    // torch.nn.functional.linear.
    if (n->wants(1) || (has_zero3_linear(g) && !conv1d)) g.save(n, x);
    if (n->wants(0)) g.save(n, weight.buffer);
    y = y.alias(rows * out, g.edge_to(n));
    g.sealed(n);
    return y;
}

// bitsandbytes multiplies by a half copy of the weight that lives as long as the product takes; its
// scales become fp32 first.
struct Unpacked {
    Var scales, weight;
};
Unpacked unpack(Graph& g, std::int64_t elements, Group group) {
    Unpacked u;
    if (g.settings().quantization == Quantization::nf4_double)
        u.scales = g.make((elements + 63) / 64, Dtype::fp32, group);
    u.weight = g.make(elements, Dtype::half, group);
    return u;
}

// size: rows, in, out. No activation is saved: the weight is frozen.
void four_bit_backward(Graph& g, Node& n) {
    const Unpacked weight = unpack(g, n.size[1] * n.size[2], kBackward);
    Graph::output(n, 0, g.allocate(n.size[0] * n.size[1] * 2, kBackward), true);
    g.matmul(flops_of(n), false);
}

Var four_bit_linear(Graph& g, const Var& x, const Linear& layer, Group group) {
    const Var input = to(g, x, Dtype::half, group);
    const std::int64_t rows = x.elements() / layer.in;
    Var bias;
    if (layer.bias >= 0) bias = to(g, parameter(g, layer.bias), Dtype::half, group);
    Var y;
    {
        const Unpacked weight = unpack(g, layer.in * layer.out, Group::half_weights);
        y = g.make(rows * layer.out, Dtype::half, group);
    }
    g.matmul(flops_of(rows, layer.in, layer.out), layer.bias >= 0);
    Node* n = g.node(four_bit_backward, {input.edge()}, Dtype::half, group);
    if (n != nullptr) {
        n->size = {rows, layer.in, layer.out};
        if (has_zero3_linear(g)) keep_gathered(g, n, layer.weight);
        y = y.alias(y.elements(), g.edge_to(n));
    }
    return to(g, y, x.dtype(), group);
}

// LLM.int8 keeps its input, though only outliers of a trained weight would need it.
void eight_bit_backward(Graph& g, Node& n) {
    const BufferId weight = g.allocate(n.size[1] * n.size[2] * bytes_of(n.dtype), kBackward);
    Graph::output(n, 0, g.allocate(n.size[0] * n.size[1] * bytes_of(n.dtype), kBackward), true);
    g.matmul(flops_of(n), false);
    g.release(weight);
}

Var eight_bit_linear(Graph& g, const Var& x, const Linear& layer, Group group) {
    const std::int64_t rows = x.elements() / layer.in;
    const Var codes = g.make(x.elements(), Dtype::boolean, group);
    {
        const Var half = g.make(x.elements(), Dtype::half, group);
        g.scratch(4 * rows, group);
    }
    const Var sums = g.make(rows * layer.out, Dtype::fp32, group);  // int32
    Var y = g.make(rows * layer.out, x.dtype(), group);
    g.count_flops(flops_of(rows, layer.in, layer.out));
    Node* n = g.node(eight_bit_backward, {x.edge()}, x.dtype(), group);
    if (n == nullptr) return y;
    n->size = {rows, layer.in, layer.out};
    g.save(n, x);
    y = y.alias(y.elements(), g.edge_to(n));
    g.sealed(n);
    return y;
}

Var quantized_linear(Graph& g, const Var& x, const Linear& layer, Group group) {
    if (g.settings().quantization == Quantization::int8)
        return eight_bit_linear(g, x, layer, group);
    const Var y = four_bit_linear(g, x, layer, group);
    return layer.lora_a < 0 ? y : copy(g, y, false, group);  // peft clones before it adds
}

Var base_linear(Graph& g, const Var& x, const Linear& layer, Group group, bool conv1d) {
    if (g.parameter(layer.weight).quantized) return quantized_linear(g, x, layer, group);
    Var input;
    Operand bias, weight;  // an owned weight goes first
    const auto take_input = [&] {
        input = g.autocast() && x.dtype() == Dtype::fp32 ? to(g, x, Dtype::half, group) : x;
    };
    if (conv1d) {  // addmm(bias, x, weight): C++ evaluates the conversions from the right
        weight = operand(g, layer.weight);
        take_input();
        bias = operand(g, layer.bias);
    } else {  // linear(x, weight, bias)
        bias = operand(g, layer.bias);
        weight = operand(g, layer.weight);
        take_input();
    }
    return product(g, input, weight, bias, layer.bias >= 0, layer.in, layer.out, group, conv1d);
}

Var without_bias(Graph& g, const Var& x, int weight, std::int64_t in, std::int64_t out) {
    return base_linear(g, x, {.weight = weight, .in = in, .out = out}, Group::lora, false);
}

// The bias was added in place: the gradient passes through, its sum over rows is the bias's.
void bias_add_backward(Graph& g, Node& n) {
    g.retain(n.gradients[0].buffer);
    Graph::output(n, 0, n.gradients[0].buffer, n.gradients[0].view);
}
void bias_add_finish(Graph& g, Node& n) {
    if (n.wants(1)) Graph::output(n, 1, sum_rows(g, n.size[0], n.size[1], n.dtype, kBackward));
}

void join_slices_backward(Graph& g, Node& n) {
    Graph::output(n, 0, g.allocate(n.size[0] * bytes_of(n.dtype), kBackward));
}

// A slice of a parameter: autocast converts it without its cache, for it is no leaf.
Operand slice_operand(Graph& g, int index, std::int64_t elements, Edge slice) {
    const auto& p = g.parameter(index);
    if (!g.autocast() || p.dtype != Dtype::fp32) return {p.data, slice};
    Var copy = g.make(elements, Dtype::half, Group::half_weights);
    Node* n = g.node(cast_backward, {slice}, Dtype::fp32, Group::half_weights);
    if (n != nullptr) n->size[0] = elements;
    return {copy.buffer(), g.edge_to(n), std::move(copy)};
}

}  // namespace

Edge packed_slices(Graph& g, int parameter) {
    const auto& p = g.parameter(parameter);
    if (!p.trainable) return {};
    Node* n = g.node(join_slices_backward, {Edge{Edge::Kind::parameter, parameter, 0}}, p.dtype,
                     Group::attention);
    n->size[0] = p.elements;
    return g.edge_to(n);
}

Var packed_projection(Graph& g, const Var& x, const PackedWeight& packed, std::int64_t parts,
                      Edge weight_slice, Edge bias_slice) {
    const bool whole = parts == 3;
    const std::int64_t width = packed.width;
    Var y;
    Edge bias_edge;
    {
        const Operand bias = whole ? operand(g, packed.bias)
                                   : slice_operand(g, packed.bias, parts * width, bias_slice);
        bias_edge = bias.edge;
        const Operand weight =
            whole ? operand(g, packed.weight)
                  : slice_operand(g, packed.weight, parts * width * width, weight_slice);
        const Var cast = g.autocast() ? to(g, x, Dtype::half, Group::attention) : x;
        const Var input = copy(g, cast, false, Group::attention);
        y = product(g, input, weight, {}, false, width, parts * width, Group::attention);
    }
    Node* n = g.node(bias_add_backward, {y.edge(), bias_edge}, y.dtype(), Group::attention);
    if (n == nullptr) return y;
    n->finish = bias_add_finish;
    n->size = {y.elements() / (parts * width), parts * width};
    return y.alias(y.elements(), g.edge_to(n));
}

Var linear_with(Graph& g, const Var& x, const Var& weight, std::int64_t in, std::int64_t out,
                Group group) {
    return product(g, x, {weight.buffer(), weight.edge()}, {}, false, in, out, group);
}

Var to(Graph& g, const Var& x, Dtype dtype, Group group) {
    if (x.dtype() == dtype) return x;
    Var y = g.make(x.elements(), dtype, group);
    Node* n = g.node(cast_backward, {x.edge()}, x.dtype(), group);
    if (n == nullptr) return y;
    n->size[0] = x.elements();
    return y.alias(x.elements(), g.edge_to(n));
}

namespace {

// size: elements of the input, the weight's, the bias's.
void convolution_backward(Graph& g, Node& n) {
    for (int i = 0; i < 3; ++i)
        if (n.wants(i))
            Graph::output(
                n, i,
                g.allocate(n.size[static_cast<std::size_t>(i)] * bytes_of(n.dtype), kBackward));
    g.count_flops(4.0 * static_cast<double>(n.size[3]) * static_cast<double>(n.size[1]));
}

}  // namespace

// cuDNN's workspaces are not known.
Var convolution(Graph& g, const Var& x, const Linear& layer, std::int64_t positions, Group group) {
    Var input;
    const Operand bias = operand(g, layer.bias);
    const Operand weight = operand(g, layer.weight);
    input = g.autocast() && x.dtype() == Dtype::fp32 ? to(g, x, Dtype::half, group) : x;
    Var y = g.make(positions * layer.out, input.dtype(), group);
    const std::int64_t weights = layer.in * layer.out;
    g.count_flops(2.0 * static_cast<double>(positions) * static_cast<double>(weights));
    Node* n =
        g.node(convolution_backward, {input.edge(), weight.edge, bias.edge}, input.dtype(), group);
    if (n != nullptr) {
        n->size = {input.elements(), weights, layer.out, positions};
        g.save(n, input);
        g.save(n, weight.buffer);
        y = y.alias(y.elements(), g.edge_to(n));
        g.sealed(n);
    }
    return y;
}

namespace {

// A frozen weight as a tensor of its own type, unpacked if it is quantized.
Var frozen_weight(Graph& g, const Linear& layer, Dtype dtype) {
    constexpr auto group = Group::lora;
    if (!g.parameter(layer.weight).quantized)
        return to(g, parameter(g, layer.weight), dtype, Group::half_weights);
    Unpacked u = unpack(g, layer.in * layer.out, group);
    u.scales.reset();
    return to(g, u.weight, dtype, group);
}

// x times a tensor that does not train and that autocast converts.
Var product_with(Graph& g, const Var& x, const Var& weight, const Linear& layer) {
    constexpr auto group = Group::lora;
    const Dtype dtype = g.autocast() ? Dtype::half : x.dtype();
    // What was unpacked is no copy of a weight that autocast makes.
    const bool packed = g.parameter(layer.weight).quantized;
    const Var w = to(g, weight, dtype, packed ? group : Group::half_weights);
    const Var input = to(g, x, dtype, group);
    return linear_with(g, input, w, layer.in, layer.out, group);
}

// peft transposes GPT-2's weight into a parameter of its own, which then gets a gradient.
Var transposed(Graph& g, const Var& weight) {
    if (g.recomputing()) return weight.alias(weight.elements(), {Edge::Kind::parameter, 0, 0});
    return g.as_leaf(weight);
}

// peft's DoraLinearLayer (0.21): how long the columns of weight and adapters together are, then
// (magnitude - 1) times the layer's product and magnitude times the adapters'. Without dropout the
// layer's product is at hand, otherwise it is computed again.
Var dora(Graph& g, const Var& x, const Var& result, const Linear& layer, Group group, bool conv1d) {
    constexpr auto lora = Group::lora;
    const bool drops = g.settings().lora.dropout > 0;
    const Var input = dropout(g, x, g.settings().lora.dropout, lora);
    const std::int64_t weights = layer.in * layer.out;
    // Its graph lives as long as the function, although nothing needs its gradient.
    operand(g, layer.lora_a);
    operand(g, layer.lora_b);
    Var unit = g.make(layer.in * layer.in, x.dtype(), lora);
    const bool records = g.set_recording(false);
    if (g.autocast()) unit = to(g, unit, Dtype::half, lora);
    const Var narrow = without_bias(g, unit, layer.lora_a, layer.in, layer.rank);
    Var adapters = without_bias(g, narrow, layer.lora_b, layer.rank, layer.out);
    g.set_recording(records);
    adapters = to(g, adapters, input.dtype(), lora);
    const Var weight = frozen_weight(g, layer, input.dtype());
    Var norm;
    {
        const Var scaled = g.make(weights, input.dtype(), lora);
        const Var sum = g.make(weights, input.dtype(), lora);
        norm = g.make(layer.out, input.dtype(), lora);
    }
    const Var share = divide_by_constant(g, parameter(g, layer.magnitude), norm, Group::lora);
    Var y = without_bias(g, input, layer.lora_a, layer.in, layer.rank);
    y = without_bias(g, y, layer.lora_b, layer.rank, layer.out);
    Var base = result;
    if (drops) {
        const bool own = weight.buffer() == g.parameter(layer.weight).data;
        base = product_with(g, input, conv1d && own ? transposed(g, weight) : weight, layer);
    } else if (layer.bias >= 0)
        base = shift(g, result, group);
    const Var first = multiply(g, shift(g, share, lora), base, group, Broadcast::over_rows);
    Var second = multiply(g, share, y, group, Broadcast::over_rows);
    second = scale(g, second, group);
    return add(g, first, second, group);
}

}  // namespace

Var linear(Graph& g, const Var& x, const Linear& layer, Group group, bool conv1d) {
    if (fuses_adapters(g, layer, x)) return fused_linear(g, x, layer, group);
    Var result = base_linear(g, x, layer, group, conv1d);
    if (layer.lora_a < 0) return result;
    // peft: (result + lora_B(lora_A(dropout(x.to(adapter dtype)))) * scaling).to(result dtype)
    const Dtype adapter = g.parameter(layer.lora_a).dtype;
    const Var input = to(g, x, adapter, Group::lora);
    const Dtype dtype = result.dtype();
    if (layer.magnitude >= 0) {
        const Var more = dora(g, input, result, layer, group, conv1d);
        result = add(g, result, more, group);
    } else {
        Var y = dropout(g, input, g.settings().lora.dropout, Group::lora);
        y = without_bias(g, y, layer.lora_a, layer.in, layer.rank);
        y = without_bias(g, y, layer.lora_b, layer.rank, layer.out);
        y = scale(g, y, Group::lora);
        result = add(g, result, y, group);
    }
    return to(g, result, dtype, group);
}

}  // namespace plimsoll::training
