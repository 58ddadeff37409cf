#include "engine/routines/attention.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace plimsoll::routines {

namespace {

// A sequence's keys and values are in a work-item's private memory.
constexpr std::uint32_t kLongest = 4096;
constexpr std::size_t kRowItems = 64;
constexpr std::uint32_t kQueriesOfBlock = 64;
constexpr std::size_t kMmaItems = 128;
// Keys and values of one head, on a thread's stack: 4 MiB together.
constexpr std::uint32_t kMaxKeyNumbers = 1U << 19;

// `keys`: at least as many as the longest sequence has. Powers of two: few programs for all
// batches.
Result<const opencl::Kernel*> kernel_of(opencl::Programs& programs, Method method,
                                        std::uint32_t keys, std::uint32_t head) {
    const auto size = " -DHEAD=" + std::to_string(head);
    const auto options = " -DKEYS=" + std::to_string(keys) + size;
    switch (method) {
        case Method::group_fp32:
            return row_kernel(programs, Flavour::group, "attention_group", options);
        case Method::group_mma:
            return programs.get("attention_mma", row_options(Flavour::group) + size,
                                [] { return row_source({"mma", "attention_mma"}); });
        default:
            return programs.get("attention_block",
                                row_options(Flavour::block) + dot_options(method) + options,
                                [] { return row_source({"dot", "transpose", "attention_block"}); });
    }
}

bool attends(Method method) {
    return method == Method::block_fp32 || method == Method::block_bf16 ||
           method == Method::group_fp32 || method == Method::group_mma;
}

}  // namespace

Result<SequenceLayout> lay_out(std::span<const std::uint32_t> lengths) {
    SequenceLayout layout;
    layout.offsets.push_back(0);
    for (std::uint32_t s = 0; s < lengths.size(); ++s) {
        if (lengths[s] == 0 || lengths[s] > kLongest) {
            return fail(Errc::invalid_input, "A sequence must have 1 to 4096 tokens.",
                        "/" + std::to_string(s));
        }
        layout.offsets.push_back(layout.offsets.back() + lengths[s]);
        layout.sequence.insert(layout.sequence.end(), lengths[s], s);
        layout.longest = std::max(layout.longest, lengths[s]);
    }
    layout.order.resize(lengths.size());
    std::iota(layout.order.begin(), layout.order.end(), 0U);
    std::ranges::sort(layout.order, std::greater{}, [&](std::uint32_t s) { return lengths[s]; });
    for (const auto s : layout.order)
        for (std::uint32_t first = 0; first < lengths[s]; first += kQueriesOfBlock)
            layout.blocks.push_back(s * (kLongest / kQueriesOfBlock) + first / kQueriesOfBlock);
    return layout;
}

const std::vector<std::uint32_t>& walk_of(Method method, const SequenceLayout& layout) {
    if (method == Method::group_mma) return layout.blocks;
    return method == Method::group_fp32 ? layout.sequence : layout.order;
}

Method attention_method_for(const opencl::Capability& capability, Form form) {
    using opencl::Feature;
    const bool bf16 = form == Form::bf16;
    if (flavour_for(capability.info) == Flavour::group)
        return bf16 && capability.has(Feature::mma_bf16) ? Method::group_mma : Method::group_fp32;
    return bf16 && capability.has(Feature::avx512_bf16) ? Method::block_bf16 : Method::block_fp32;
}

Result<void> attend(opencl::Programs& programs, Method method, const opencl::Buffer& qkv,
                    const Sequences& sequences, Heads heads, const opencl::Buffer& out) {
    if (!attends(method)) {
        return fail(Errc::invalid_input, "This attention method does not exist.",
                    std::string(to_string(method)));
    }
    if (heads.size == 0 || heads.size % 16 != 0 || heads.size > 256) {
        return fail(Errc::invalid_input, "The head size must be a multiple of 16 and at most 256.",
                    std::to_string(heads.size));
    }
    if (sequences.longest > kLongest)
        return fail(Errc::invalid_input, "A sequence must have 1 to 4096 tokens.");
    if (method == Method::group_mma && heads.size > kLargestMmaHead) {
        return fail(Errc::invalid_input, "On tensor cores, the head size must be at most 128.",
                    std::to_string(heads.size));
    }
    const bool block = flavour_of(method) == Flavour::block;
    const auto keys = std::bit_ceil(std::max(sequences.longest, 16U));
    if (block && keys * heads.size > kMaxKeyNumbers) {
        return fail(Errc::invalid_input,
                    "On CPUs, heads larger than 128 support at most 2048 tokens.");
    }
    TRY(const auto kernel, kernel_of(programs, method, keys, heads.size));
    const auto groups = std::size_t{sequences.steps} * heads.count;
    const std::size_t items = block ? 1 : method == Method::group_mma ? kMmaItems : kRowItems;
    return opencl::invoke(programs.device(), *kernel, {groups * items, items}, qkv,
                          sequences.offsets, sequences.walk, out, heads.count);
}

}  // namespace plimsoll::routines
