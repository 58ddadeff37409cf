#include "engine/transformer/classifier.hpp"

#include "engine/base/steady_beat.hpp"
#include "engine/routines/attention.hpp"
#include "engine/routines/rows.hpp"
#include "engine/routines/softmax.hpp"
#include "engine/routines/unary.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <optional>

namespace plimsoll::transformer {
namespace {

using routines::Method;
using routines::Precision;
using Clock = std::chrono::steady_clock;

// Between two looks at `watch`. A layer that takes longer is waited for alone.
constexpr double kSecondsBetweenLooks = 0.1;

std::uint32_t sequences_in(std::size_t tokens) {
    return static_cast<std::uint32_t>(tokens / 2 + 1);  // of two tokens at least
}

// Numbers of four bytes for each token that layers pass on; `chosen` and the like for each
// sequence.
std::uint64_t activation_bytes(const model_files::Config& config, std::size_t tokens) {
    const std::uint64_t hidden = config.hidden;
    const std::uint64_t a_token = 2 + 1 + (1 + 3 + 1 + 1) * hidden + config.intermediate;
    const std::uint64_t a_sequence = 1 + 1 + 2 * hidden + 2 * config.labels.size();
    return sizeof(float) * (tokens * a_token + sequences_in(tokens) * a_sequence);
}

std::span<const std::byte> bytes_of(const std::vector<std::uint32_t>& numbers) {
    return std::as_bytes(std::span(numbers));
}

}  // namespace

std::uint64_t Classifier::predicted_bytes(const opencl::Capability& capability,
                                          const tuning::Plans& plans,
                                          const model_files::Config& config, std::size_t tokens) {
    const auto capacity = std::max<std::size_t>(tokens, config.longest());
    return weight_bytes(config, plans, method_for(capability, Precision::fp32)) +
           activation_bytes(config, capacity);
}

Result<std::unique_ptr<Classifier>> Classifier::load(opencl::Programs& programs,
                                                     opencl::Ledger& ledger,
                                                     const opencl::Capability& capability,
                                                     const tuning::Plans& plans,
                                                     const model_files::Model& model,
                                                     std::size_t tokens, const Watch& watch) {
    const auto capacity = std::max<std::size_t>(tokens, model.config.longest());
    auto entry = ledger.enter(predicted_bytes(capability, plans, model.config, capacity),
                              "the model's weights and batches");
    if (!entry) return fail(entry.error());
    std::unique_ptr<Classifier> made(
        new Classifier(programs, std::move(*entry), plans, method_for(capability, Precision::fp32),
                       attention_method_for(capability, Precision::fp32), model.config, capacity));
    const auto loading = ledger.enter(loading_bytes(model.config), "loading the model");
    if (!loading) return fail(loading.error());
    auto weights = load_weights(programs, plans, made->method_, model, watch);
    if (!weights) return fail(weights.error());
    made->weights_ = std::move(*weights);
    if (auto allocated = made->allocate(); !allocated) return fail(allocated.error());
    return made;
}

Result<void> Classifier::allocate() {
    const std::size_t tokens = capacity_;
    const std::size_t sequences = sequences_in(tokens);
    const std::size_t hidden = config_.hidden;
    auto& on = on_device_;
    struct Wanted {
        opencl::Buffer& buffer;
        std::size_t numbers;
    };
    for (const auto& [buffer, numbers] :
         {Wanted{on.ids, tokens}, Wanted{on.positions, tokens}, Wanted{on.walk, tokens},
          Wanted{on.offsets, sequences}, Wanted{on.first_tokens, sequences},
          Wanted{on.hidden, tokens * hidden}, Wanted{on.query_key_value, tokens * 3 * hidden},
          Wanted{on.attended, tokens * hidden}, Wanted{on.mixed, tokens * hidden},
          Wanted{on.inner, tokens * config_.intermediate}, Wanted{on.chosen, sequences * hidden},
          Wanted{on.chosen_attended, sequences * hidden},
          Wanted{on.logits, sequences * config_.labels.size()},
          Wanted{on.probabilities, sequences * config_.labels.size()}}) {
        auto made = programs_.device().allocate(numbers * sizeof(float));
        if (!made) return fail(made.error());
        buffer = std::move(*made);
    }
    return {};
}

Result<void> Classifier::check(const Batch& batch) const {
    const auto refuse = [](std::string why) { return fail(Errc::invalid_input, std::move(why)); };
    std::size_t tokens = 0;
    for (const auto length : batch.lengths) {
        if (length < 2 || length > longest()) {
            return refuse("A sequence has 2 to " + std::to_string(longest()) + " tokens.");
        }
        tokens += length;
    }
    if (tokens != batch.ids.size() || tokens > capacity_) {
        return refuse("A batch has at most " + std::to_string(capacity_) + " tokens.");
    }
    if (std::ranges::any_of(batch.ids, [&](auto id) { return id >= config_.vocabulary; })) {
        return refuse("A token is not in the vocabulary.");
    }
    return {};
}

Result<routines::SequenceLayout> Classifier::upload(const Batch& batch) {
    auto layout = routines::lay_out(batch.lengths);
    if (!layout) return layout;
    positions_.clear();
    for (const auto length : batch.lengths) {
        for (std::uint32_t i = 0; i < length; ++i) positions_.push_back(config_.first_position + i);
    }
    const auto& device = programs_.device();
    const std::vector<std::uint32_t> first(layout->offsets.begin(), layout->offsets.end() - 1);
    auto done = device.write(on_device_.ids, bytes_of(batch.ids));
    if (done) done = device.write(on_device_.positions, bytes_of(positions_));
    if (done) done = device.write(on_device_.offsets, bytes_of(layout->offsets));
    if (done) done = device.write(on_device_.walk, bytes_of(walk_of(flavour_, *layout)));
    if (done) done = device.write(on_device_.first_tokens, bytes_of(first));
    if (!done) return fail(done.error());
    return layout;
}

Result<void> Classifier::embed(std::uint32_t tokens) {
    const bool types = weights_.types.bytes != 0;
    return over_rows(programs_, flavour_, "embed", types ? "-DTYPES=1" : "-DTYPES=0",
                     {tokens, config_.hidden}, on_device_.ids, on_device_.positions, weights_.words,
                     weights_.positions, types ? weights_.types : weights_.words,
                     weights_.embedding_norm.gain, weights_.embedding_norm.shift, config_.epsilon,
                     on_device_.hidden);
}

Result<void> Classifier::multiply(const Matrix& matrix, const opencl::Buffer& a,
                                  const opencl::Buffer& c, std::uint32_t m, bool gelu,
                                  const opencl::Buffer* residual, const NormWeights* norm) {
    auto plan = plans_.plan_for(tuning::bucket_of(method_, m, matrix.outputs, matrix.inputs));
    if (plan.vectors != matrix.vectors) {  // tuned for another packing
        plan =
            plans_.plan_for(tuning::bucket_of(method_, UINT32_MAX, matrix.outputs, matrix.inputs));
    }
    std::optional<routines::Norm> normalised;
    if (norm != nullptr) normalised.emplace(norm->gain, norm->shift, config_.epsilon);
    return routines::multiply(programs_, plan,
                              {.a = a,
                               .b = matrix.packed,
                               .c = c,
                               .m = m,
                               .n = matrix.outputs,
                               .k = matrix.inputs,
                               .bias = &matrix.bias,
                               .gelu = gelu,
                               .residual = residual,
                               .norm = normalised ? &*normalised : nullptr});
}

// Of the last layer only what the head reads is computed: the first token of every sequence.
Result<void> Classifier::layer(const LayerWeights& weights, const routines::SequenceLayout& layout,
                               bool last) {
    auto& on = on_device_;
    auto rows = layout.offsets.back();
    const auto sequences = static_cast<std::uint32_t>(layout.order.size());
    auto done = multiply(weights.query_key_value, on.hidden, on.query_key_value, rows);
    if (done) {
        done = attend(programs_, attention_, on.query_key_value,
                      {on.offsets, on.walk, sequences, rows, layout.longest},
                      {config_.heads, config_.hidden / config_.heads}, on.attended);
    }
    const opencl::Buffer* hidden = &on.hidden;
    const opencl::Buffer* attended = &on.attended;
    if (last) {
        rows = sequences;
        for (const auto& [from, to] :
             {std::pair{&hidden, &on.chosen}, std::pair{&attended, &on.chosen_attended}}) {
            if (done) {
                done = over_rows(programs_, flavour_, "gather_rows", "", {rows, config_.hidden},
                                 **from, on.first_tokens, *to);
            }
            *from = to;
        }
    }
    if (done) {
        done = multiply(weights.output, *attended, on.mixed, rows, false, hidden,
                        &weights.attention_norm);
    }
    if (done) done = multiply(weights.up, on.mixed, on.inner, rows, true);
    if (done) {
        done =
            multiply(weights.down, on.inner, *hidden, rows, false, &on.mixed, &weights.output_norm);
    }
    return done;
}

Result<void> Classifier::head(std::uint32_t sequences, Scores& scores) {
    auto& on = on_device_;
    const bool relu = config_.family == model_files::Family::distilbert;
    auto done = multiply(weights_.head, on.chosen, on.mixed, sequences);
    if (done) {
        done =
            unary(programs_, flavour_, relu ? routines::Function::relu : routines::Function::tanh,
                  on.mixed, on.mixed, {sequences, config_.hidden});
    }
    if (done) done = multiply(weights_.labels, on.mixed, on.logits, sequences);
    const auto labels = static_cast<std::uint32_t>(config_.labels.size());
    if (done) done = softmax(programs_, flavour_, on.logits, on.probabilities, {sequences, labels});
    for (const auto& [buffer, numbers] : {std::pair{&on.logits, &scores.logits},
                                          std::pair{&on.probabilities, &scores.probabilities}}) {
        numbers->resize(std::size_t{sequences} * labels);
        if (!done) return done;
        done = programs_.device().read(*buffer, std::as_writable_bytes(std::span(*numbers)));
    }
    return done;
}

Result<void> Classifier::wait(const Watch& watch) {
    if (auto done = programs_.device().finish(); !done) return done;
    if (watch.stopped()) return fail(Errc::cancelled, "The task was asked to stop.");
    return {};
}

Result<void> Classifier::run(const Batch& batch, const Watch& watch, Scores& scores) {
    if (auto fits = check(batch); !fits) return fits;
    scores = {};
    if (batch.lengths.empty()) return {};
    const auto layout = upload(batch);
    if (!layout) return fail(layout.error());
    // Kernels are compiled at their first launch, those of attention for every length anew.
    const auto keys = std::bit_ceil(layout->longest);
    std::optional<SteadyBeat> beat;
    if ((built_for_ & keys) == 0) beat.emplace(watch.progress);
    const auto began = Clock::now();
    const auto tokens = layout->offsets.back();
    auto done = embed(tokens);
    double unwatched = 0;
    for (std::size_t i = 0; done && i < weights_.layers.size(); ++i) {
        const bool last = i + 1 == weights_.layers.size();
        done = layer(weights_.layers[i], *layout, last);
        unwatched += seconds_per_token_layer_ * tokens;
        // Before the first batch nothing is known of the device's speed.
        if (!done || (unwatched < kSecondsBetweenLooks && seconds_per_token_layer_ != 0)) continue;
        done = wait(watch);
        unwatched = 0;
    }
    if (done) done = head(static_cast<std::uint32_t>(batch.lengths.size()), scores);
    if (!done) return done;
    built_for_ |= keys;
    seconds_per_token_layer_ = std::chrono::duration<double>(Clock::now() - began).count() /
                               tokens / static_cast<double>(weights_.layers.size());
    return {};
}

}  // namespace plimsoll::transformer
