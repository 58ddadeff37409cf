#include "engine/training/tape/families/layers.hpp"

#include <algorithm>

// The log-probabilities of answers, from which trainers of preferences make their losses.

namespace plimsoll::training {
namespace {

constexpr auto kLogits = Group::logits;
// ChunkedLogProbFunction of TRL 1.16 never holds more logits than these, and makes them again in
// backward.
constexpr std::int64_t kTileRows = 4096, kTileWords = 32'768;

struct Tile {
    Var logits, rows, words;  // the latter two converted, if need be
};

// `keeps`: the words converted last stay, so that those of two tiles meet.
Tile make_tile(Graph& g, std::int64_t rows, const Linear& head, Dtype input, Dtype weight,
               Dtype type, bool keeps, Group group) {
    const std::int64_t max = std::min(rows, kTileRows);
    const std::int64_t first = std::min(head.out, kTileWords);
    const std::int64_t second = std::min(head.out - first, kTileWords);
    Tile tile;
    tile.logits = g.make(max * kTileWords, type, group);
    if (input != type) tile.rows = g.make(max * head.in, type, group);
    if (weight == type) return tile;
    tile.words = g.make(first * head.in, type, group);
    if (keeps && second > 0) tile.words = g.make(second * head.in, type, group);
    if (!keeps) tile.words.reset();
    return tile;
}

// size: rows, in, out, bytes of a logit and of a weight. Gradients are summed in fp32.
void tiled_backward(Graph& g, Node& n) {
    const std::int64_t rows = n.size[0], in = n.size[1], out = n.size[2];
    const auto type_of = [](std::int64_t bytes) { return bytes == 2 ? Dtype::half : Dtype::fp32; };
    const Dtype type = type_of(n.size[3]), weight = type_of(n.size[4]);
    const BufferId of_rows = n.wants(0) ? g.allocate(rows * in * 4, kBackward) : kNoBuffer;
    const BufferId of_words = n.wants(1) ? g.allocate(in * out * 4, kBackward) : kNoBuffer;
    const Tile tile =
        make_tile(g, rows, {.in = in, .out = out}, n.dtype, weight, type, true, kBackward);
    const double flops =
        2.0 * static_cast<double>(rows) * static_cast<double>(in) * static_cast<double>(out);
    g.matmul(flops * (1 + (n.wants(0) ? 1 : 0) + (n.wants(1) ? 1 : 0)), false);
    const auto hand_over = [&](int edge, BufferId wide, std::int64_t elements, Dtype own) {
        if (wide == kNoBuffer) return kNoBuffer;
        Graph::output(n, edge, own == Dtype::fp32 ? wide : g.allocate(elements * 2, kBackward));
        return own == Dtype::fp32 ? kNoBuffer : wide;
    };
    const BufferId first = hand_over(0, of_rows, rows * in, n.dtype);
    const BufferId second = hand_over(1, of_words, in * out, weight);
    g.release(first);
    g.release(second);
}

Var tiled_log_probabilities(Graph& g, const Var& x, const Linear& head) {
    const auto& p = g.parameter(head.weight);
    const std::int64_t rows = x.elements() / head.in;
    const Dtype type = g.autocast() ? Dtype::half : x.dtype();
    const Var targets = g.make(rows, Dtype::int64, kLogits);
    Var normalisers, entropies;
    {
        // Largest logit, sums, their products and the like, of every row.
        const Var sums = g.make(7 * rows, Dtype::fp32, kLogits);
        const Tile tile = make_tile(g, rows, head, x.dtype(), p.dtype, type, false, kLogits);
        normalisers = g.make(rows, Dtype::fp32, kLogits);
        entropies = g.make(rows, Dtype::fp32, kLogits);
    }
    g.matmul(2.0 * static_cast<double>(rows) * static_cast<double>(head.in) *
                 static_cast<double>(head.out),
             false);
    Var loss = g.make(1, Dtype::fp32, kLogits);
    const Edge weight = p.trainable ? Edge{Edge::Kind::parameter, head.weight, 0} : Edge{};
    Node* n = g.node(tiled_backward, {x.edge(), weight}, x.dtype(), kLogits);
    if (n == nullptr) return loss;
    n->size = {rows, head.in, head.out, bytes_of(type), bytes_of(p.dtype)};
    g.save(n, x);
    g.save(n, targets);
    g.save(n, normalisers);
    g.save(n, entropies);
    loss = loss.alias(1, g.edge_to(n));
    g.sealed(n);
    return loss;
}

void picked_backward_of_logits(Graph& g, Node& n) {
    Graph::output(n, 0, g.allocate(n.size[0] * bytes_of(n.dtype), kBackward));
}

// TRL's kernel for logits that exist already keeps them, and four numbers of every row.
Var picked_log_probabilities(Graph& g, const Var& logits, std::int64_t rows) {
    Var numbers = g.make(4 * rows, Dtype::fp32, kLogits);
    Node* n = g.node(picked_backward_of_logits, {logits.edge()}, logits.dtype(), kLogits);
    if (n == nullptr) return numbers;
    n->size[0] = logits.elements();
    g.save(n, logits);
    g.save(n, numbers);
    numbers = numbers.alias(rows, g.edge_to(n));
    g.sealed(n);
    return numbers;
}

// The mean cross-entropy of the preferred half, whose rows are copied together.
Var loss_of_preferred(Graph& g, const Var& logits, std::int64_t rows, std::int64_t words,
                      const Var& labels) {
    const std::int64_t texts = logits.elements() / words - rows;  // each has one row less
    Var half = slice(g, slice(g, logits, logits.elements() / 2), rows / 2 * words);
    if (texts > 2) half = copy(g, half, false, kLogits);
    return cross_entropy(g, half, labels);
}

}  // namespace

bool tiles_logits(const TrainingSettings& t) {
    const bool chooses = t.method == Method::dpo || t.method == Method::kto;
    return t.method == Method::grpo || (chooses && !t.whole_logits);
}

Outputs tiled_answers(Graph& g, const Var& hidden, const Linear& head) {
    const std::int64_t tokens = hidden.elements() / head.in;
    const std::int64_t texts = tokens / g.settings().sequence;
    const std::int64_t rows = texts * g.settings().answer_length();
    Outputs out;
    const Var part = slice(g, hidden, (tokens - texts) * head.in);
    const Var answers = pick_rows(g, part, rows * head.in, kLogits);
    out.loss = tiled_log_probabilities(g, answers, head);
    // Of every row: label, whether it counts, log-probability, and three numbers that are logged.
    // Of grpo: also ratios, both losses, and what their derivatives keep.
    const std::int64_t numbers = g.settings().method == Method::grpo ? 12 * 4 : 0;
    out.logits = g.make(rows * (8 + 1 + 4 + 4 + 4 + 1 + numbers), Dtype::boolean, kLogits);
    return out;
}

Outputs whole_answers(Graph& g, Var logits, std::int64_t words, const Batch& batch) {
    const std::int64_t tokens = logits.elements() / words;
    const std::int64_t texts = tokens / g.settings().sequence;
    const std::int64_t rows = tokens - texts;
    const bool odds = g.settings().method == Method::orpo;
    // Accelerate converts what autocast returns.
    if (!odds || g.autocast()) logits = to(g, logits, Dtype::fp32, kLogits);
    Outputs out;
    out.logits = logits;
    if (odds) {
        const Var text = loss_of_preferred(g, logits, rows, words, batch.labels);
        const Var picked = picked_log_probabilities(g, slice(g, logits, rows * words), rows);
        out.loss = add(g, text, reduce(g, picked, 1, kLogits), kLogits);
        return out;
    }
    const Var part = slice(g, logits, rows * words);
    const Var all = log_softmax(g, part);
    if (texts > 1) g.scratch(part.bytes(), kLogits);  // reads rows without gaps
    const Var labels = g.make(rows, Dtype::int64, kLogits);
    out.loss = reduce(g, gather(g, all, rows, labels, kLogits), 1, kLogits);
    return out;
}

}  // namespace plimsoll::training
