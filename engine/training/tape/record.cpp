#include "engine/training/tape/record.hpp"

#include "engine/training/tape/communication.hpp"
#include "engine/training/tape/division.hpp"
#include "engine/training/tape/families/layers.hpp"
#include "engine/training/tape/optimizer.hpp"
#include "engine/training/tape/pipeline.hpp"
#include "engine/training/tape/rollouts/generation.hpp"
#include "engine/training/tape/rollouts/ppo.hpp"

#include <algorithm>

namespace plimsoll::training {
namespace {

// The packed weight, or this card's shard of it; beside it, scales and the tables that unpack them,
// which stay for ever and are not sharded.
BufferId load_quantized(Graph& g, const Parameter& p, const Layout& layout) {
    const auto allocate = [&](std::int64_t bytes) { return g.allocate(bytes, Group::weights); };
    if (g.settings().quantization == Quantization::int8) {
        allocate(4LL * p.rows);
        return allocate(p.elements);
    }
    const std::int64_t blocks = (p.elements + 63) / 64;
    if (g.settings().quantization == Quantization::nf4_double) {
        allocate(blocks);
        allocate(4);                           // their mean
        allocate(4 * ((blocks + 255) / 256));  // scales of the scales
        allocate(4 * 256);
    } else {
        allocate(4 * blocks);
    }
    allocate(4 * 16);
    return allocate(layout.kept_weights((p.elements + 1) / 2));
}

// torchtune's optimizer_in_bwd: a hook for each parameter.
class UpdatesInBackward final : public Communication {
  public:
    explicit UpdatesInBackward(OptimizerTape& optimizer) : optimizer_(optimizer) {}
    void arrived(GraphParameter& parameter) override { optimizer_.update(parameter); }

