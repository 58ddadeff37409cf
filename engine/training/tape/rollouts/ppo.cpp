#include "engine/training/tape/rollouts/ppo.hpp"

#include "engine/training/tape/operations/operations.hpp"
#include "engine/training/tape/rollouts/generation.hpp"

#include <algorithm>

namespace plimsoll::training {
namespace {

constexpr auto kOfWords = Group::logits;
// PPOConfig's local_rollout_forward_batch_size.
constexpr std::int64_t kRollout = 64;

// size: texts, numbers of one text's answer, numbers of all tokens, tokens. Each answer's part
// comes alone, then all are put together, and back into zeros of all tokens; what divided them in
// place copies that.
void answers_backward(Graph& g, Node& n) {
    const auto make = [&](std::int64_t numbers) {
        return g.allocate(numbers * bytes_of(n.dtype), kBackward);
    };
    const std::int64_t one = n.size[1], picked = n.size[0] * one, whole = n.size[2];
    BufferId parts = n.saved[0];  // in 16 bits they take the place of what was kept
    if (parts == kNoBuffer)
        parts = make(picked);
    else
        n.saved[0] = kNoBuffer;
    {
        const BufferId first = make(one);
        g.release(make(one));
        g.release(first);
    }
    const BufferId stacked = make(picked);
    g.release(parts);
    if (n.dtype == Dtype::fp32) g.release(make(picked));  // of the logits that were picked
    const BufferId zeros = make(whole);
    g.release(stacked);
    const BufferId gradient = make(whole);
    const BufferId copied = make(picked);
    const BufferId divided = make(picked);
    g.release(copied);
    g.release(divided);
    g.release(zeros);
    Graph::output(n, 0, gradient);
    if (n.wants(1)) Graph::output(n, 1, make(n.size[3]));
}

}  // namespace

ModelShape scored(ModelShape policy) {
    policy.head = Head::classifier;
    policy.labels = 1;
    policy.tied_head = policy.router_loss = false;
    return policy;
}

Ppo::Ppo(Graph& graph, ModelShape policy, Models models)
    : g_(graph), policy_(std::move(policy)), models_(models) {
    policy_.router_loss = false;
    scored_ = scored(policy_);
}

Ppo::Output Ppo::run(const ModelShape& shape, int first, std::int64_t texts, bool caches,
                     bool adapts) {
    Batch batch;
    batch.ids = g_.make(texts * g_.settings().sequence, Dtype::int64, Group::batch);
    batch.mask = g_.make(texts * g_.settings().sequence, Dtype::int64, Group::batch);
    Output out;
    g_.use_model(first, adapts, first == models_.value ? policy_.layers : 0);
    g_.keep_states(&out.states, caches);
    out.logits = forward(g_, shape, batch).logits;
    g_.keep_states(nullptr);
    g_.use_model(0, true);
    return out;
}

Var Ppo::roll_out(Kept& kept) {
    const auto& t = g_.settings();
    const std::int64_t texts = std::max(t.batch, t.generated);
    const std::int64_t some = std::min(texts, kRollout);
    const std::int64_t numbers = t.target * policy_.vocab;
    const Var earlier = g_.make((texts - some) * numbers, Dtype::fp32, kOfWords);
    Var last = generate(g_, policy_, some, true);
    const Var all = g_.make(texts * numbers, Dtype::fp32, kOfWords);
    kept = {g_.bytes(all.buffer()), g_.events()};
    last.reset();
    auto settings = t;
    settings.batch = some;
    const auto before = g_.exchange_settings(settings);
    g_.set_recording(false);
    // Models that recompute have no cache, nor have those that give numbers here.
    if (models_.reference >= 0)
        run(policy_, models_.reference, some, true);
    else
        run(policy_, 0, some, !t.checkpointing, false);
    run(scored_, models_.value, some, false);
    run(scored_, models_.reward, some, false);
    g_.set_recording(true);
    g_.exchange_settings(before);
    return all;
}

Var Ppo::loss(const Var& logits, const Var& values) {
    const auto& t = g_.settings();
    const std::int64_t one = t.target * policy_.vocab;
    // Logarithms of probabilities are kept in 16 bits; in fp32 their sums alone.
    const bool half = logits.dtype() == Dtype::half;
    Var logarithms;
    if (half)
        logarithms = g_.make(t.batch * one, Dtype::half, kOfWords);
    else
        g_.scratch(one * 4, kOfWords);
    Var loss = g_.make(1, Dtype::fp32, kOfWords);
    Node* n = g_.node(answers_backward, {logits.edge(), values.edge()}, logits.dtype(), kOfWords);
    if (n == nullptr) return loss;
    n->size = {t.batch, one, logits.elements(), values.elements()};
    g_.save(n, half ? logarithms.buffer() : kNoBuffer);
    return loss.alias(1, g_.edge_to(n));
}

// `held`: what the micro-batch before left, until this one's forward pass has ended.
Ppo::Output Ppo::learn(Communication& communication, Output& held) {
    const auto& t = g_.settings();
    g_.set_phase(Phase::forward);
    communication.begin_forward();
    g_.enter_autocast();
    Output out;
    Var values;
    {
        const Output critic = run(scored_, models_.value, t.batch, !t.checkpointing);
        out = run(policy_, 0, t.batch, !t.checkpointing);
        values = critic.logits;
    }
    g_.drop_leaves(false);
    const bool widens = g_.autocast();
    g_.exit_autocast();
    communication.end_forward();
    // Accelerate converts what autocast returns.
    if (widens) {
        out.logits = to(g_, out.logits, Dtype::fp32, kOfWords);
        values = to(g_, values, Dtype::fp32, kOfWords);
    }
    held = {};
    const Var sum = loss(out.logits, values);
    values.reset();
    g_.set_phase(Phase::backward);
    g_.backward(sum);
    return out;
}

void Ppo::take_step(OptimizerTape& optimizer, Communication& communication) {
    const bool scaled = g_.settings().scaled();
    g_.set_phase(Phase::optimizer);
    if (scaled) optimizer.unscale();
    if (g_.settings().clip) optimizer.clip();
    communication.begin_update();
    optimizer.step();
    communication.end_update();
    optimizer.zero_gradients();
    if (g_.settings().set_to_none) communication.zero_gradients();
}

Kept Ppo::step(OptimizerTape& optimizer, Communication& communication) {
    const auto& t = g_.settings();
    g_.clear_counters();
    Kept kept;
    {
        g_.set_phase(Phase::data);
        const Var scores = roll_out(kept);
        // Of every token of an answer: what was said of it, rewards, advantages and the like.
        const auto texts = std::max(t.batch, t.generated);
        const Var numbers =
            g_.make(texts * (64LL * t.target + 8LL * t.sequence), Dtype::boolean, Group::batch);
        Output held;
        Var shares;
        for (int micro = 1; micro <= t.accumulation; ++micro) {
            held = learn(communication, held);
            if (micro == t.accumulation) take_step(optimizer, communication);
            // The entropy of the answers, which is logged.
            const Dtype type = held.logits.dtype();
            shares = g_.make(t.batch * t.target * policy_.vocab, type, kOfWords);
            g_.scratch(shares.bytes(), kOfWords);
        }
        g_.set_phase(Phase::step_end);
    }
    g_.drop_leaves(true);
    return kept;
}

}  // namespace plimsoll::training
