#include "engine/training/models/decoder_traits.hpp"
#include "engine/training/tape/families/experts.hpp"
#include "engine/training/tape/operations/rotary.hpp"

// Llama and the decoders that are written in its manner, as transformers 5.17 has them.

namespace plimsoll::training {
namespace {

struct Block {
    Linear query, key, value, attention_out;
    Linear qkv;  // packed
    int query_norm = -1, key_norm = -1;
    GatedLinear feed_forward;
    Linear gate_up;  // packed
    Experts experts;
    int before_attention = -1, after_attention = -1;
    int before_feed_forward = -1, after_feed_forward = -1;
};

int next_norm(ParameterCursor& p, const DecoderTraits& traits) {
    const int weight = p.next();
    if (traits.layer_norms) p.skip(1);  // its bias follows
    return weight;
}

void read_attention(Graph& g, const ModelShape& s, const DecoderTraits& traits, ParameterCursor& p,
                    Block& b) {
    if (traits.packed) {
        b.attention_out = read_linear(p, g, s.q_width(), s.hidden, false);
        b.qkv = read_linear(p, g, s.hidden, s.q_width() + 2LL * s.kv_width(), false);
        return;
    }
    if (traits.learned) {
        b.key = read_linear(p, g, s.hidden, s.hidden, s.qkv_bias);
        b.value = read_linear(p, g, s.hidden, s.hidden, s.qkv_bias);
        b.query = read_linear(p, g, s.hidden, s.hidden, s.qkv_bias);
        b.attention_out = read_linear(p, g, s.hidden, s.hidden, s.output_bias);
        b.before_attention = next_norm(p, traits);
        return;
    }
    b.query = read_linear(p, g, s.hidden, s.q_width(), s.qkv_bias);
    b.key = read_linear(p, g, s.hidden, s.kv_width(), s.qkv_bias);
    b.value = read_linear(p, g, s.hidden, s.kv_width(), s.qkv_bias);
    b.attention_out = read_linear(p, g, s.q_width(), s.hidden, s.output_bias);
    if (traits.head_norms || traits.row_norms) {
        b.query_norm = p.next();
        b.key_norm = p.next();
    }
}

Block read_block(Graph& g, const ModelShape& s, ParameterCursor& p) {
    const auto traits = decoder_traits(s.family);
    Block b;
    read_attention(g, s, traits, p, b);
    if (s.has_experts()) {
        b.experts = read_experts(p, g, s);
    } else if (traits.packed) {
        b.gate_up = read_linear(p, g, s.hidden, 2LL * s.ffn, false);
        b.feed_forward.down = read_linear(p, g, s.ffn, s.hidden, false);
    } else if (traits.plain) {
        b.feed_forward.up = read_linear(p, g, s.hidden, s.ffn, s.ffn_bias);
        b.feed_forward.down = read_linear(p, g, s.ffn, s.hidden, s.ffn_bias);
    } else {
        b.feed_forward = read_gated(p, g, s, s.ffn);
    }
    if (traits.before_norms && !traits.learned) b.before_attention = next_norm(p, traits);
    if (traits.outer_norms) b.after_attention = p.next();
    if (traits.before_norms) b.before_feed_forward = next_norm(p, traits);
    if (traits.outer_norms) b.after_feed_forward = p.next();
    return b;
}

// What layers of one kind share.
struct Context {
    RotaryTables rope;
    Var mask;
    Var bias;  // the mask, where eager attention adds it
    AttentionShape shape;
};

class Layer {
  public:
    Layer(Graph& g, const ModelShape& shape, std::vector<Var>& routers)
        : g_(g), s_(shape), routers_(routers) {}

    Var run(const Block& b, const Var& x, const Context& context, bool turns) {
        Var y = attention(b, norm_if(x, b.before_attention), context, turns);
        y = dropout(g_, y, s_.hidden_dropout, Group::attention);
        y = norm_if(std::move(y), b.after_attention);
        y = add(g_, x, multiplied(std::move(y), Group::attention), Group::attention);
        const Var residual = y;
        y = norm_if(std::move(y), b.before_feed_forward);
        y = feed_forward(b, std::move(y));
        y = dropout(g_, y, s_.hidden_dropout, Group::feed_forward);
        y = norm_if(std::move(y), b.after_feed_forward);
        return add(g_, residual, multiplied(std::move(y), Group::feed_forward),
                   Group::feed_forward);
    }

