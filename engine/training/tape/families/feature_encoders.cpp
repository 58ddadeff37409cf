#include "engine/training/tape/families/layers.hpp"

// Encoders of images (ViT) and sound (Whisper): convolutions where others look words up, then
// layers that normalize the input of a block.

namespace plimsoll::training {
namespace {

struct Block {
    Norm first, second;
    Linear query, key, value, attention_out, up, down;
};

Block read_vit_block(Graph& g, const ModelShape& s, ParameterCursor& p) {
    Block b;
    b.query = read_linear(p, g, s.hidden, s.hidden, s.qkv_bias);
    b.key = read_linear(p, g, s.hidden, s.hidden, s.qkv_bias);
    b.value = read_linear(p, g, s.hidden, s.hidden, s.qkv_bias);
    b.attention_out = read_linear(p, g, s.hidden, s.hidden, true);
    b.first = read_norm(p, s.hidden);
    b.second = read_norm(p, s.hidden);
    b.up = read_linear(p, g, s.hidden, s.ffn, true);
    b.down = read_linear(p, g, s.ffn, s.hidden, true);
    return b;
}

Block read_whisper_block(Graph& g, const ModelShape& s, ParameterCursor& p) {
    Block b;
    b.key = read_linear(p, g, s.hidden, s.hidden, false);
    b.value = read_linear(p, g, s.hidden, s.hidden, true);
    b.query = read_linear(p, g, s.hidden, s.hidden, true);
    b.attention_out = read_linear(p, g, s.hidden, s.hidden, true);
    b.first = read_norm(p, s.hidden);
    b.up = read_linear(p, g, s.hidden, s.ffn, true);
    b.down = read_linear(p, g, s.ffn, s.hidden, true);
    b.second = read_norm(p, s.hidden);
    return b;
}

struct Heads {
    Var q, k, v;
};

// Whisper scales q itself and puts all three in the order of heads.
Heads project(Graph& g, const ModelShape& s, const Block& b, const Var& x) {
    constexpr auto group = Group::attention;
    if (s.family == Family::vit) {
        const bool eager = g.settings().attention == Attention::eager;
        const auto rows = [&](Var y) { return eager ? reordered(g, y) : y; };
        return {rows(linear(g, x, b.query, group)), rows(linear(g, x, b.key, group)),
                rows(linear(g, x, b.value, group))};
    }
    Heads h;
    h.q = copy(g, scale(g, linear(g, x, b.query, group), group), true, group);
    h.k = copy(g, linear(g, x, b.key, group), true, group);
    h.v = copy(g, linear(g, x, b.value, group), true, group);
    return h;
}

// Whisper's hidden states lie in the order of channels: its norms read a copy.
Var norm_of(Graph& g, const ModelShape& s, const Var& x, const Norm& norm) {
    Var rows;
    if (s.family == Family::whisper) rows = g.make(x.elements(), x.dtype(), Group::norms);
    return layer_norm(g, x, norm);
}

Var run_block(Graph& g, const ModelShape& s, const Block& b, const Var& x,
              const AttentionShape& shape) {
    constexpr auto attention = Group::attention;
    constexpr auto ffn = Group::feed_forward;
    const auto probabilities =
        s.family == Family::vit ? Probabilities::fp32_softmax : Probabilities::after_dropout;
    Var y;
    {
        const Var normed = norm_of(g, s, x, b.first);
        Var weights;
        const auto [q, k, v] = project(g, s, b, normed);
        y = attend(g, q, k, v, {}, shape, probabilities, weights);
        y = linear(g, y, b.attention_out, attention);
    }
    y = dropout(g, y, s.hidden_dropout, attention);
    y = add(g, x, y, attention);
    const Var residual = y;
    {
        Var normed = norm_of(g, s, y, b.second);
        y = activate(g, linear(g, normed, b.up, ffn), s.activation, ffn);
        // ViT's feed-forward is a module of its own, whose caller keeps what goes into it.
        if (s.family != Family::vit) normed.reset();
        y = linear(g, y, b.down, ffn);
    }
    y = dropout(g, y, s.hidden_dropout, ffn);
    return add(g, residual, y, ffn);
}

Linear read_convolution(ParameterCursor& p, std::int64_t in, std::int64_t out) {
    const int weight = p.next();
    return {.weight = weight, .bias = p.next(), .in = in, .out = out};
}

Var embed_image(Graph& g, const ModelShape& s, ParameterCursor& p, const Var& pixels) {
    constexpr auto group = Group::embedding;
    const std::int64_t images = g.settings().batch;
    const int first = p.next();
    const int positions = p.next();
    const std::int64_t patch = 1LL * s.image_channels * s.patch_size * s.patch_size;
    const Linear projection = read_convolution(p, patch, s.hidden);
    Var x = convolution(g, pixels, projection, images * (s.sample_length() - 1), group);
    const Var start = expand(g, parameter(g, first), images * s.hidden);
    x = concatenate(g, start, to(g, x, start.dtype(), group), group);
    x = add(g, x, parameter(g, positions), group);
    return dropout(g, x, s.hidden_dropout, group);
}

Var embed_sound(Graph& g, const ModelShape& s, ParameterCursor& p, const Batch& batch) {
    constexpr auto group = Group::embedding;
    constexpr std::int64_t width = 3;
    const std::int64_t rows = g.settings().batch * s.positions;
    const Linear first = read_convolution(p, width * s.features, s.hidden);
    const Linear second = read_convolution(p, width * s.hidden, s.hidden);
    const int table = p.next();
    Var x = gelu(g, convolution(g, batch.series, first, 2 * rows, group), group);
    x = gelu(g, convolution(g, x, second, rows, group), group);
    const Var numbers = g.make(s.positions, Dtype::int64, group);
    x = add(g, x, embedding(g, table, s.positions, s.hidden, numbers), group);
    return dropout(g, x, s.hidden_dropout, group);
}

Var run_layers(Graph& g, const ModelShape& s, ParameterCursor& p, Var x) {
    const std::int64_t length = s.sample_length();
    const AttentionShape shape{.batch = g.settings().batch,
                               .heads = s.heads,
                               .kv_heads = s.heads,
                               .queries = length,
                               .keys = length,
                               .head_dim = s.head_dim,
                               .dropout = s.attention_dropout,
                               .by_heads = s.family == Family::whisper};
    for (int i = 0; i < s.layers; ++i) {
        const Block block =
            s.family == Family::vit ? read_vit_block(g, s, p) : read_whisper_block(g, s, p);
        x = run_layer(g, i, std::move(x), [&g, &s, block, shape](const Var& in) {
            return run_block(g, s, block, in, shape);
        });
    }
    return norm_of(g, s, x, read_norm(p, s.hidden));
}

}  // namespace

Outputs vit_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    ParameterCursor p(g);
    Var hidden;
    {
        // The model keeps both until its layers return.
        const Var pixels = to(g, batch.series, g.parameter(p.position()).dtype, Group::embedding);
        const Var embedded = embed_image(g, s, p, pixels);
        hidden = run_layers(g, s, p, embedded);
    }
    Outputs out;
    const Var first = slice(g, hidden, g.settings().batch * s.hidden);
    out.logits = linear(g, first, read_linear(p, g, s.hidden, s.labels, true), Group::logits);
    out.loss = cross_entropy(g, out.logits, batch.labels);
    return out;
}

Outputs whisper_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    constexpr auto head = Group::logits;
    ParameterCursor p(g);
    const Var hidden = run_layers(g, s, p, embed_sound(g, s, p, batch));
    const Linear projector = read_linear(p, g, s.hidden, s.projection, true);
    Outputs out;
    const Var mean =
        reduce(g, linear(g, hidden, projector, head), g.settings().batch * s.projection, head);
    out.logits = linear(g, mean, read_linear(p, g, s.projection, s.labels, true), head);
    out.loss = cross_entropy(g, out.logits, batch.labels);
    return out;
}

}  // namespace plimsoll::training
