#pragma once

#include "engine/model_files/model.hpp"
#include "engine/opencl/runtime/device.hpp"
#include "engine/routines/narrow.hpp"

#include <cstddef>
#include <cstdint>

namespace plimsoll::transformer {

// Rows in fp32, in the form of the next product, or in both; unneeded ones are empty.
struct Rows {
    opencl::Buffer numbers;
    routines::NarrowRows narrow;
};

// The data passed between layers.
struct Activations {
    opencl::Buffer ids, positions, offsets, walk, first_tokens;
    Rows hidden, query_key_value, attended, mixed, inner;  // one row per token
    Rows chosen, chosen_attended, pooled, logits;          // one row per sequence
    opencl::Buffer probabilities;
};

// The largest number of sequences for this many tokens.
std::uint32_t sequences_in(std::size_t tokens);

// `layers` and `attention`: the methods of products and of attention.
Result<Activations> allocate_activations(const opencl::Device& device,
                                         const model_files::Config& config, routines::Method layers,
                                         routines::Method attention, std::size_t tokens);

// The bytes that it allocates.
std::uint64_t activation_bytes(const model_files::Config& config, routines::Method layers,
                               routines::Method attention, std::size_t tokens);

}  // namespace plimsoll::transformer
