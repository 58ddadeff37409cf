#include "engine/transformer/classifier.hpp"

#include "engine/base/steady_beat.hpp"
#include "engine/routines/attention.hpp"
#include "engine/routines/rows.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <optional>

namespace plimsoll::transformer {
namespace {

using routines::Form;
using routines::Method;
using Clock = std::chrono::steady_clock;

// Between two checks of `watch`. A layer that takes longer is waited for alone.
constexpr double kSecondsBetweenLooks = 0.1;

// What an intermediate size is a multiple of: a word of bytes, or 16 bytes for tensor cores.
std::uint32_t narrow_unit(Method method) { return method == Method::group_mma ? 8 : 4; }

Methods methods_with(const opencl::Capability& capability, Method layers) {
    return {layers, method_for(capability, Form::fp32)};
}

bool is_empty(const opencl::Buffer& buffer) { return buffer.bytes == 0; }

std::span<const std::byte> bytes_of(const std::vector<std::uint32_t>& numbers) {
    return std::as_bytes(std::span(numbers));
}

}  // namespace

bool can_use(const opencl::Capability& capability, Form form) {
    return form_of(method_for(capability, form)) == form;
}

std::uint64_t Classifier::predicted_bytes(const opencl::Capability& capability,
                                          const tuning::Plans& plans,
                                          const model_files::Config& config, Method method,
                                          std::size_t tokens) {
    const auto capacity = std::max<std::size_t>(tokens, config.longest());
    const auto methods = methods_with(capability, method);
    return weight_bytes(config, plans, methods) +
           activation_bytes(config, methods.layers,
                            attention_method_for(capability, form_of(method)), capacity);
}

Result<std::unique_ptr<Classifier>> Classifier::load(opencl::Programs& programs,
                                                     opencl::Ledger& ledger,
                                                     const opencl::Capability& capability,
                                                     const tuning::Plans& plans,
                                                     const model_files::Model& model, Method method,
                                                     std::size_t tokens, const Watch& watch) {
    const auto form = form_of(method);
    const std::string name(to_string(form));
    const auto methods = methods_for(capability, form);
    if (std::ranges::find(methods, method) == methods.end()) {
        return fail(Errc::unavailable, "This device does not support " + name + " by " +
                                           std::string(to_string(method)) + ".");
    }
    const auto unit = narrow_unit(method);
    if (form != Form::fp32 && model.config.intermediate % unit != 0) {
        return fail(Errc::unavailable, "On this device, " + name +
                                           " needs an intermediate_size that is a multiple of " +
                                           std::to_string(unit) + ".");
    }
    const auto attention = attention_method_for(capability, form);
    if (attention == Method::group_mma &&
        model.config.hidden / model.config.heads > routines::kLargestMmaHead) {
        return fail(Errc::unavailable, "On this device, " + name +
                                           " supports a head size of at most " +
                                           std::to_string(routines::kLargestMmaHead) + ".");
    }
    const auto capacity = std::max<std::size_t>(tokens, model.config.longest());
    TRY(auto entry, ledger.enter(predicted_bytes(capability, plans, model.config, method, capacity),
                                 "the model's weights and batches"));
    std::unique_ptr<Classifier> made(new Classifier(programs, std::move(entry), plans,
                                                    methods_with(capability, method), attention,
                                                    model.config, capacity));
    TRY(const auto loading, ledger.enter(loading_bytes(model.config), "loading the model"));
    TRY(made->weights_, load_weights(programs, plans, made->methods_, model, watch));
    TRY(made->on_device_, allocate_activations(programs.device(), model.config,
                                               made->methods_.layers, made->attention_, capacity));
    return made;
}

Result<void> Classifier::check(const Batch& batch) const {
    const auto refuse = [](std::string why) { return fail(Errc::invalid_input, std::move(why)); };
    std::size_t tokens = 0;
    for (const auto length : batch.lengths) {
        if (length < 2 || length > longest())
            return refuse("A sequence must have 2 to " + std::to_string(longest()) + " tokens.");
        tokens += length;
    }
    if (tokens != batch.ids.size() || tokens > capacity_)
        return refuse("A batch can have at most " + std::to_string(capacity_) + " tokens.");
    if (std::ranges::any_of(batch.ids, [&](auto id) { return id >= config_.vocabulary; }))
        return refuse("A token is not in the vocabulary.");
    return {};
}

Result<routines::SequenceLayout> Classifier::upload(const Batch& batch) {
    auto layout = routines::lay_out(batch.lengths);
    if (!layout) return layout;
    positions_.clear();
    for (const auto length : batch.lengths)
        for (std::uint32_t i = 0; i < length; ++i) positions_.push_back(config_.first_position + i);
    const auto& device = programs_.device();
    const std::vector<std::uint32_t> first(layout->offsets.begin(), layout->offsets.end() - 1);
    auto done = device.write(on_device_.ids, bytes_of(batch.ids));
    if (done) done = device.write(on_device_.positions, bytes_of(positions_));
    if (done) done = device.write(on_device_.offsets, bytes_of(layout->offsets));
    if (done) done = device.write(on_device_.walk, bytes_of(walk_of(attention_, *layout)));
    if (done) done = device.write(on_device_.first_tokens, bytes_of(first));
    if (!done) return fail(done.error());
    return layout;
}

Result<void> Classifier::embed(std::uint32_t tokens) {
    const bool types = weights_.types.bytes != 0;
    auto done = over_rows(
        programs_, flavour_, "embed", types ? "-DTYPES=1" : "-DTYPES=0", {tokens, config_.hidden},
        on_device_.ids, on_device_.positions, weights_.words, weights_.positions,
        types ? weights_.types : weights_.words, weights_.embedding_norm.gain,
        weights_.embedding_norm.shift, config_.epsilon, on_device_.hidden.numbers);
    if (done) done = narrow(on_device_.hidden, tokens);
    return done;
}

Result<void> Classifier::narrow(const Rows& rows, std::uint32_t count) {
    if (is_empty(rows.numbers) || is_empty(rows.narrow.numbers)) return {};
    return routines::narrow(programs_, methods_.layers, rows.numbers, rows.narrow,
                            {count, config_.hidden});
}

// Rows of the first tokens. What lies there is moved as it is, four bytes at a time.
Result<void> Classifier::choose_rows(const Rows& from, const Rows& to, std::uint32_t rows) {
    const auto move = [&](const opencl::Buffer& in, const opencl::Buffer& out, std::size_t bytes) {
        return over_rows(programs_, flavour_, "gather_rows", "",
                         {rows, static_cast<std::uint32_t>(bytes / sizeof(float))}, in,
                         on_device_.first_tokens, out);
    };
    if (!is_empty(to.numbers))
        return move(from.numbers, to.numbers, config_.hidden * sizeof(float));
    auto done =
        move(from.narrow.numbers, to.narrow.numbers, config_.hidden * bytes_of_number(form()));
    if (done && !is_empty(to.narrow.scales))
        done = move(from.narrow.scales, to.narrow.scales, sizeof(float));
    return done;
}

Result<void> Classifier::multiply(const Matrix& matrix, const Rows& a, const Rows& c,
                                  std::uint32_t m, bool gelu, const opencl::Buffer* residual,
                                  const NormWeights* norm) {
    const auto plan_of = [&](std::uint32_t rows) {
        return plans_.plan_for(
            tuning::bucket_of(matrix.method, rows, matrix.outputs, matrix.inputs));
    };
    auto plan = plan_of(m);
    if (plan.vectors != matrix.vectors) plan = plan_of(UINT32_MAX);  // tuned for another packing
    const bool narrow = form_of(matrix.method) != Form::fp32;
    const bool narrow_c = is_empty(c.numbers);
    // Sums that are rounded at once are never put down before.
    if (narrow_c) plan.depth = std::max(plan.depth, (matrix.inputs + 31) / 32 * 32);
    std::optional<routines::Norm> normalised;
    if (norm != nullptr) normalised.emplace(norm->gain, norm->shift, config_.epsilon);
    return routines::multiply(
        programs_, plan,
        {.a = narrow ? a.narrow.numbers : a.numbers,
         .b = matrix.packed,
         .c = narrow_c ? c.narrow.numbers : c.numbers,
         .m = m,
         .n = matrix.outputs,
         .k = matrix.inputs,
         .bias = &matrix.bias,
         .gelu = gelu,
         .residual = residual,
         .norm = normalised ? &*normalised : nullptr,
         .narrow_a = narrow,
         .scales_of_a = is_empty(a.narrow.scales) ? nullptr : &a.narrow.scales,
         .narrow_c = narrow_c,
         .copy = narrow_c || is_empty(c.narrow.numbers) ? nullptr : &c.narrow});
}

// Of the last layer only what the head reads is computed: the first token of every sequence.
Result<void> Classifier::layer(const LayerWeights& weights, const routines::SequenceLayout& layout,
                               bool last) {
    auto& on = on_device_;
    auto rows = layout.offsets.back();
    const auto sequences = static_cast<std::uint32_t>(layout.order.size());
    auto done = multiply(weights.query_key_value, on.hidden, on.query_key_value, rows);
    if (done) {
        const bool wide = is_empty(on.query_key_value.narrow.numbers);
        const auto steps = static_cast<std::uint32_t>(walk_of(attention_, layout).size());
        done = attend(programs_, attention_,
                      wide ? on.query_key_value.numbers : on.query_key_value.narrow.numbers,
                      {on.offsets, on.walk, steps, layout.longest},
                      {config_.heads, config_.hidden / config_.heads},
                      wide ? on.attended.numbers : on.attended.narrow.numbers);
    }
    if (done) done = narrow(on.attended, rows);
    const Rows* hidden = &on.hidden;
    const Rows* attended = &on.attended;
    if (last) {
        rows = sequences;
        for (const auto& [from, to] :
             {std::pair{&hidden, &on.chosen}, std::pair{&attended, &on.chosen_attended}}) {
            if (done) done = choose_rows(**from, *to, rows);
            *from = to;
        }
    }
    if (done) {
        done = multiply(weights.output, *attended, on.mixed, rows, false, &hidden->numbers,
                        &weights.attention_norm);
    }
    if (done) done = multiply(weights.up, on.mixed, on.inner, rows, true);
    if (done) {
        done = multiply(weights.down, on.inner, *hidden, rows, false, &on.mixed.numbers,
                        &weights.output_norm);
    }
    return done;
}

Result<void> Classifier::head(std::uint32_t sequences, Scores& scores) {
    auto& on = on_device_;
    const bool relu = config_.family == model_files::Family::distilbert;
    auto done = multiply(weights_.head, on.chosen, on.pooled, sequences);
    if (done) {
        done =
            unary(programs_, flavour_, relu ? routines::Function::relu : routines::Function::tanh,
                  on.pooled.numbers, on.pooled.numbers, {sequences, config_.hidden});
    }
    if (done) done = multiply(weights_.labels, on.pooled, on.logits, sequences);
    const auto labels = static_cast<std::uint32_t>(config_.labels.size());
    if (done)
        done =
            softmax(programs_, flavour_, on.logits.numbers, on.probabilities, {sequences, labels});
    for (const auto& [buffer, numbers] : {std::pair{&on.logits.numbers, &scores.logits},
                                          std::pair{&on.probabilities, &scores.probabilities}}) {
        numbers->resize(std::size_t{sequences} * labels);
        if (!done) return done;
        done = programs_.device().read(*buffer, std::as_writable_bytes(std::span(*numbers)));
    }
    return done;
}

// All tokens of a sequence count alike, the special ones too.
Result<void> Classifier::pool(std::uint32_t sequences, Scores& scores) {
    auto& on = on_device_;
    TRY_DO(over_rows(programs_, flavour_, "mean_rows", "", {sequences, config_.hidden},
                     on.hidden.numbers, on.offsets, on.pooled.numbers));
    scores.embeddings.resize(std::size_t{sequences} * config_.hidden);
    return programs_.device().read(on.pooled.numbers,
                                   std::as_writable_bytes(std::span(scores.embeddings)));
}

Result<void> Classifier::wait(const Watch& watch) {
    TRY_DO(programs_.device().finish());
    if (watch.stopped()) return fail(Errc::cancelled, "The task was stopped.");
    return {};
}

Result<void> Classifier::show(std::uint32_t tokens, const Seen& seen) {
    std::vector<float> hidden(std::size_t{tokens} * config_.hidden);
    auto done = programs_.device().read(on_device_.hidden.numbers,
                                        std::as_writable_bytes(std::span(hidden)));
    if (done) seen(hidden);
    return done;
}

Result<void> Classifier::run(const Batch& batch, const Watch& watch, Scores& scores,
                             const Seen& seen) {
    TRY_DO(check(batch));
    scores = {};
    if (batch.lengths.empty()) return {};
    TRY(const auto layout, upload(batch));
    // Kernels are compiled at their first launch, those of attention again for every length.
    const auto keys = std::bit_ceil(layout.longest);
    std::optional<SteadyBeat> beat;
    if ((built_for_ & keys) == 0) beat.emplace(watch.progress);
    const auto began = Clock::now();
    const auto tokens = layout.offsets.back();
    auto done = embed(tokens);
    double unwatched = 0;
    for (std::size_t i = 0; done && i < weights_.layers.size(); ++i) {
        const bool last = i + 1 == weights_.layers.size();
        done = layer(weights_.layers[i], layout, last && has_head());
        if (done && seen && !last) done = show(tokens, seen);
        unwatched += seconds_per_token_layer_ * tokens;
        // Before the first batch the device's speed is unknown.
        if (!done || (unwatched < kSecondsBetweenLooks && seconds_per_token_layer_ != 0)) continue;
        done = wait(watch);
        unwatched = 0;
    }
    const auto sequences = static_cast<std::uint32_t>(batch.lengths.size());
    if (done) done = has_head() ? head(sequences, scores) : pool(sequences, scores);
    if (!done) return done;
    built_for_ |= keys;
    seconds_per_token_layer_ = std::chrono::duration<double>(Clock::now() - began).count() /
                               tokens / static_cast<double>(weights_.layers.size());
    return {};
}

}  // namespace plimsoll::transformer
