#include "engine/transformer/device_weights.hpp"

#include <algorithm>
#include <initializer_list>

namespace plimsoll::transformer {
namespace {

using model_files::Linear;
using model_files::Named;
using routines::GemmPlan;

// The rows that packing is chosen for: a full batch.
constexpr std::uint32_t kFullBatch = 1024;

GemmPlan packing_plan(const tuning::Plans& plans, routines::Method method, std::uint32_t outputs,
                      std::uint32_t inputs) {
    return plans.plan_for(tuning::bucket_of(method, kFullBatch, outputs, inputs));
}

class Loader {
  public:
    // `rows`: memory for the largest matrix, which all are packed from. In this order: mapping it
    // for the next one waits until the last one is packed.
    Loader(opencl::Programs& programs, const tuning::Plans& plans, const Watch& watch,
           const opencl::Buffer& rows)
        : programs_(programs), plans_(plans), watch_(watch), rows_(rows) {}

    // Calls after the first failure do nothing.
    Result<void> done;

    // `rows` of a table, from its first on.
    opencl::Buffer table(const Named& tensor, std::size_t numbers) {
        return filled(numbers, [&](std::span<float> to) { read(tensor, to); });
    }
    NormWeights norm(const model_files::LayerNorm& norm, std::uint32_t size) {
        return {table(norm.gain, size), table(norm.shift, size)};
    }
    // Several matrices with the same inputs, one above the other.
    Matrix matrix(routines::Method method, std::initializer_list<const Linear*> parts) {
        Matrix made;
        made.method = method;
        for (const auto* part : parts) {
            if (!done) return made;
            made.outputs += static_cast<std::uint32_t>(part->weight.tensor->shape[0]);
            made.inputs = static_cast<std::uint32_t>(part->weight.tensor->shape[1]);
        }
        fill(rows_, std::size_t{made.outputs} * made.inputs,
             [&](std::span<float> to) { read_weights(parts, to); });
        made.bias = filled(made.outputs, [&](std::span<float> to) { read_biases(parts, to); });
        if (done) pack(made);
        return made;
    }

  private:
    template <class Fill>
    opencl::Buffer filled(std::size_t numbers, const Fill& read_into) {
        if (!done) return {};
        auto buffer = programs_.device().allocate(numbers * sizeof(float));
        if (!buffer) {
            done = fail(buffer.error());
            return {};
        }
        fill(*buffer, numbers, read_into);
        return std::move(*buffer);
    }
    template <class Fill>
    void fill(const opencl::Buffer& buffer, std::size_t numbers, const Fill& read_into) {
        if (!done) return;
        if (watch_.stopped()) {
            done = fail(Errc::cancelled, "Loading the model was stopped.");
            return;
        }
        const auto mapping = programs_.device().map(buffer);
        if (!mapping) {
            done = fail(mapping.error());
            return;
        }
        read_into(std::span(reinterpret_cast<float*>(mapping->bytes().data()), numbers));
    }

    void read(const Named& tensor, std::span<float> to) {
        if (!done) return;
        auto wanted = *tensor.tensor;
        if (wanted.count() != to.size()) {  // the first row of a table
            wanted.shape = {to.size()};
            wanted.bytes = wanted.bytes.first(to.size() * bytes_of(wanted.type));
        }
        done = to_floats(tensor.name, wanted, to);
    }
    void read_weights(std::initializer_list<const Linear*> parts, std::span<float> to) {
        for (const auto* part : parts) {
            const auto numbers = part->weight.tensor->count();
            read(part->weight, to.first(numbers));
            to = to.subspan(numbers);
        }
    }
    void read_biases(std::initializer_list<const Linear*> parts, std::span<float> to) {
        for (const auto* part : parts) {
            const auto numbers = part->bias.tensor->count();
            read(part->bias, to.first(numbers));
            to = to.subspan(numbers);
        }
    }

