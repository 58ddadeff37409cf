#pragma once

#include "engine/training/tape/families/models.hpp"
#include "engine/training/tape/operations/operations.hpp"

namespace plimsoll::training {

// A linear layer or norm whose parameters are the cursor's next ones, adapters included.
Linear read_linear(ParameterCursor& parameters, const Graph& g, std::int64_t in, std::int64_t out,
                   bool bias);
Norm read_norm(ParameterCursor& parameters, std::int64_t width);

// A layer of BERT and of models with its order of modules.
struct EncoderBlock {
    Linear query, key, value, attention_out, up, down;
    Norm attention_norm, output_norm;
};
EncoderBlock read_encoder_block(Graph& g, const ModelShape& shape, ParameterCursor& parameters);

// Attention among a text's `rows` tokens, with a mask if there is padding.
AttentionShape self_attention(const Graph& g, const ModelShape& shape, std::int64_t rows,
                              bool causal);

// The type in which attention computes for an input x.
Dtype attended_type(const Graph& g, const Var& x);

// transformers' attention interface: SDPA or eager, which alone knows sinks. `weights` are eager's
// probabilities, which a layer's local variable keeps until it returns.
Var attend(Graph& g, const Var& q, const Var& k, const Var& v, const Var& bias,
           const AttentionShape& shape, Probabilities probabilities, Var& weights,
           const Var& sinks = {});

// Copies of k and v in a cache, if there is one, which attention then reads.
void cache(Graph& g, Var& k, Var& v);

// A layer, run plainly or under gradient checkpointing.
template <class Layer>
Var run_layer(Graph& g, int index, Var x, Layer layer) {
    g.set_layer(index);
    g.keep_state(x);
    const auto& t = g.settings();
    const bool again = t.checkpointing && (index + 1) % t.checkpointed_every == 0;
    Var y = again ? g.checkpoint(x, layer) : layer(x);
    g.set_layer(-1);
    return y;
}

// The positions of a row's tokens; a packed batch includes them.
Var make_positions(Graph& g, Group group);

// The 4-D mask of a decoder: additive for eager attention, boolean for SDPA with real padding,
// none otherwise (transformers then passes is_causal).
Var causal_mask(Graph& g, const AttentionShape& shape, Dtype dtype, bool eager);

// A mask of an encoder and a decoder: what eager attention adds, or SDPA's boolean form where there
// is padding.
Var pair_mask(Graph& g, std::int64_t queries, std::int64_t keys, bool causal, Dtype dtype);

// An encoder's stack of layers on the batch, then a decoder's on its own text, whose hidden states
// are returned. `run` runs a stack on ids; `shifted` are those of the decoder, which live as long
// as the caller.
template <class Stack, class Run>
Var encode_and_decode(Graph& g, Dtype dtype, const Batch& batch, Outputs& out, Var& shifted,
                      Run run) {
    const auto& t = g.settings();
    Stack encoder{.length = t.sequence};
    encoder.mask = pair_mask(g, t.sequence, t.sequence, false, dtype);
    out.encoded = run(batch.ids, std::move(encoder));
    shifted = g.make(t.batch * t.target_length(), Dtype::int64, Group::embedding);
    Stack decoder{.decodes = true, .length = t.target_length(), .encoded = out.encoded};
    decoder.mask = pair_mask(g, decoder.length, decoder.length, true, dtype);
    decoder.cross_mask = pair_mask(g, decoder.length, t.sequence, false, dtype);
    return run(shifted, std::move(decoder));
}

// A decoder's head on its hidden states: language model (tied or not) or classifier of the last
// token.
Outputs decoder_head(Graph& g, const ModelShape& shape, ParameterCursor& parameters,
                     const Var& hidden, const Batch& batch);

// Whether log-probabilities are taken in tiles, so that the logits never exist.
bool tiles_logits(const TrainingSettings& settings);
// The log-probabilities of answers, from hidden states or from logits, as a loss.
Outputs tiled_answers(Graph& g, const Var& hidden, const Linear& head);
Outputs whole_answers(Graph& g, Var logits, std::int64_t words, const Batch& batch);

// Logits -> loss as ForCausalLMLoss and ForMaskedLMLoss do: fp32 logits; causal labels are shifted.
Var language_model_loss(Graph& g, const Var& logits, const Var& labels, bool causal);

}  // namespace plimsoll::training
