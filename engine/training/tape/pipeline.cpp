#include "engine/training/tape/pipeline.hpp"

#include "engine/training/tape/layout.hpp"
#include "engine/training/tape/record.hpp"

#include <algorithm>

namespace plimsoll::training {

std::vector<int> layers_of_stages(int layers, int stages) {
    std::vector<int> out;
    for (int i = 0; i < stages; ++i) {
        const int all = layers + 2;
        const int outside = (i == 0 ? 1 : 0) + (i == stages - 1 ? 1 : 0);
        out.push_back(all / stages + (i < all % stages ? 1 : 0) - outside);
    }
    return out;
}

std::vector<PipelineStage> stages_of(const ModelShape& shape, const Parallel& parallel) {
    const auto layers = layers_of_stages(shape.layers, parallel.stages());
    std::vector<PipelineStage> out;
    int first = 0;
    for (int i = 0; i < parallel.stages(); ++i) {
        const int own = layers[static_cast<std::size_t>(i)];
        if (i % parallel.pipeline == std::max(0, parallel.rank)) {
            auto& stage = out.emplace_back(PipelineStage{shape, i, first});
            stage.shape.layers = own;
            stage.shape.begins = i == 0;
            stage.shape.ends = i + 1 == parallel.stages();
        }
        first += own;
    }
    return out;
}

namespace {

std::int64_t most_alive(const Tape& tape) {
    std::int64_t alive = 0, most = 0;
    for (const auto* events : {&tape.setup, &tape.first, &tape.later})
        for (const auto& e : *events) {
            const auto bytes = tape.buffers[static_cast<std::size_t>(e.buffer)].bytes;
            alive += e.allocates ? bytes : -bytes;
            most = std::max(most, alive);
        }
    return most;
}

}  // namespace

Tape record_fullest(const ModelShape& shape, const TrainingSettings& settings,
                    const TapeDevice& device) {
    Tape fullest;
    std::int64_t most = -1;
    const int last = settings.parallel.pipeline - 1;
    for (const int rank : {0, 1, last}) {
        if (rank == 1 && last == 1) continue;
        auto its = settings;
        its.parallel.rank = rank;
        auto tape = record_tape(shape, its, device);
        if (const auto alive = most_alive(tape); alive > most) {
            most = alive;
            fullest = std::move(tape);
            fullest.rank = rank;
        }
    }
    return fullest;
}

Pipeline::Pipeline(Graph& graph, std::vector<PipelineStage> stages, const Layout& layout)
    : g_(graph) {
    for (auto& stage : stages) {
        auto& on = stages_.emplace_back();
        on.first_parameter = static_cast<int>(parameters_.size());
        on.parameters = list_parameters(stage.shape, g_.settings());
        on.stage = std::move(stage);
        parameters_.insert(parameters_.end(), on.parameters.begin(), on.parameters.end());
        on.communication = make_communication(g_, layout,
                                              {.parameters = on.parameters,
                                               .begin = on.first_parameter,
                                               .pipelined = true,
                                               .first_layer = on.stage.first_layer,
                                               .experts = on.stage.shape.experts});
    }
}

void Pipeline::setup() {
    for (auto& on : stages_) on.communication->setup();
}

void Pipeline::zero_gradients() {
    for (auto& on : stages_) on.communication->zero_gradients();
}

// Before the first step; they stay.
void Pipeline::make_buffers() {
    if (std::exchange(made_, true)) return;
    const auto& t = g_.settings();
    const bool half = layout_of(t).compute_bytes == 2;
    const auto count = static_cast<std::size_t>(t.parallel.microbatches);
    for (auto& on : stages_) {
        on.passes.resize(count);
        const auto& s = on.stage.shape;
        const auto bytes = t.batch * t.sequence * s.hidden * (half ? 2 : 4) / t.parallel.tensor;
        const auto receive = [&](bool does, BufferId Pass::* buffer) {
            for (auto& pass : on.passes)
                if (does) pass.*buffer = g_.allocate(bytes, Group::communication);
        };
        receive(!s.begins, &Pass::activations);
        receive(!s.ends, &Pass::gradient);
    }
}

std::vector<Pipeline::Action> Pipeline::actions() const {
    const auto& p = g_.settings().parallel;
    if (p.schedule == Schedule::interleaved) return interleaved_actions();
    const int ahead = p.schedule == Schedule::gpipe
                          ? p.microbatches
                          : std::min(p.microbatches, p.pipeline - stages_[0].stage.index);
    std::vector<Action> out;
    for (int i = 0; i < ahead; ++i) out.push_back({0, i, true});
    for (int i = 0; i < p.microbatches; ++i) {
        out.push_back({0, i, false});
        if (i + ahead < p.microbatches) out.push_back({0, i + ahead, true});
    }
    return out;
}

// Rounds of as many micro-batches as there are cards, or a few more, pass one of the card's stages
// after the other, backward in the opposite order.
std::vector<Pipeline::Action> Pipeline::interleaved_actions() const {
    const auto& p = g_.settings().parallel;
    const auto own = static_cast<int>(stages_.size());
    const int rounds = std::max(1, p.microbatches / p.pipeline);
    const int in_round = p.microbatches / rounds;
    const int all = own * p.microbatches;
    const int rank = stages_[0].stage.index;
    const int ahead = std::min(all, (own - 1) * in_round + 2 * (p.pipeline - 1 - rank));
    std::vector<int> forwards(stages_.size()), backwards(stages_.size());
    std::vector<Action> out;
    for (int i = 0; i < all + ahead; ++i) {
        if (i < all) {
            const auto at = static_cast<std::size_t>(i / in_round % own);
            out.push_back({at, forwards[at]++, true});
        }
        if (i < ahead) continue;
        const auto at = static_cast<std::size_t>(own - 1 - (i - ahead) / in_round % own);
        out.push_back({at, backwards[at]++, false});
    }
    return out;
}

void Pipeline::forward(OnCard& on, int at, const Batch& batch) {
    g_.set_phase(Phase::forward);
    auto& pass = on.passes[static_cast<std::size_t>(at)];
    const auto tokens = batch.ids.elements() / g_.settings().parallel.microbatches;
    Batch own;
    own.ids = batch.ids.alias(tokens, {});
    own.mask = batch.mask.alias(tokens, {});
    own.labels = batch.labels.alias(tokens, {});
    if (pass.activations != kNoBuffer) {
        g_.retain(pass.activations);
        const auto dtype = layout_of(g_.settings()).compute_bytes == 2 ? Dtype::half : Dtype::fp32;
        pass.input = g_.as_leaf(
            Var(g_, pass.activations, g_.bytes(pass.activations) / bytes_of(dtype), dtype, {}));
        own.received = pass.input;
    }
    on.communication->begin_forward();
    g_.enter_autocast();
    auto outputs = training::forward(g_, on.stage.shape, own);
    g_.exit_autocast();
    on.communication->end_forward();
    pass.loss = std::move(outputs.loss);
    pass.result = on.stage.shape.ends ? std::move(outputs.logits) : std::move(outputs.sent);
    newest_ = pass.result;
}

// Results stay until their backward pass ends: so do logits.
void Pipeline::backward(OnCard& on, int at, bool others_wait) {
    g_.set_phase(Phase::backward);
    auto& pass = on.passes[static_cast<std::size_t>(at)];
    const bool ends = on.stage.shape.ends;
    g_.backward(ends ? pass.loss : pass.result, pass.gradient, others_wait);
    if (ends) on.losses.push_back(std::move(pass.loss));
    // What is sent is held until it is waited for: 1F1B does at the next, interleaved 1F1B at the
    // end of the step, and GPipe at the end of all forward passes.
    const auto schedule = g_.settings().parallel.schedule;
    if (schedule == Schedule::interleaved && !ends)
        sent_.push_back(std::move(pass.result));
    else
        pass.result = {};
    if (!pass.input) return;
    auto& leaf = g_.parameter(pass.input.edge().index);
    const auto gradient = std::exchange(leaf.gradient, kNoBuffer);
    if (schedule == Schedule::one_f_one_b) sent_.clear();
    sent_.emplace_back(g_, gradient, pass.input.elements(), pass.input.dtype(), Edge{});
    pass.input = {};
}

void Pipeline::run(const Batch& batch) {
    make_buffers();
    const auto order = actions();
    for (std::size_t i = 0; i < order.size(); ++i) {
        auto& on = stages_[order[i].stage];
        g_.use_model(on.first_parameter, true, on.stage.first_layer);
        auto* const before = g_.attach(on.communication.get());
        if (order[i].forward)
            forward(on, order[i].batch, batch);
        else
            backward(on, order[i].batch, i + 1 < order.size());
        g_.attach(before);
    }
    for (auto& on : stages_) {
        on.communication->reduce_gradients();
        on.losses.clear();
    }
    sent_.clear();
    newest_ = {};
    g_.use_model(0, true);
    g_.drop_leaves(true);
}

}  // namespace plimsoll::training