    void pack(Matrix& into) {
        const auto plan = packing_plan(plans_, into.method, into.outputs, into.inputs);
        into.vectors = plan.vectors;
        auto packed = programs_.device().allocate(packed_bytes(plan, into.inputs, into.outputs));
        if (!packed) {
            done = fail(packed.error());
            return;
        }
        into.packed = std::move(*packed);
        done = routines::pack(programs_, plan, rows_, {into.inputs, into.outputs, 1, into.inputs},
                              into.packed);
    }

    opencl::Programs& programs_;
    const tuning::Plans& plans_;
    Watch watch_;
    const opencl::Buffer& rows_;
};

}  // namespace

std::uint64_t weight_bytes(const model_files::Config& config, const tuning::Plans& plans,
                           const Methods& methods) {
    const auto of = [&](routines::Method method, std::uint32_t outputs, std::uint32_t inputs) {
        const auto plan = packing_plan(plans, method, outputs, inputs);
        return packed_bytes(plan, inputs, outputs) + std::uint64_t{outputs} * sizeof(float);
    };
    const auto matrix = [&](std::uint32_t outputs, std::uint32_t inputs) {
        return of(methods.layers, outputs, inputs);
    };
    const std::uint64_t norm = std::uint64_t{2} * config.hidden * sizeof(float);
    const std::uint64_t layer = matrix(3 * config.hidden, config.hidden) +
                                matrix(config.hidden, config.hidden) +
                                matrix(config.intermediate, config.hidden) +
                                matrix(config.hidden, config.intermediate) + 2 * norm;
    const std::uint64_t tables =
        std::uint64_t{config.vocabulary + config.positions + (config.token_types != 0 ? 1 : 0)} *
        config.hidden * sizeof(float);
    const auto encoder = tables + norm + config.layers * layer;
    const auto labels = static_cast<std::uint32_t>(config.labels.size());
    if (labels == 0) return encoder;
    return encoder + of(methods.head, config.hidden, config.hidden) +
           of(methods.head, labels, config.hidden);
}

std::uint64_t loading_bytes(const model_files::Config& config) {
    const std::uint64_t widest = std::max(
        {3 * config.hidden, config.intermediate, static_cast<std::uint32_t>(config.labels.size())});
    return widest * config.hidden * sizeof(float);
}

Result<DeviceWeights> load_weights(opencl::Programs& programs, const tuning::Plans& plans,
                                   const Methods& methods, const model_files::Model& model,
                                   const Watch& watch) {
    const auto& [config, file, weights] = model;
    const std::size_t hidden = config.hidden;
    TRY(const auto rows, programs.device().allocate(loading_bytes(config)));
    Loader loader(programs, plans, watch, rows);
    DeviceWeights loaded;
    loaded.words = loader.table(weights.words, config.vocabulary * hidden);
    loaded.positions = loader.table(weights.positions, config.positions * hidden);
    if (weights.types.tensor != nullptr) loaded.types = loader.table(weights.types, hidden);
    loaded.embedding_norm = loader.norm(weights.embedding_norm, config.hidden);
    for (const auto& layer : weights.layers) {
        loaded.layers.push_back({.query_key_value = loader.matrix(
                                     methods.layers, {&layer.query, &layer.key, &layer.value}),
                                 .output = loader.matrix(methods.layers, {&layer.output}),
                                 .attention_norm = loader.norm(layer.attention_norm, config.hidden),
                                 .up = loader.matrix(methods.layers, {&layer.up}),
                                 .down = loader.matrix(methods.layers, {&layer.down}),
                                 .output_norm = loader.norm(layer.output_norm, config.hidden)});
    }
    if (!config.labels.empty()) {
        loaded.head = loader.matrix(methods.head, {&weights.head});
        loaded.labels = loader.matrix(methods.head, {&weights.labels});
    }
    if (loader.done) loader.done = programs.device().finish();  // before the rows are released
    if (!loader.done) return fail(loader.done.error());
    return loaded;
}

}  // namespace plimsoll::transformer
