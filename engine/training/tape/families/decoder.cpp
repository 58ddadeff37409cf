#include "engine/training/tape/families/decoder_block.hpp"
#include "engine/training/tape/operations/rotary.hpp"

#include <memory>

// Llama and the decoders that are written in its manner, as transformers 5.17 has them.

namespace plimsoll::training {
namespace {

struct Heads {
    Var q, k, v;
    Var gate = {};  // of what attention returns
};

// What layers of one kind share.
struct Context {
    RotaryTables rope;
    Var mask;
    Var bias;     // the mask, where eager attention adds it
    Var padding;  // the batch's, which layers without scores multiply by
    AttentionShape shape;
    std::shared_ptr<Heads> lent = std::make_shared<Heads>();  // k and v for later layers
};

class Layer {
  public:
    Layer(Graph& g, ModelShape shape, std::vector<Var>& routers)
        : g_(g), s_(std::move(shape)), routers_(routers) {}

    // `inputs` are all layers' own ones.
    Var run(const DecoderBlock& b, const Var& x, const Context& context, bool turns,
            const Var& inputs) {
        Var y = scatter_text(
            g_,
            attention(b, gather_text(g_, norm_if(x, b.before_attention), Group::attention), context,
                      turns),
            Group::attention);
        y = dropout(g_, y, s_.hidden_dropout, Group::attention);
        y = norm_if(std::move(y), b.after_attention);
        y = add(g_, x, multiplied(std::move(y), Group::attention), Group::attention);
        const Var residual = y;
        y = norm_if(std::move(y), b.before_feed_forward);
        y = scatter_text(g_, feed_forward(b, gather_text(g_, std::move(y), Group::feed_forward)),
                         Group::feed_forward);
        y = dropout(g_, y, s_.hidden_dropout, Group::feed_forward);
        if (traits_.beside)
            y = add(g_, norm_if(std::move(y), b.experts.after_dense),
                    run_experts_beside(g_, s_, b.experts, residual), Group::experts);
        y = norm_if(std::move(y), b.after_feed_forward);
        y = add(g_, residual, multiplied(std::move(y), Group::feed_forward), Group::feed_forward);
        if (b.after_input >= 0) y = with_inputs(b, y, inputs);
        return traits_.power_norms ? reordered(g_, y) : y;  // times a number, in place
    }

    Var norm(const Var& x, int weight, std::int64_t width) {
        if (traits_.layer_norms) return layer_norm(g_, x, {weight, weight + 1, width});
        if (traits_.wide_norms) return wide_rms_norm(g_, x, weight, width);
        if (traits_.power_norms) return power_rms_norm(g_, x, weight, width);
        return traits_.unit_norms ? unit_rms_norm(g_, x, weight, width)
                                  : rms_norm(g_, x, weight, width);
    }

  private:
    Var norm_if(Var x, int weight) { return weight < 0 ? x : norm(x, weight, s_.hidden); }
    Var multiplied(Var x, Group group) { return traits_.multiplied ? scale(g_, x, group) : x; }

    Var with_inputs(const DecoderBlock& b, const Var& x, const Var& inputs) {
        constexpr auto group = Group::feed_forward;
        const std::int64_t own = x.elements() / s_.hidden * s_.layer_inputs;
        Var y = activate(g_, linear(g_, x, b.input_gate, group), s_.activation, group);
        y = linear(g_, multiply(g_, y, slice(g_, inputs, own), group), b.input_projection, group);
        return add(g_, x, norm(y, b.after_input, s_.hidden), group);
    }

    // Turned already; k and v may be those of a layer before.
    Heads project_shared(const DecoderBlock& b, const Var& x, const Context& context) {
        constexpr auto group = Group::attention;
        Heads h;
        h.q = rotate(g_, norm(linear(g_, x, b.query, group), b.query_norm, s_.head_dim),
                     context.rope);
        if (b.shares_keys) {
            h.k = context.lent->k;
            h.v = context.lent->v;
            return h;
        }
        h.k = linear(g_, x, b.key, group);
        h.v = s_.keys_as_values ? h.k : linear(g_, x, b.value, group);
        h.k = rotate(g_, norm(h.k, b.key_norm, s_.head_dim), context.rope);
        h.v = norm(h.v, -1, s_.head_dim);
        if (b.lends_keys) *context.lent = {{}, h.k, h.v};
        return h;
    }