    Var norm(const Var& x, int weight, std::int64_t width) {
        if (traits_.layer_norms) return layer_norm(g_, x, {weight, weight + 1, width});
        if (traits_.wide_norms) return wide_rms_norm(g_, x, weight, width);
        return traits_.unit_norms ? unit_rms_norm(g_, x, weight, width)
                                  : rms_norm(g_, x, weight, width);
    }

  private:
    Var norm_if(Var x, int weight) { return weight < 0 ? x : norm(x, weight, s_.hidden); }
    Var multiplied(Var x, Group group) { return traits_.multiplied ? scale(g_, x, group) : x; }

    struct Heads {
        Var q, k, v;
    };

    // Gradients arrive in the order of heads and are copied back to rows.
    Heads project(const Block& b, const Var& x) {
        constexpr auto group = Group::attention;
        if (traits_.learned)
            return {scale(g_, linear(g_, x, b.query, group), group), linear(g_, x, b.key, group),
                    linear(g_, x, b.value, group)};
        if (traits_.row_norms)
            return {reordered(g_, norm(linear(g_, x, b.query, group), b.query_norm, s_.q_width())),
                    reordered(g_, norm(linear(g_, x, b.key, group), b.key_norm, s_.kv_width())),
                    linear(g_, x, b.value, group)};
        if (!traits_.packed) {
            Heads h{reordered(g_, linear(g_, x, b.query, group)),
                    reordered(g_, linear(g_, x, b.key, group)), linear(g_, x, b.value, group)};
            if (b.query_norm >= 0) {
                h.q = norm(h.q, b.query_norm, s_.head_dim);
                h.k = norm(h.k, b.key_norm, s_.head_dim);
            }
            return h;
        }
        const Var all = linear(g_, x, b.qkv, group);
        const std::int64_t rows = x.elements() / s_.hidden;
        return {reordered(g_, slice(g_, all, rows * s_.q_width())),
                reordered(g_, slice(g_, all, rows * s_.kv_width())),
                slice(g_, all, rows * s_.kv_width())};
    }

    Var turn(const Var& x, const RotaryTables& rope) {
        return traits_.packed ? rotate_part(g_, x, rope, s_.head_dim) : rotate(g_, x, rope);
    }

    Var attention(const Block& b, const Var& x, const Context& context, bool turns) {
        constexpr auto group = Group::attention;
        AttentionShape shape = context.shape;
        Var weights;
        auto [q, k, v] = project(b, x);
        // PyTorch groups heads itself; with a mask transformers repeats them beforehand.
        const bool fused = g_.settings().attention == Attention::sdpa;
        const bool repeats = fused && shape.mask;
        if (repeats) shape.kv_heads = shape.heads;
        if (fused && choose_sdpa(g_.settings(), g_.device(), attended_type(g_, v), shape) ==
                         SdpaKernel::math)
            v = reordered(g_, v);
        if (turns) {
            Var turned_q = turn(q, context.rope);
            Var turned_k = turn(k, context.rope);
            q = std::move(turned_q);
            k = std::move(turned_k);
        }
        if (repeats) {
            k = repeat_kv(g_, k, context.shape);
            v = repeat_kv(g_, v, context.shape);
        }
        const Var y =
            attend(g_, q, k, v, context.bias, shape, Probabilities::fp32_softmax, weights);
        return linear(g_, y, b.attention_out, group);
    }

    Var feed_forward(const Block& b, Var x) {
        constexpr auto group = Group::feed_forward;
        if (s_.has_experts()) return run_experts(g_, s_, b.experts, x, routers_);
        if (traits_.plain) {
            Var y = activate(g_, linear(g_, x, b.feed_forward.up, group), s_.activation, group);
            return linear(g_, y, b.feed_forward.down, group);
        }
        if (!traits_.packed) return gated_feed_forward(g_, b.feed_forward, x, s_.activation);
        Var y;
        {
            const auto [gate, up] = split2(g_, linear(g_, x, b.gate_up, group));
            y = multiply(g_, up, activate(g_, gate, s_.activation, group), group);
        }
        return linear(g_, y, b.feed_forward.down, group);
    }

