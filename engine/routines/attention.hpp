#pragma once

#include "engine/routines/method.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace plimsoll::routines {

inline constexpr std::uint32_t kLargestMmaHead = 128;

// Self-attention over concatenated sequences without padding.
struct Heads {
    std::uint32_t count = 12;
    std::uint32_t size = 64;  // a multiple of 16, at most 256
};

// The layout of a batch of sequences, as the kernels read it: built on the host once per batch and
// shared by all layers.
struct SequenceLayout {
    std::vector<std::uint32_t> offsets;   // sequence s has tokens [offsets[s], offsets[s + 1])
    std::vector<std::uint32_t> order;     // all sequences, longest first
    std::vector<std::uint32_t> sequence;  // of every token
    std::vector<std::uint32_t> blocks;    // of 64 queries: sequence * 64 + block, longest first
    std::uint32_t longest = 0;
};

// `lengths` in tokens, 1 to 4096 each (Errc::invalid_input names the first one outside).
Result<SequenceLayout> lay_out(std::span<const std::uint32_t> lengths);

// A layout on the device. `walk` has `steps` numbers, which walk_of() gives.
struct Sequences {
    const opencl::Buffer& offsets;
    const opencl::Buffer& walk;
    std::uint32_t steps;
    std::uint32_t longest;
};

// The units in which the method's work is distributed: sequences, tokens, or blocks of queries.
const std::vector<std::uint32_t>& walk_of(Method method, const SequenceLayout& layout);

// The best method for attention: block_fp32, group_fp32, or, with all rows and the weights in bf16
// and sums in fp32, block_bf16 and group_mma.
Method attention_method_for(const opencl::Capability& capability, Form form);

// out (tokens x count * size) = softmax(Q K^T / sqrt(size)) V within each sequence. A row of `qkv`
// has the queries of all heads, then the keys, then the values; rows are fp32, or bf16 with
// block_bf16 and group_mma. On processors the keys of one head of the longest sequence have at most
// 2^19 numbers: 4096 keys of 128. On tensor cores heads have at most kLargestMmaHead numbers.
// Errc::invalid_input beyond that and for any other method.
Result<void> attend(opencl::Programs& programs, Method method, const opencl::Buffer& qkv,
                    const Sequences& sequences, Heads heads, const opencl::Buffer& out);

}  // namespace plimsoll::routines
