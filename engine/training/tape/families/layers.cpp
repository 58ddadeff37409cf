#include "engine/training/tape/families/layers.hpp"

namespace plimsoll::training {

bool ParameterCursor::adapters_follow() const {
    const auto& parameters = graph_.parameters();
    return static_cast<std::size_t>(at_) < parameters.size() &&
           parameters[static_cast<std::size_t>(at_)].adapter;
}

int ParameterCursor::copy_of(int table) {
    const auto& parameters = graph_.parameters();
    const auto at = static_cast<std::size_t>(at_);
    if (at >= parameters.size() || !parameters[at].copied) return table;
    const int copy = next();
    return graph_.adapts() ? copy : table;
}

Linear read_linear(ParameterCursor& parameters, const Graph& g, std::int64_t in, std::int64_t out,
                   bool bias) {
    Linear layer{.in = in, .out = out};
    layer.weight = parameters.next();
    if (bias) layer.bias = parameters.next();
    if (parameters.adapters_follow() && !g.adapts()) {
        parameters.skip(g.settings().lora.dora ? 3 : 2);
    } else if (parameters.adapters_follow()) {
        layer.lora_a = parameters.next();
        layer.lora_b = parameters.next();
        layer.rank = g.settings().lora.rank;
        if (g.settings().lora.dora) layer.magnitude = parameters.next();
    }
    return layer;
}

Norm read_norm(ParameterCursor& parameters, std::int64_t width) {
    const int weight = parameters.next();
    return {weight, parameters.next(), width};
}

EncoderBlock read_encoder_block(Graph& g, const ModelShape& s, ParameterCursor& p) {
    EncoderBlock l;
    l.query = read_linear(p, g, s.hidden, s.hidden, true);
    l.key = read_linear(p, g, s.hidden, s.hidden, true);
    l.value = read_linear(p, g, s.hidden, s.hidden, true);
    l.attention_out = read_linear(p, g, s.hidden, s.hidden, true);
    l.attention_norm = read_norm(p, s.hidden);
    l.up = read_linear(p, g, s.hidden, s.ffn, true);
    l.down = read_linear(p, g, s.ffn, s.hidden, true);
    l.output_norm = read_norm(p, s.hidden);
    return l;
}

AttentionShape self_attention(const Graph& g, const ModelShape& s, std::int64_t rows, bool causal) {
    const auto& t = g.settings();
    const std::int64_t sequence = t.row_length();
    // A packed row has a mask that parts its texts, but for flash-attn, which takes their lengths.
    const bool parted = t.packed && t.attention != Attention::flash;
    return {.batch = rows / sequence,
            .heads = s.heads,
            .kv_heads = s.kv_heads,
            .queries = sequence,
            .keys = sequence,
            .head_dim = s.head_dim,
            .dropout = s.attention_dropout,
            .causal = causal,
            .mask = t.padded || parted};
}

Dtype attended_type(const Graph& g, const Var& x) { return g.autocast() ? Dtype::half : x.dtype(); }

void cache(Graph& g, Var& k, Var& v) {
    if (!g.caches()) return;
    for (Var* one : {&k, &v}) {
        *one = copy(g, *one, false, Group::attention);
        g.keep_state(*one);
    }
}

Var attend(Graph& g, const Var& given_q, const Var& given_k, const Var& given_v, const Var& bias,
           const AttentionShape& shape, Probabilities probabilities, Var& weights,
           const Var& sinks) {
    // Autocast converts the arguments from the right.
    const Dtype dtype = attended_type(g, given_q);
    const Var v = to(g, given_v, dtype, Group::attention);
    const Var k = to(g, given_k, dtype, Group::attention);
    const Var q = to(g, given_q, dtype, Group::attention);
    if (g.settings().attention == Attention::eager || sinks)
        return eager_attention(g, q, k, v, bias, shape, probabilities, weights, {}, sinks);
    if (g.settings().attention == Attention::flash) {
        const Var out = flash_attention(g, q, k, v, shape);
        return shape.by_heads ? copy(g, out, true, Group::attention) : out;
    }
    Var out = sdpa(g, q, k, v, shape);
    // Rows are wanted. Memory-efficient attention returns them, the plain composition does not, and
    // the others follow q.
    // A ring's parts are joined by heads.
    if (g.settings().parallel.context > 1) return copy(g, out, false, Group::attention);
    const auto kernel = choose_sdpa(g.settings(), g.device(), q.dtype(), shape);
    if (kernel == SdpaKernel::math || (shape.by_heads && kernel != SdpaKernel::efficient))
        out = copy(g, out, true, Group::attention);
    return out;
}

namespace {

// One label to the left, with one more at the end of every row.
struct Labels {
    Var padded, shifted;
};
Labels shift_labels(Graph& g, const Var& labels) {
    const std::int64_t rows = labels.elements() / g.settings().row_length();
    const Var padded = g.make(labels.elements() + rows, Dtype::int64, Group::logits);
    // A single row need not be copied.
    if (rows == 1) return {padded, padded};
    return {padded, g.make(labels.elements(), Dtype::int64, Group::logits)};
}

}  // namespace

Var language_model_loss(Graph& g, const Var& logits, const Var& labels, bool causal) {
    const Var wide = to(g, logits, Dtype::fp32, Group::logits);
    if (!causal) return cross_entropy(g, wide, labels);
    const Labels moved = shift_labels(g, labels);
    return cross_entropy(g, wide, moved.shifted);
}

Var make_positions(Graph& g, Group group) {
    if (g.settings().packed) return {};
    return g.make(g.settings().sequence, Dtype::int64, group);
}

Var causal_mask(Graph& g, const AttentionShape& shape, Dtype dtype, bool eager) {
    const std::int64_t elements = shape.batch * shape.queries * shape.keys;
    if (g.settings().attention == Attention::flash) return {};
    if (eager) return g.make(elements, dtype, Group::attention_scores);
    if (shape.mask) return g.make(elements, Dtype::boolean, Group::attention_scores);
    return {};
}

Var pair_mask(Graph& g, std::int64_t queries, std::int64_t keys, bool causal, Dtype dtype) {
    const auto& t = g.settings();
    const bool eager = t.attention == Attention::eager;
    // Targets are padded by their labels: nothing is masked but what comes later.
    if (causal ? !eager : !t.padded) return {};
    return g.make(t.batch * queries * keys, eager ? dtype : Dtype::boolean,
                  Group::attention_scores);
}

Outputs decoder_head(Graph& g, const ModelShape& s, ParameterCursor& p, const Var& hidden,
                     const Batch& batch) {
    const int word_embeddings = g.first_parameter();
    g.keep_state(hidden);
    const bool ppo = g.settings().method == Method::ppo;  // has a loss of its own
    Outputs out;
    if (s.head == Head::language_model) {
        const int weight = s.tied_head ? word_embeddings : p.next();
        const Linear head{.weight = p.copy_of(weight), .in = s.hidden, .out = s.vocab};
        if (batch.generates) {
            out.logits =
                linear(g, slice(g, hidden, g.settings().batch * s.hidden), head, Group::logits);
            return out;
        }
        if (g.settings().fused_loss) {
            const Labels moved = shift_labels(g, batch.labels);
            out.loss = fused_linear_cross_entropy(g, hidden, head);
            return out;
        }
        if (tiles_logits(g.settings())) return tiled_answers(g, hidden, head);
        out.logits = linear(g, gather_text(g, hidden, Group::logits), head, Group::logits);
        if (s.traits().multiplied) out.logits = scale(g, out.logits, Group::logits);
        if (s.capped_logits) out.logits = cap(g, std::move(out.logits), Group::logits);
        if (ppo) return out;
        if (g.settings().method != Method::supervised)
            return whole_answers(g, std::move(out.logits), head.out, batch);
        out.loss = language_model_loss(g, out.logits, batch.labels, true);
    } else {
        const Linear head{.weight = p.table(), .in = s.hidden, .out = s.labels};
        out.logits = linear(g, hidden, head, Group::logits);
        if (ppo) return out;
        const std::int64_t rows = hidden.elements() / s.hidden / g.settings().sequence;
        out.loss = cross_entropy(g, slice(g, out.logits, rows * s.labels), batch.labels);
    }
    return out;
}

Outputs forward(Graph& g, const ModelShape& shape, const Batch& batch) {
    switch (shape.family) {
        case Family::bert:
        case Family::distilbert:
        case Family::roberta: return bert_forward(g, shape, batch);
        case Family::deberta_v2: return deberta_forward(g, shape, batch);
        case Family::modernbert: return modernbert_forward(g, shape, batch);
        case Family::vit: return vit_forward(g, shape, batch);
        case Family::whisper: return whisper_forward(g, shape, batch);
        case Family::t5:
            return shape.own_traits ? bart_forward(g, shape, batch) : t5_forward(g, shape, batch);
        case Family::gpt2: return gpt2_forward(g, shape, batch);
        case Family::gpt_neox: return gpt_neox_forward(g, shape, batch);
        case Family::naics: return naics_forward(g, shape, batch);
        case Family::temporal: return temporal_forward(g, shape, batch);
        case Family::lstm: return lstm_forward(g, shape, batch);
        default: return rms_norm_decoder_forward(g, shape, batch);
    }
}

}  // namespace plimsoll::training
