#include "engine/operations/attention.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace plimsoll::operations {

namespace {

// Keys and values of a sequence lie in a work-item's private memory.
constexpr std::uint32_t kLongest = 4096;
constexpr std::size_t kGroupItems = 64;

}  // namespace

Result<SequenceLayout> lay_out(std::span<const std::uint32_t> lengths) {
    SequenceLayout layout;
    layout.offsets.push_back(0);
    for (std::uint32_t s = 0; s < lengths.size(); ++s) {
        if (lengths[s] == 0 || lengths[s] > kLongest) {
            return fail(Errc::invalid_input, "A sequence has 1 to 4096 tokens.",
                        "/" + std::to_string(s));
        }
        layout.offsets.push_back(layout.offsets.back() + lengths[s]);
        layout.sequence.insert(layout.sequence.end(), lengths[s], s);
        layout.longest = std::max(layout.longest, lengths[s]);
    }
    layout.order.resize(lengths.size());
    std::iota(layout.order.begin(), layout.order.end(), 0U);
    std::ranges::sort(layout.order, std::greater{}, [&](std::uint32_t s) { return lengths[s]; });
    return layout;
}

const std::vector<std::uint32_t>& walk_of(Flavour flavour, const SequenceLayout& layout) {
    return flavour == Flavour::block ? layout.order : layout.sequence;
}

Result<void> attend(opencl::Programs& programs, Flavour flavour, const opencl::Buffer& qkv,
                    const Sequences& sequences, Heads heads, const opencl::Buffer& out) {
    if (heads.size == 0 || heads.size % 16 != 0 || heads.size > 256) {
        return fail(Errc::invalid_input, "A head's size is a multiple of 16 up to 256.",
                    std::to_string(heads.size));
    }
    if (sequences.longest > kLongest) {
        return fail(Errc::invalid_input, "A sequence has 1 to 4096 tokens.");
    }
    const bool block = flavour == Flavour::block;
    const std::string name = block ? "attention_block" : "attention_group";
    // Powers of two: few programs for all batches.
    const auto keys = std::bit_ceil(std::max(sequences.longest, 16U));
    const auto kernel =
        row_kernel(programs, flavour, name,
                   "-DKEYS=" + std::to_string(keys) + " -DHEAD=" + std::to_string(heads.size));
    if (!kernel) return fail(kernel.error());
    const auto groups = std::size_t{block ? sequences.count : sequences.tokens} * heads.count;
    const std::size_t items = block ? 1 : kGroupItems;
    return opencl::invoke(programs.device(), **kernel, {groups * items, items}, qkv,
                          sequences.offsets, sequences.walk, out, heads.count);
}

}  // namespace plimsoll::operations
