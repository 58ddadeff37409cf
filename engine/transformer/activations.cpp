#include "engine/transformer/activations.hpp"

#include <vector>

namespace plimsoll::transformer {
namespace {

using routines::Form;

struct Indices {
    opencl::Buffer Activations::* buffer;
    std::size_t count;  // numbers of four bytes
};

struct ProductShape {
    Rows Activations::* rows;
    std::size_t count;
    std::size_t columns;
    bool numbers;
    bool narrow;
};

struct Wanted {
    std::vector<Indices> indices;
    std::vector<ProductShape> matrices;
    Form form;
};

Wanted wanted(const model_files::Config& config, routines::Method layers,
              routines::Method attention, std::size_t tokens) {
    const auto form = form_of(layers);
    const bool narrow = form != Form::fp32;
    // What bf16 computes is rounded at once; bytes need the whole row before.
    const bool wide = form != Form::bf16;
    const bool wide_attention = form_of(attention) != Form::bf16;
    const std::size_t sequences = sequences_in(tokens);
    const std::size_t hidden = config.hidden;
    const std::size_t labels = config.labels.size();
    using A = Activations;
    return {{{&A::ids, tokens},
             {&A::positions, tokens},
             {&A::walk, tokens},
             {&A::offsets, sequences},
             {&A::first_tokens, sequences},
             {&A::probabilities, sequences * labels}},
            {{&A::hidden, tokens, hidden, true, narrow},
             {&A::query_key_value, tokens, 3 * hidden, wide_attention, !wide_attention},
             {&A::attended, tokens, hidden, wide_attention, narrow},
             {&A::mixed, tokens, hidden, true, narrow},
             {&A::inner, tokens, config.intermediate, wide, narrow},
             {&A::chosen, sequences, hidden, true, false},
             {&A::chosen_attended, sequences, hidden, !narrow, narrow},
             {&A::pooled, sequences, hidden, true, false},
             {&A::logits, sequences, labels, true, false}},
            form};
}

}  // namespace

std::uint32_t sequences_in(std::size_t tokens) {
    return static_cast<std::uint32_t>(tokens / 2 + 1);  // of two tokens at least
}

Result<Activations> allocate_activations(const opencl::Device& device,
                                         const model_files::Config& config, routines::Method layers,
                                         routines::Method attention, std::size_t tokens) {
    Activations made;
    Result<void> done;
    const auto allocate = [&](opencl::Buffer& into, std::size_t bytes) {
        if (!done || bytes == 0) return;
        auto buffer = device.allocate(bytes);
        if (buffer)
            into = std::move(*buffer);
        else
            done = fail(buffer.error());
    };
    const auto all = wanted(config, layers, attention, tokens);
    for (const auto& [buffer, count] : all.indices) allocate(made.*buffer, count * sizeof(float));
    for (const auto& [rows, count, columns, numbers, narrow] : all.matrices) {
        auto& into = made.*rows;
        if (numbers) allocate(into.numbers, count * columns * sizeof(float));
        if (!narrow) continue;
        allocate(into.narrow.numbers, count * columns * bytes_of_number(all.form));
        allocate(into.narrow.scales, count * bytes_of_scale(all.form));
    }
    if (!done) return fail(done.error());
    return made;
}

std::uint64_t activation_bytes(const model_files::Config& config, routines::Method layers,
                               routines::Method attention, std::size_t tokens) {
    const auto all = wanted(config, layers, attention, tokens);
    std::uint64_t bytes = 0;
    for (const auto& indices : all.indices) bytes += indices.count * sizeof(float);
    for (const auto& [rows, count, columns, numbers, narrow] : all.matrices) {
        if (numbers) bytes += count * columns * sizeof(float);
        if (narrow)
            bytes += count * (columns * bytes_of_number(all.form) + bytes_of_scale(all.form));
    }
    return bytes;
}

}  // namespace plimsoll::transformer
