#include "engine/routines/attention.hpp"

#include "tests/unit/engine/routines/on_device.hpp"

#include <algorithm>
#include <numeric>

namespace plimsoll::routines {
namespace {

using Lengths = std::vector<std::uint32_t>;

std::vector<double> reference(const Floats& qkv, const SequenceLayout& layout, Heads heads) {
    const std::size_t width = std::size_t{heads.count} * heads.size;
    std::vector<double> out(layout.sequence.size() * width, 0.0);
    for (std::size_t t = 0; t < layout.sequence.size(); ++t) {
        const std::size_t first = layout.offsets[layout.sequence[t]];
        const std::size_t end = layout.offsets[layout.sequence[t] + 1];
        for (std::size_t h = 0; h < heads.count; ++h) {
            const auto* const query = &qkv[t * 3 * width + h * heads.size];
            std::vector<double> weights;
            for (auto j = first; j < end; ++j) {
                const auto* const key = &qkv[j * 3 * width + width + h * heads.size];
                double sum = 0;
                for (std::size_t d = 0; d < heads.size; ++d) sum += double{query[d]} * key[d];
                weights.push_back(sum / std::sqrt(double(heads.size)));
            }
            const double max = *std::ranges::max_element(weights);
            for (auto& weight : weights) weight = std::exp(weight - max);
            const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
            for (auto j = first; j < end; ++j) {
                const auto* const value = &qkv[j * 3 * width + 2 * width + h * heads.size];
                for (std::size_t d = 0; d < heads.size; ++d)
                    out[t * width + h * heads.size + d] += weights[j - first] / total * value[d];
            }
        }
    }
    return out;
}

struct Case {
    Method method;
    double tolerance;  // of numbers up to 1, by the largest of the result
};

// What this machine can run.
std::vector<Case> cases() {
    std::vector<Case> all{{Method::group_fp32, 1e-5}};
    if (on_processor()) all.push_back({Method::block_fp32, 1e-5});
    if (has_avx512_bf16()) all.push_back({Method::block_bf16, 5e-3});
    if (has_tensor_cores()) all.push_back({Method::group_mma, 5e-3});
    return all;
}

double error_of_attention(Method method, const Lengths& lengths, Heads heads, float scale) {
    const auto layout = need(lay_out(lengths));
    const auto tokens = static_cast<std::uint32_t>(layout.sequence.size());
    const auto width = std::size_t{heads.count} * heads.size;
    const auto qkv = random_floats(tokens * 3 * width, 20, scale);
    const bool narrow = form_of(method) == Form::bf16;
    const auto in = narrow ? upload(rounded(qkv)) : upload(qkv);
    const auto offsets = upload(layout.offsets);
    const auto& steps = walk_of(method, layout);
    const auto walk = upload(steps);
    const Output out(tokens * width / (narrow ? 2 : 1));
    need(attend(programs(), method, in,
                {offsets, walk, static_cast<std::uint32_t>(steps.size()), layout.longest}, heads,
                out.buffer()));
    const auto found = narrow ? from_bf16(out.values()) : out.values();
    return error_of(found, reference(qkv, layout, heads));
}

TEST(Attention, IsCorrectForEveryLengthUpToAFewVectors) {
    Lengths lengths(70);
    std::iota(lengths.begin(), lengths.end(), 1U);
    for (const auto& [method, tolerance] : cases()) {
        SCOPED_TRACE(to_string(method));
        EXPECT_LE(error_of_attention(method, lengths, {2, 64}, 1), tolerance);
        EXPECT_LE(error_of_attention(method, lengths, {3, 16}, 1), tolerance);
    }
}

TEST(Attention, IsCorrectForHeadsAndLengthsOfAllKinds) {
    for (const auto& [method, tolerance] : cases()) {
        SCOPED_TRACE(to_string(method));
        EXPECT_LE(error_of_attention(method, {129, 1, 256, 31}, {3, 32}, 1), tolerance);
        EXPECT_LE(error_of_attention(method, {601}, {1, 64}, 1), tolerance);
        EXPECT_LE(error_of_attention(method, {67, 5, 80}, {2, 48}, 1), tolerance);
    }
}

// Scores far apart: few keys count.
TEST(Attention, IsCorrectIfFewKeysCount) {
    for (const auto& [method, tolerance] : cases()) {
        SCOPED_TRACE(to_string(method));
        // A score is off by the rounding of its factors, and grows with their product.
        const double times = form_of(method) == Form::bf16 ? 10 : 1;
        EXPECT_LE(error_of_attention(method, {70, 9}, {3, 16}, 4), times * tolerance);
    }
    for (const auto& [method, tolerance] : cases()) {
        if (form_of(method) == Form::bf16) continue;  // a score of a thousand is off by some ones
        EXPECT_LE(error_of_attention(method, {70, 20}, {2, 64}, 30), 1e-3);
    }
}

// A thread's stack holds the keys and values of a head.
TEST(Attention, TheLongestSequencesFit) {
    if (!on_processor()) GTEST_SKIP() << "of processors";
    Lengths lengths{4096};
    const auto layout = need(lay_out(lengths));
    const auto in = upload(Floats(std::size_t{4096} * 3 * 128, 0.5F));
    const auto offsets = upload(layout.offsets);
    const auto walk = upload(layout.order);
    const Output out(std::size_t{4096} * 128);
    const Sequences sequences{offsets, walk, 1, 4096};
    need(attend(programs(), Method::block_fp32, in, sequences, {1, 128}, out.buffer()));
    EXPECT_LE(error_of(out.values(), std::vector<double>(std::size_t{4096} * 128, 0.5)), 1e-5);
    EXPECT_FALSE(attend(programs(), Method::block_fp32, in, sequences, {1, 144}, out.buffer()));
}

TEST(Attention, OnlyProvenInstructionsAreChosen) {
    opencl::Capability device;
    device.info.type = opencl::DeviceType::cpu;
    EXPECT_EQ(attention_method_for(device, Form::bf16), Method::block_fp32);
    device.features = {{"avx512_bf16", 0, 0, {}}, {"amx_bf16", 0, 0, {}}};
    EXPECT_EQ(attention_method_for(device, Form::bf16), Method::block_bf16);
    EXPECT_EQ(attention_method_for(device, Form::fp32), Method::block_fp32);
    device.info.type = opencl::DeviceType::gpu;
    EXPECT_EQ(attention_method_for(device, Form::bf16), Method::group_fp32);
    device.features = {{"mma_bf16", 0, 0, {}}};
    EXPECT_EQ(attention_method_for(device, Form::bf16), Method::group_mma);
    EXPECT_EQ(attention_method_for(device, Form::fp32), Method::group_fp32);
}

TEST(Attention, LayoutsAreLongestFirst) {
    const auto layout = need(lay_out(Lengths{2, 5, 3}));
    EXPECT_EQ(layout.offsets, (Lengths{0, 2, 7, 10}));
    EXPECT_EQ(layout.order, (Lengths{1, 2, 0}));
    EXPECT_EQ(layout.sequence, (Lengths{0, 0, 1, 1, 1, 1, 1, 2, 2, 2}));
    EXPECT_EQ(layout.longest, 5U);
    EXPECT_EQ(layout.blocks, (Lengths{64, 128, 0}));
    EXPECT_EQ(need(lay_out(Lengths{64, 130})).blocks, (Lengths{64, 65, 66, 0}));
}

TEST(Attention, RejectsSequencesThatDoNotFit) {
    for (const auto length : {0U, 4097U}) {
        const auto refused = lay_out(Lengths{1, length});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().where, "/1");
    }
    const auto buffer = upload(Floats(1));
    for (const auto size : {0U, 24U, 272U}) {
        EXPECT_FALSE(attend(programs(), Method::block_fp32, buffer, {buffer, buffer, 1, 1},
                            {1, size}, buffer));
    }
    EXPECT_FALSE(
        attend(programs(), Method::block_amx, buffer, {buffer, buffer, 1, 1}, {1, 64}, buffer));
    EXPECT_FALSE(
        attend(programs(), Method::group_mma, buffer, {buffer, buffer, 1, 1}, {1, 144}, buffer));
}

}  // namespace
}  // namespace plimsoll::routines