    // Gradients arrive in the order of heads and are copied back to rows.
    Heads project(const DecoderBlock& b, const Var& x) {
        constexpr auto group = Group::attention;
        if (traits_.learned)
            return {scale(g_, linear(g_, x, b.query, group), group), linear(g_, x, b.key, group),
                    linear(g_, x, b.value, group)};
        if (traits_.row_norms)
            return {reordered(g_, norm(linear(g_, x, b.query, group), b.query_norm, s_.q_width())),
                    reordered(g_, norm(linear(g_, x, b.key, group), b.key_norm, s_.kv_width())),
                    linear(g_, x, b.value, group)};
        if (traits_.gated_attention) {
            Heads h;
            const auto [query, gate] = split2(g_, linear(g_, x, b.query, group));
            h.gate = copy(g_, gate, false, group);
            h.q = norm(query, b.query_norm, s_.head_dim);
            h.k = norm(reordered(g_, linear(g_, x, b.key, group)), b.key_norm, s_.head_dim);
            h.v = linear(g_, x, b.value, group);
            return h;
        }
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

    // Numbers that turn and others arrive apart and are joined; those of k are the same for all
    // heads and are copied beside each.
    Heads project_latent(const DecoderBlock& b, const Var& x, const RotaryTables& rope) {
        constexpr auto group = Group::attention;
        const std::int64_t rows = x.elements() / s_.hidden;
        Var latent = x;
        if (b.query_norm >= 0)
            latent = norm(linear(g_, x, b.query_latent, group), b.query_norm, s_.query_rank);
        const Var all = reordered(g_, linear(g_, latent, b.query, group));
        const std::int64_t turned = rows * s_.heads * rope.width;
        auto [q, q_turned] = split_at(g_, all, all.elements() - turned);
        auto [narrow, k_turned] = split_at(g_, linear(g_, x, b.latents, group), rows * s_.kv_rank);
        narrow = norm(narrow, b.key_norm, s_.kv_rank);
        q_turned = turn(q_turned, rope);
        k_turned = turn(k_turned, rope);
        q = concatenate(g_, to(g_, q, q_turned.dtype(), group), q_turned, group);
        const Var both = reordered(g_, linear(g_, narrow, b.key, group));
        auto [k, v] = split_at(g_, both, all.elements() - turned);
        return {q, fill(g_, k, expand(g_, to(g_, k_turned, k.dtype(), group), turned)), v};
    }

    Var turn(const Var& x, const RotaryTables& rope) {
        switch (traits_.rotary) {
            case Rotary::halves: break;
            case Rotary::part:
            case Rotary::paired: return rotate_part(g_, x, rope, s_.head_dim);
            case Rotary::chunks:
            case Rotary::apart: return rotate_chunks(g_, x, rope);
            case Rotary::complex: return rotate_complex(g_, x, rope);
        }
        return rotate(g_, x, rope);
    }

    // Ministral's are in the type of q, Llama 4's in fp32 and of layers without rotary positions.
    Var scaled(const Var& q) {
        constexpr auto group = Group::attention;
        const Dtype dtype = traits_.even_experts ? Dtype::fp32 : q.dtype();
        const Var numbers = g_.make(g_.settings().row_length(), dtype, group);
        return to(g_, multiply(g_, q, numbers, group), q.dtype(), group);
    }

    // LFM2's: what is read, times a gate before and another after.
    Var short_convolution(const DecoderBlock& b, const Var& x) {
        constexpr auto group = Group::attention;
        const auto parts = split3(g_, by_channels(g_, linear(g_, x, b.qkv, group), s_.hidden * 3));
        Var y = multiply(g_, parts[0], parts[2], group);
        y = to(g_, causal_convolution(g_, y, b.convolution, s_.hidden, group), y.dtype(), group);
        return linear(g_, multiply(g_, parts[1], y, group), b.attention_out, group);
    }

    Var attention(const DecoderBlock& b, const Var& x, const Context& context, bool turns) {
        constexpr auto group = Group::attention;
        if (b.convolution >= 0 || b.delta.convolution >= 0) {
            const Var own = context.padding
                                ? multiply(g_, x, context.padding, group, Broadcast::over_columns)
                                : x;
            return b.convolution >= 0 ? short_convolution(b, own)
                                      : run_delta_rule(g_, s_, b.delta, own);
        }
        AttentionShape shape = context.shape;
        Var weights;
        const auto rope =
            traits_.rotary == Rotary::paired ? spread(g_, context.rope) : context.rope;
        auto [q, k, v, gate] = traits_.latent        ? project_latent(b, x, rope)
                               : traits_.power_norms ? project_shared(b, x, context)
                                                     : project(b, x);
        // PyTorch groups heads itself; with a mask transformers repeats them beforehand.
        const bool fused = g_.settings().attention == Attention::sdpa && !traits_.sinks;
        const bool repeats = fused && shape.mask;
        if (repeats) shape.kv_heads = shape.heads;
        if (fused && choose_sdpa(g_.settings(), g_.device(), attended_type(g_, v), shape) ==
                         SdpaKernel::math)
            v = reordered(g_, v);
        if (turns && !traits_.latent && !traits_.power_norms) {
            Var turned_q = turn(q, rope);
            Var turned_k = turn(k, rope);
            q = std::move(turned_q);
            k = std::move(turned_k);
        }
        if (turns && traits_.unit_queries) {
            q = unit_length(g_, q, s_.head_dim);
            k = unit_length(g_, k, s_.head_dim);
        }
        if (traits_.scaled_queries && !(turns && traits_.even_experts)) q = scaled(q);
        cache(g_, k, v);
        if (repeats) {
            k = repeat_kv(g_, k, context.shape);
            v = repeat_kv(g_, v, context.shape);
        }
        const Var sinks = traits_.sinks ? parameter(g_, b.sinks) : Var();
        const bool narrow = traits_.sinks || traits_.even_experts;
        const auto kind = narrow ? Probabilities::before_dropout : Probabilities::fp32_softmax;
        Var y = attend(g_, q, k, v, context.bias, shape, kind, weights, sinks);
        if (gate) y = multiply(g_, y, sigmoid(g_, gate, group), group);
        return linear(g_, y, b.attention_out, group);
    }

    Var feed_forward(const DecoderBlock& b, Var x) {
        constexpr auto group = Group::feed_forward;
        if (b.experts.router >= 0) return run_experts(g_, s_, b.experts, x, routers_);
        if (traits_.plain) {
            Var y = activate(g_, linear(g_, x, b.feed_forward.up, group), s_.activation, group);
            return linear(g_, y, b.feed_forward.down, group);
        }
        if (!traits_.packed_ffn) return gated_feed_forward(g_, b.feed_forward, x, s_.activation);
        Var y;
        {
            const auto [gate, up] = split2(g_, linear(g_, x, b.gate_up, group));
            y = multiply(g_, up, activate(g_, gate, s_.activation, group), group);
        }
        return linear(g_, y, b.feed_forward.down, group);
    }

    Graph& g_;
    const ModelShape s_;
    std::vector<Var>& routers_;
    const DecoderTraits traits_ = s_.traits();
};

// Gemma and Granite multiply what they look up by a number.
Var look_up(Graph& g, const ModelShape& s, int table, std::int64_t rows) {
    const auto traits = s.traits();
    if (!traits.scaled_words) {
        const Var words =
            scatter_text(g, embedding(g, table, rows, s.hidden, {}, true), Group::embedding);
        return traits.multiplied ? scale(g, words, Group::embedding) : words;
    }
    const Var words =
        scatter_text(g, embedding(g, table, rows, s.hidden, {}, false), Group::embedding);
    return as_input(g, scale(g, words, Group::embedding), table);
}

// What all layers get beside what the one before returns: a table's, and what is made of the words.
Var look_up_inputs(Graph& g, const ModelShape& s, ParameterCursor& p, const Var& words,
                   std::int64_t rows) {
    constexpr auto group = Group::embedding;
    const int width = s.layers * s.layer_inputs;
    const int table = p.next();
    const Linear projection = read_linear(p, g, s.hidden, width, false);
    const Var own =
        as_input(g, scale(g, embedding(g, table, rows, width, {}, false), group), table);
    Var made = scale(g, linear(g, words, projection, group), group);
    made = power_rms_norm(g, made, p.next(), s.layer_inputs);
    return scale(g, add(g, made, own, group), group);
}

// From ids to the last norm. Embeddings, tables and masks live until its end.
Var hidden_states(Graph& g, const ModelShape& s, ParameterCursor& p, const Batch& batch,
                  std::vector<Var>& routers) {
    const std::int64_t rows = batch.ids.elements();
    const std::int64_t sequence = g.settings().row_length();
    const auto traits = s.traits();
    const bool eager = g.settings().attention == Attention::eager || traits.sinks;
    const bool flash = g.settings().attention == Attention::flash;
    const Var words = s.begins ? look_up(g, s, p.table(), rows) : batch.received;
    const Var inputs = s.layer_inputs > 0 ? look_up_inputs(g, s, p, words, rows) : Var();
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
    // Of the layers that see a window, or all.
    const auto shape_of = [&](bool window) {
        int index = 0;
        while (index + 1 < s.layers && s.has_window(index) != window) ++index;
        return s.of_layer(index);
    };
    const auto context_of = [&](bool window) {
        Context c;
        c.shape = self_attention(g, shape_of(window), rows, true);
        // flash-attn takes the window's size instead.
        c.shape.mask = c.shape.mask || (window && !flash && sequence >= s.window);
        c.shape.capped = s.capped_scores;
        c.shape.by_heads = traits.by_heads();
        c.shape.value_dim = s.value_dim;
        c.mask = causal_mask(g, c.shape, embeddings.dtype(), eager);
        if (eager) c.bias = c.mask;
        if (g.settings().padded) c.padding = batch.mask;
        return c;
    };
    // Families that alternate have masks of both kinds, others of the one that they use.
    Context full, windowed;
    if (s.window == 0 || s.full_every > 0) full = context_of(false);
    if (s.window > 0) windowed = context_of(true);
    const auto tables = [&](bool window) -> RotaryTables {
        if (traits.learned) return {};
        const bool wide = traits.wide_rotary || traits.rotary == Rotary::complex;
        auto made = rotary_tables(g, sequence, shape_of(window).rotary_width(),
                                  wide ? Dtype::fp32 : embeddings.dtype(), traits.rotary,
                                  traits.delta && !traits.packed_delta);
        made.narrows = wide;
        return made;
    };
    if (full.shape.batch > 0) full.rope = tables(false);
    if (windowed.shape.batch > 0)
        windowed.rope = traits.two_rotaries || !full.rope.cosine ? tables(true) : full.rope;

    Var x = embeddings;
    for (int i = 0; i < s.layers; ++i) {
        const auto own = s.of_layer(i);
        const Layer layer(g, own, routers);
        const DecoderBlock block = read_decoder_block(g, own, p, i);
        const Context& context = s.has_window(i) ? windowed : full;
        const bool turns = s.has_rotary(i);
        x = run_layer(g, i, std::move(x),
                      [layer, block, context, position_ids, turns, inputs](const Var& in) {
                          return Layer(layer).run(block, in, context, turns, inputs);
                      });
    }
    if (!s.ends) return x;
    if (last_norm < 0) last_norm = next_norm(p, traits);
    return Layer(g, s, routers).norm(x, last_norm, s.hidden);
}

}  // namespace

Outputs rms_norm_decoder_forward(Graph& g, const ModelShape& s, const Batch& batch) {
    ParameterCursor p(g);
    std::vector<Var> routers;
    Var x = hidden_states(g, s, p, batch, routers);
    Outputs out;
    if (!s.ends) {
        out.sent = std::move(x);
        return out;
    }
    out = decoder_head(g, s, p, x, batch);
    if (routers.empty()) return out;
    out.router_loss = router_loss(g, s, routers);
    out.loss = with_router_loss(g, out.loss, out.router_loss);
    out.routers = std::move(routers);
    return out;
}

}  // namespace plimsoll::training
