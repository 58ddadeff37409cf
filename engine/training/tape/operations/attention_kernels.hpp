#pragma once

#include "engine/training/tape/operations/operations.hpp"

namespace plimsoll::training {

// Of a kernel for attention; as a node keeps them: batch * heads, queries, keys, head size,
// batch * kv heads, size of a head's v.
struct AttentionSizes {
    std::int64_t pairs, queries, keys, head_dim, kv_pairs, value_dim;
};

double attention_flops(const AttentionSizes& sizes);

// What a kernel's backward pass allocates besides the gradients, and frees.
void attention_scratch(Graph& g, SdpaKernel kernel, const AttentionSizes& sizes, Dtype dtype);

}  // namespace plimsoll::training