  private:
    OptimizerTape& optimizer_;
};

// Of a whole model with packed weights; of others, 0.
std::int64_t packed_bytes(const Graph& g, const std::vector<Parameter>& parameters) {
    if (g.settings().quantization == Quantization::none) return 0;
    std::int64_t bytes = 0;
    for (const auto& p : parameters) bytes += p.linear ? (p.elements + 1) / 2 : 2 * p.elements;
    return bytes;
}

// Buffers stand beside the embeddings of each encoder, elsewhere they come last.
void load_model(Graph& g, const ModelShape& shape, const std::vector<Parameter>& parameters) {
    const auto layout = layout_of(g.settings());
    const auto buffers = list_buffers(shape);
    std::size_t made = 0;
    // transformers loads a packed model whole before DeepSpeed takes its shards of it.
    const BufferId loaded = layout.sharding == Sharding::zero3
                                ? g.allocate(packed_bytes(g, parameters), Group::weights)
                                : kNoBuffer;
    const std::size_t per_encoder = shape.family == Family::naics ? 2 : buffers.size();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const bool leaves_embeddings = i > 0 && parameters[i - 1].part == Part::embeddings &&
                                       parameters[i].part != Part::embeddings;
        if (leaves_embeddings)
            for (std::size_t n = 0; n < per_encoder && made < buffers.size(); ++n)
                g.allocate(buffers[made++], Group::weights);
        const int index = g.add_parameter(parameters[i]);
        auto& p = g.parameter(index);
        if (p.quantized) {
            p.data = load_quantized(g, parameters[i], layout);
            continue;
        }
        const std::int64_t width = layout.width_of(parameters[i], layout.weight_bytes);
        p.data =
            g.allocate(layout.kept_weights(p.elements, parameters[i].divided, p.blocks) * width,
                       Group::weights);
    }
    while (made < buffers.size()) g.allocate(buffers[made++], Group::weights);
    g.release(loaded);
}

Batch make_batch(Graph& g, const ModelShape& s) {
    constexpr auto group = Group::batch;
    const auto& t = g.settings();
    const std::int64_t tokens = t.batch * t.sequence;
    // Cards that divide a text get all of it, and keep their part in the same memory.
    const auto numbers_of_text = [&] {
        return g.make(tokens * t.parallel.context, Dtype::int64, group).alias(tokens, {});
    };
    Batch b;
    if (s.is_series()) {
        b.series = g.make(tokens * s.features, Dtype::fp32, group);
        b.target = g.make(t.batch * s.horizon * s.features, Dtype::fp32, group);
        return b;
    }
    if (!s.reads_text()) {
        const bool image = s.family == Family::vit;
        const std::int64_t numbers = image ? 1LL * s.image_channels * s.image_size * s.image_size
                                           : 2LL * s.features * s.positions;
        // Images are converted by the model, sound by who loads it.
        const bool half = !image && t.half_weights();
        b.series = g.make(t.batch * numbers, half ? Dtype::half : Dtype::fp32, group);
        b.labels = g.make(t.batch, Dtype::int64, group);
        return b;
    }
    b.ids = numbers_of_text();
    b.mask = numbers_of_text();
    if (t.method == Method::kto) b.other_ids = g.make(3 * tokens, Dtype::int64, group);
    if (s.family == Family::naics) {
        b.other_ids = g.make(tokens * t.negatives, Dtype::int64, group);
        b.other_mask = g.make(tokens * t.negatives, Dtype::int64, group);
    } else {
        const bool per_token = s.head == Head::language_model;
        if (per_token && !s.has_decoder())
            b.labels = numbers_of_text();
        else
            b.labels = g.make(t.batch * (per_token ? t.target_length() : 1), Dtype::int64, group);
    }
    return b;
}

// A model that is used: where its parameters begin, what gathers them, and whether its adapters do
// something.
struct UsedModel {
    Communication& communication;
    int first = 0;
    bool adapts = true;
};

// A pass of which nothing stays.
void run_without_gradients(Graph& g, ModelShape shape, const Batch& batch, const UsedModel& model) {
    shape.router_loss = false;
    auto* const before = g.attach(&model.communication);
    g.use_model(model.first, model.adapts);
    g.set_recording(false);
    model.communication.begin_forward();
    g.enter_autocast();
    forward(g, shape, batch);
    g.exit_autocast();
    model.communication.end_forward();
    g.set_recording(true);
    g.use_model(0, true);
    g.attach(before);
}

// The texts of all micro-batches of a pipeline, which its schedule takes apart.
void run_pipeline(Graph& g, const ModelShape& shape, Pipeline& pipeline) {
    auto all = g.settings();
    all.batch *= all.parallel.microbatches;
    const auto before = g.exchange_settings(all);
    const auto batch = make_batch(g, shape);
    g.exchange_settings(before);
    pipeline.run(batch);
}

// GRPO's answers, all of a step's at once. Accelerate's autocast is around the model with adapters,
// which generates without them around.
void answer(Graph& g, const ModelShape& shape) {
    const auto& t = g.settings();
    if (t.lora.rank == 0) g.enter_autocast();
    generate(g, shape, std::max(t.batch, t.generated));
    g.exit_autocast();
}

// One optimizer step: data, forward and backward of every micro-batch, clipping, update. The loss
// keeps its name until the next step's has been computed.
Kept run_step(Graph& g, const ModelShape& shape, OptimizerTape& optimizer,
              Communication& communication, bool scaled, const UsedModel& reference,
              Pipeline* pipeline) {
    const auto& settings = g.settings();
    const bool kto = settings.method == Method::kto;
    const bool grpo = settings.method == Method::grpo;
    g.clear_counters();
    Kept kept;
    {
        g.set_phase(Phase::data);
        if (grpo && settings.generates) answer(g, shape);
        // Prompts, answers, their masks and what the reference says of them, until all are learnt.
        const auto texts = grpo ? std::max(settings.batch, settings.generated) : 0;
        const Var answers = g.make(texts * (16LL * settings.sequence + 4LL * settings.target),
                                   Dtype::boolean, Group::batch);
        Batch batch;
        Outputs outputs;
        for (int micro = 0; micro < settings.accumulation; ++micro) {
            g.set_phase(Phase::data);
            if (pipeline != nullptr) {
                run_pipeline(g, shape, *pipeline);
                kept = {4, g.events()};
                continue;
            }
            batch = make_batch(g, shape);
            g.set_phase(Phase::forward);
            // Of answers to other prompts, which tell how far the models are apart.
            if (kto) run_without_gradients(g, shape, batch, {communication});
            const auto compare = [&] {
                for (int pass = kto ? 2 : 1; settings.uses_reference() && pass > 0; --pass)
                    run_without_gradients(g, shape, batch, reference);
            };
            if (grpo) compare();
            communication.begin_forward();
            g.enter_autocast();
            outputs = forward(g, shape, batch);
            if (micro == 0) kept = {g.bytes(outputs.loss.buffer()), g.events()};
            g.drop_leaves(false);
            g.exit_autocast();
            communication.end_forward();
            if (!grpo) compare();
            if (settings.method != Method::supervised || settings.frees_logits) {
                const Var loss = outputs.loss;
                outputs = {};
                outputs.loss = loss;
            }
            g.set_phase(Phase::backward);
            g.backward(outputs.loss);
            if (!settings.hold_outputs) {
                outputs = {};
                g.drop_leaves(true);
            }
        }
        if (settings.clip) {
            g.set_phase(Phase::clip);
            if (scaled) optimizer.unscale();
            optimizer.clip();
        }
        g.set_phase(Phase::optimizer);
        if (scaled && !settings.clip) optimizer.unscale();
        communication.begin_update();
        optimizer.step();
        communication.end_update();
        optimizer.zero_gradients();
        if (settings.set_to_none) communication.zero_gradients();
        g.set_phase(Phase::step_end);
    }
    g.drop_leaves(true);
    return kept;
}

// A step that follows one like it. What is born in a step and stays (optimizer state, workspaces)
// is there already.
void follow(Tape& tape, const std::vector<Event>& events, const std::vector<Reduction>& reductions,
            const Kept& kept) {
    std::vector<char> freed(tape.buffers.size(), 0);
    for (const auto& e : events)
        if (!e.allocates) freed[static_cast<std::size_t>(e.buffer)] = 1;
    tape.later.reserve(events.size() + 2);
    const auto loss = static_cast<std::int32_t>(tape.buffers.size());
    tape.buffers.push_back({kept.bytes, Group::logits, Stream::usual});
    tape.later.push_back({loss, true, Phase::data, -1});
    std::size_t next = 0;
    const auto copy_up_to = [&](std::size_t end) {
        for (; next < end; ++next) {
            if (next == kept.until) tape.later.push_back({loss, false, Phase::forward, -1});
            if (freed[static_cast<std::size_t>(events[next].buffer)] != 0)
                tape.later.push_back(events[next]);
        }
        return tape.later.size();
    };
    for (auto reduction : reductions) {
        reduction.begin = copy_up_to(reduction.begin);
        reduction.end = copy_up_to(reduction.end);
        tape.later_reductions.push_back(reduction);
    }
    copy_up_to(events.size());
}

// An LSTM multiplies one time step after the other; everything else, all of them at once.
double product_elements(const ModelShape& shape, const TrainingSettings& t) {
    const double rows = static_cast<double>(t.batch) * (1 + t.negatives) *
                        (shape.family == Family::lstm ? 1 : t.sequence);
    return rows * shape.hidden;
}

// Of the reference, if it is a copy of the model, in the units that are gathered.
std::vector<Parameter> copied_parameters(const ModelShape& shape, const TrainingSettings& t) {
    if (!t.uses_reference() || t.lora.rank > 0) return {};
    auto parameters = list_parameters(shape, Lora{});
    if (is_fsdp(t.sharding) && t.reference == Reference::model)
        for (auto& p : parameters) p.layer = -1;
    return parameters;
}

}  // namespace

