#include "engine/training/tape/rollouts/generation.hpp"

#include <algorithm>
#include <vector>

namespace plimsoll::training {
namespace {

// The keys and values of `tokens` tokens that each layer keeps for the texts of a batch.
std::vector<Var> make_cache(Graph& g, const ModelShape& s, std::int64_t texts,
                            std::int64_t tokens) {
    constexpr auto group = Group::attention;
    const auto traits = s.traits();
    const bool half = g.settings().half_weights();
    const auto value_type = half || g.autocast() ? Dtype::half : Dtype::fp32;
    // Rotary positions are in the type of the embeddings, and so are keys that were turned by them.
    const bool turned = s.family != Family::gpt2 && !traits.learned;
    const auto key_type = turned && !half ? Dtype::fp32 : value_type;
    std::vector<Var> cache;
    for (int layer = 0; layer < s.layers - s.sharing_layers; ++layer) {
        const auto kept = s.has_window(layer) ? std::min<std::int64_t>(tokens, s.window) : tokens;
        const auto own = s.of_layer(layer);
        const auto key = traits.latent ? own.q_width() : own.kv_width();
        const auto value = traits.latent ? own.attended_width() : own.kv_width();
        cache.push_back(g.make(texts * kept * key, key_type, group));
        cache.push_back(g.make(texts * kept * value, value_type, group));
    }
    return cache;
}

}  // namespace

Var generate(Graph& g, ModelShape shape, std::int64_t texts, bool keeps_scores) {
    const auto& t = g.settings();
    auto prompts = t;
    prompts.batch = texts;
    prompts.sequence -= t.target;
    prompts.checkpointing = false;
    shape.router_loss = false;
    const auto before = g.exchange_settings(prompts);
    g.set_recording(false);
    {
        Batch batch;
        batch.generates = true;
        batch.ids = g.make(texts * prompts.sequence, Dtype::int64, Group::batch);
        batch.mask = g.make(texts * prompts.sequence, Dtype::int64, Group::batch);
        const auto cache = make_cache(g, shape, texts, prompts.sequence);
        forward(g, shape, batch);
    }
    g.exchange_settings(before);
    Var scores;
    {
        const auto cache = make_cache(g, shape, texts, t.sequence);
        const auto own = t.half_weights() ? Dtype::half : Dtype::fp32;
        const auto rows = texts * shape.vocab;
        const Var kept = g.make(keeps_scores ? rows * t.target : 0, Dtype::fp32, Group::logits);
        {
            // Names of the loop hold the scores and probabilities of the token before.
            const Var last = g.make(rows, Dtype::fp32, Group::logits);
            const Var probabilities = g.make(rows, Dtype::fp32, Group::logits);
            {
                const Var& key = cache.front();
                const Var grown = g.make(key.elements(), key.dtype(), Group::attention);
                const bool repeats = t.padded && shape.kv_heads < shape.heads;
                const auto repeated = repeats ? 2 * texts * t.sequence * shape.q_width() : 0;
                const Var heads = g.make(repeated, key.dtype(), Group::attention);
            }
            // Accelerate converts what autocast returns, and transformers copies it.
            const Var logits = g.make(rows, own, Group::logits);
            const Var copied = g.make(rows, Dtype::fp32, Group::logits);
        }
        // The cache is returned beside the scores.
        if (keeps_scores) scores = g.make(kept.elements(), Dtype::fp32, Group::logits);
    }
    g.set_recording(true);
    return scores;
}

}  // namespace plimsoll::training