    Graph& g_;
    const ModelShape& s_;
    std::vector<Var>& routers_;
    const DecoderTraits traits_ = decoder_traits(s_.family);
};

// Gemma and Granite multiply what they look up by a number.
Var look_up(Graph& g, const ModelShape& s, int table, std::int64_t rows) {
    const auto traits = decoder_traits(s.family);
    if (!traits.unit_norms) {
        const Var words = embedding(g, table, rows, s.hidden, {}, true);
        return traits.multiplied ? scale(g, words, Group::embedding) : words;
    }
    const Var words = embedding(g, table, rows, s.hidden, {}, false);
    return as_input(g, scale(g, words, Group::embedding), table);
}

// From ids to the last norm. Embeddings, tables and masks live until its end.
Var hidden_states(Graph& g, const ModelShape& s, ParameterCursor& p, const Var& ids,
                  std::vector<Var>& routers) {
    const std::int64_t rows = ids.elements();
    const std::int64_t sequence = g.settings().row_length();
    const bool eager = g.settings().attention == Attention::eager;
    const bool flash = g.settings().attention == Attention::flash;
    const auto traits = decoder_traits(s.family);
    const Var words = look_up(g, s, p.next(), rows);
    const Var position_ids = traits.learned ? g.make(rows, Dtype::int64, Group::embedding)
                                            : make_positions(g, Group::embedding);
    Var positions, embeddings = words;
    int last_norm = -1;
    if (traits.learned) {
        const int table = p.next();
        last_norm = next_norm(p, traits);
        positions =
            embedding(g, table, rows, s.hidden, g.make(rows, Dtype::int64, Group::embedding));
        embeddings = add(g, words, positions, Group::embedding);
    }
    const auto context_of = [&](bool window) {
        Context c;
        c.shape = self_attention(g, s, rows, true);
        // flash-attn takes the window's size instead.
        c.shape.mask = c.shape.mask || (window && !flash && sequence >= s.window);
        c.shape.capped = s.capped_scores;
        c.shape.by_heads = decoder_traits(s.family).packed;
        c.mask = causal_mask(g, c.shape, embeddings.dtype());
        if (eager) c.bias = c.mask;
        return c;
    };
    // Families that alternate have masks of both kinds, others of the one that they use.
    Context full, windowed;
    if (s.window == 0 || s.full_every > 0) full = context_of(false);
    if (s.window > 0) windowed = context_of(true);
    const auto tables = [&]() -> RotaryTables {
        if (traits.learned) return {};
        const bool wide = decoder_traits(s.family).wide_rotary;
        auto made =
            rotary_tables(g, sequence, s.rotary_width(), wide ? Dtype::fp32 : embeddings.dtype());
        made.narrows = wide;
        return made;
    };
    if (full.shape.batch > 0) full.rope = tables();
    if (windowed.shape.batch > 0)
        windowed.rope =
            decoder_traits(s.family).two_rotaries || !full.rope.cosine ? tables() : full.rope;

    Layer layer(g, s, routers);
    Var x = embeddings;
    for (int i = 0; i < s.layers; ++i) {
        const Block block = read_block(g, s, p);
        const Context& context = s.has_window(i) ? windowed : full;
        const bool turns = s.has_rotary(i);
        x = run_layer(g, i, std::move(x),
                      [layer, block, context, position_ids, turns](const Var& in) {
                          return Layer(layer).run(block, in, context, turns);
                      });
    }
    if (last_norm < 0) last_norm = next_norm(p, traits);
    return layer.norm(x, last_norm, s.hidden);
}

}  // namespace

Outputs rms_norm_decoder_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    ParameterCursor p(g);
    std::vector<Var> routers;
    const Var x = hidden_states(g, s, p, batch.ids, routers);
    Outputs out = decoder_head(g, s, p, x, batch);
    if (routers.empty()) return out;
    out.router_loss = router_loss(g, s, routers);
    out.loss = with_router_loss(g, out.loss, out.router_loss);
    out.routers = std::move(routers);
    return out;
}

}  // namespace plimsoll::training