Tape record_tape(const ModelShape& given, const TrainingSettings& settings,
                 const TapeDevice& device) {
    const auto& parallel = settings.parallel;
    if (parallel.pipeline > 1 && parallel.rank < 0) return record_fullest(given, settings, device);
    ModelShape shape = part_of(given, parallel);
    if (settings.without_dropout()) shape.hidden_dropout = shape.attention_dropout = 0;
    if (tiles_logits(settings)) shape.router_loss = shape.has_experts();
    Graph g(recorded_settings(settings), device);
    const auto layout = layout_of(settings);
    Tape tape;
    const auto stages = parallel.pipeline > 1 ? stages_of(shape, parallel)
                                              : std::vector<PipelineStage>{{.shape = shape}};
    std::unique_ptr<Pipeline> pipeline;
    if (parallel.pipeline > 1) pipeline = std::make_unique<Pipeline>(g, stages, layout);
    for (const auto& stage : stages)
        load_model(g, stage.shape, list_parameters(stage.shape, settings));
    const auto parameters = pipeline ? pipeline->parameters() : list_parameters(shape, settings);
    const bool tied =
        (shape.tied_head && shape.head == Head::language_model) || shape.has_decoder();
    const auto whole = make_communication(
        g, layout, {.parameters = parameters, .tied = tied, .experts = shape.experts});
    Communication* const communication = pipeline ? pipeline.get() : whole.get();
    communication->setup();
    const auto copy = copied_parameters(shape, settings);
    if (!copy.empty()) load_model(g, shape, copy);
    const auto count = static_cast<int>(parameters.size());
    const auto copies = make_communication(
        g, layout, {.parameters = copy, .begin = count, .tied = tied, .trained = false});
    const UsedModel reference =
        copy.empty() ? UsedModel{*communication, 0, false} : UsedModel{*copies, count, false};
    // PPO's value model was loaded with the policy, its reward model comes last.
    std::unique_ptr<Ppo> ppo;
    if (settings.method == Method::ppo) {
        load_model(g, scored(shape), list_parameters(scored(shape), Lora{}));
        const auto policy = list_parameters(shape, settings.lora).size();
        ppo = std::make_unique<Ppo>(g, shape,
                                    Ppo::Models{.value = static_cast<int>(policy),
                                                .reward = count + static_cast<int>(copy.size()),
                                                .reference = copy.empty() ? -1 : count});
    }
    if (layout.sharding != Sharding::none) g.attach(communication);
    tape.setup = g.take_events();
    OptimizerTape optimizer(g, parameters);
    UpdatesInBackward updates(optimizer);
    if (settings.optimizer_in_backward) g.attach(&updates);
    const auto run = [&] {
        return ppo ? ppo->step(optimizer, *communication)
                   : run_step(g, shape, optimizer, *communication, settings.scaled(), reference,
                              pipeline.get());
    };
    Kept kept = run();
    tape.first_reductions = g.take_reductions();
    tape.first = g.take_events();
    auto events = tape.first;
    auto reductions = tape.first_reductions;
    // Gradients that stay are added to, and a copy that stays gathered is gathered once: the next
    // step differs.
    const bool stays = layout.sharding == Sharding::fsdp_grad_op && !copy.empty();
    if (!settings.set_to_none || stays) {
        kept = run();
        reductions = g.take_reductions();
        events = g.take_events();
    }
    tape.work = {.matmul_flops = g.flops(),
                 .moved_bytes = g.moved_bytes(),
                 .kernels = g.kernels(),
                 .recomputed = g.recomputed(),
                 .updated = std::ranges::count(parameters, true, &Parameter::trainable),
                 .product_elements = product_elements(shape, g.settings())};
    tape.layer_flops = g.layer_flops();
    tape.partial_sums = g.take_partial_sums();
    tape.buffers = g.take_buffers();
    follow(tape, events, reductions, kept);
    return tape;
}

}  // namespace plimsoll::training
