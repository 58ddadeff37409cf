#include "engine/training/tape/operations/operations.hpp"

namespace plimsoll::training {
namespace {

void fresh_fp32(Graph& g, Node& n) { Graph::output(n, 0, g.allocate(n.size[0] * 4, kBackward)); }
void fresh_same(Graph& g, Node& n) {
    Graph::output(n, 0, g.allocate(n.size[0] * bytes_of(n.dtype), kBackward));
}

// embedding_dense_backward: up to 3072 indices are added directly; more are sorted, and sums of ten
// equal indices each are kept between two passes.
void embedding_backward(Graph& g, Node& n) {
    const std::int64_t table = n.size[0], rows = n.size[1], width = n.size[2];
    const auto bytes = table * width * bytes_of(n.dtype);
    const auto gradient = [&] {
        const int cards = g.settings().parallel.tensor;
        const BufferId all = g.allocate(bytes, kBackward);
        if (cards == 1) return all;
        // Of all words, though each card keeps its part; a tied head's is added meanwhile.
        const BufferId part = g.allocate(bytes / cards, kBackward);
        if (n.next[0].kind == Edge::Kind::parameter &&
            g.parameter(n.next[0].index).incoming.buffer != kNoBuffer)
            g.scratch(bytes / cards, kBackward);
        g.release(all);
        return part;
    };
    if (rows <= 3072) {
        Graph::output(n, 0, gradient());
        return;
    }
    std::array<BufferId, 7> scratch{};
    scratch[0] = g.allocate(8 * rows, kBackward);  // sorted indices
    scratch[1] = g.allocate(8 * rows, kBackward);  // where they were
    Graph::output(n, 0, gradient());
    const std::int64_t padded = (width + 31) / 32 * 32;
    for (std::size_t i = 2; i < 5; ++i) scratch[i] = g.allocate(8 * rows, kBackward);
    for (const std::size_t i : {5, 6})
        scratch[i] = g.allocate_sums(
            {.rows = rows, .table = table, .width = i == 5 ? 8 : 4 * padded}, kBackward);
    for (const auto id : scratch) g.release(id);
}

Var with_node(Graph& g, Var y, const Var& x, Node::Run run, std::int64_t elements) {
    Node* n = g.node(run, {x.edge()}, x.dtype(), Group::logits);
    if (n == nullptr) return y;
    n->size[0] = elements;
    return y.alias(y.elements(), g.edge_to(n));
}

// Frozen layers under checkpointing: transformers and peft let the word embeddings' output require
// a gradient (enable_input_require_grads).
bool wants_input_gradients(const Graph& g) {
    return g.settings().checkpointing && g.settings().lora.rank > 0;
}

}  // namespace

Var embedding(Graph& g, int table, std::int64_t rows, std::int64_t width, const Var& indices,
              bool word_table) {
    const auto& p = g.parameter(table);
    Var y = g.make(rows * width, p.dtype, Group::embedding);
    const Edge edge = p.trainable ? Edge{Edge::Kind::parameter, table, 0} : Edge{};
    if (!p.trainable && word_table) return as_input(g, std::move(y), table);
    Node* n = g.node(embedding_backward, {edge}, p.dtype, Group::embedding);
    if (n == nullptr) return y;
    n->size = {p.elements / width * g.settings().parallel.tensor, rows, width};
    if (indices) g.save(n, indices);
    return y.alias(y.elements(), g.edge_to(n));
}

Var as_input(Graph& g, Var x, int table) {
    if (g.parameter(table).trainable || !wants_input_gradients(g)) return x;
    return g.as_leaf(std::move(x));
}

Var log_softmax(Graph& g, const Var& x) {
    Var y = g.make(x.elements(), x.dtype(), Group::logits);
    Node* n = g.node(fresh_same, {x.edge()}, x.dtype(), Group::logits);
    if (n == nullptr) return y;
    n->size[0] = x.elements();
    g.save(n, y);
    return y.alias(y.elements(), g.edge_to(n));
}

// Of words that several cards divide: composed of other kernels, whose results Python's names hold
// (torch.distributed.tensor.parallel.loss_parallel). The first node's gradient is the logits'.
void divided_loss_backward(Graph& g, Node& n) {
    const auto whole = [&] { return g.allocate(n.size[0] * 4, kBackward); };
    const BufferId zeros = whole();
    const BufferId exponents = whole();
    const BufferId sum = whole();
    g.release(exponents);
    const BufferId result = whole();
    g.release(sum);
    g.release(zeros);
    Graph::output(n, 0, result);
}

Var divided_cross_entropy(Graph& g, const Var& logits, const Var& labels) {
    constexpr auto group = Group::logits;
    Var result;
    {
        const Var shifted = g.make(logits.elements(), Dtype::fp32, group);
        g.scratch(logits.bytes(), group);  // exponents
        result = g.make(logits.elements(), Dtype::fp32, group);
    }
    const Var loss = g.make(1, Dtype::fp32, group);
    Node* n = g.node(divided_loss_backward, {logits.edge()}, Dtype::fp32, group);
    if (n == nullptr) return loss;
    n->size[0] = logits.elements();
    g.save(n, result);
    g.save(n, labels);
    return loss.alias(1, g.edge_to(n));
}

// log_softmax keeps the type of the logits; under autocast nll_loss converts its result to fp32.
Var cross_entropy(Graph& g, const Var& logits, const Var& labels) {
    if (g.settings().parallel.tensor > 1) return divided_cross_entropy(g, logits, labels);
    const Var log_probabilities = log_softmax(g, logits);
    const Var input =
        g.autocast() ? to(g, log_probabilities, Dtype::fp32, Group::logits) : log_probabilities;

    const Var loss = g.make(1, input.dtype(), Group::logits);
    const Var weight = g.make(1, input.dtype(), Group::logits);
    Node* nll = g.node(fresh_same, {input.edge()}, input.dtype(), Group::logits);
    if (nll == nullptr) return loss;
    nll->size[0] = input.elements();
    g.save(nll, input);
    g.save(nll, labels);
    g.save(nll, weight);
    return loss.alias(1, g.edge_to(nll));
}

Var mse_loss(Graph& g, const Var& prediction, const Var& target) {
    const Var input = to(g, prediction, Dtype::fp32, Group::logits);
    const Var squared = g.make(input.elements(), Dtype::fp32, Group::logits);
    Var loss = g.make(1, Dtype::fp32, Group::logits);
    Node* n = g.node(fresh_fp32, {input.edge()}, Dtype::fp32, Group::logits);
    if (n == nullptr) return loss;
    n->size[0] = input.elements();
    g.save(n, input);
    g.save(n, target);
    return loss.alias(1, g.edge_to(n));
}

Var divide_scalar(Graph& g, const Var& x) {
    return with_node(g, g.make(x.elements(), x.dtype(), Group::logits), x, fresh_same,
                     x.elements());
}

}  // namespace plimsoll::training
