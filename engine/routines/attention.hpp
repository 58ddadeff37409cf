#pragma once

#include "engine/routines/gemm.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace plimsoll::routines {

// Self-attention of sequences that lie behind each other without padding.
struct Heads {
    std::uint32_t count = 12;
    std::uint32_t size = 64;  // a multiple of 16, at most 256
};

// How a batch of sequences is laid out, as the kernels read it: made on the host once per batch and
// used by all layers.
struct SequenceLayout {
    std::vector<std::uint32_t> offsets;   // sequence s has the tokens [offsets[s], offsets[s + 1])
    std::vector<std::uint32_t> order;     // all sequences, the longest first
    std::vector<std::uint32_t> sequence;  // of every token
    std::uint32_t longest = 0;
};

// `lengths` in tokens, 1 to 4096 each (Errc::invalid_input names the first that is not).
Result<SequenceLayout> lay_out(std::span<const std::uint32_t> lengths);

// A layout on the device. `walk` is `order` for blocks and `sequence` for groups.
struct Sequences {
    const opencl::Buffer& offsets;
    const opencl::Buffer& walk;
    std::uint32_t count;
    std::uint32_t tokens;
    std::uint32_t longest;
};

// The numbers that `walk` is to hold.
const std::vector<std::uint32_t>& walk_of(Flavour flavour, const SequenceLayout& layout);

// The best method for attention: block_fp32, block_bf16 (queries, keys, values and weights rounded
// to bf16, sums in fp32) or group_fp32.
Method attention_method_for(const opencl::Capability& capability, Precision precision);

// out (tokens x count * size) = softmax(Q K^T / sqrt(size)) V within each sequence. A row of `qkv`
// has the queries of all heads, then the keys, then the values. On processors a head of the longest
// sequence has at most 2^19 keys' numbers: 4096 keys of 128. Errc::invalid_input otherwise, and for
// other methods than those above.
Result<void> attend(opencl::Programs& programs, Method method, const opencl::Buffer& qkv,
                    const Sequences& sequences, Heads heads, const opencl::Buffer& out);

}  // namespace plimsoll::routines
