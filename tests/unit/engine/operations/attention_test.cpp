#include "engine/operations/attention.hpp"

#include "tests/unit/engine/operations/on_device.hpp"

#include <algorithm>
#include <numeric>

namespace plimsoll::operations {
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
                weights.push_back(std::exp(sum / std::sqrt(double(heads.size))));
            }
            const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
            for (auto j = first; j < end; ++j) {
                const auto* const value = &qkv[j * 3 * width + 2 * width + h * heads.size];
                for (std::size_t d = 0; d < heads.size; ++d) {
                    out[t * width + h * heads.size + d] += weights[j - first] / total * value[d];
                }
            }
        }
    }
    return out;
}

double error_of_attention(Flavour flavour, const Lengths& lengths, Heads heads, float scale) {
    const auto layout = need(lay_out(lengths));
    const auto tokens = static_cast<std::uint32_t>(layout.sequence.size());
    const auto width = std::size_t{heads.count} * heads.size;
    const auto qkv = random_floats(tokens * 3 * width, 20, scale);
    const auto in = upload(qkv);
    const auto offsets = upload(layout.offsets);
    const auto walk = upload(walk_of(flavour, layout));
    const Output out(tokens * width);
    need(attend(programs(), flavour, in,
                {offsets, walk, static_cast<std::uint32_t>(lengths.size()), tokens, layout.longest},
                heads, out.buffer()));
    return error_of(out.values(), reference(qkv, layout, heads));
}

TEST(Attention, IsRightForEveryLengthUpToAFewVectors) {
    Lengths lengths(70);
    std::iota(lengths.begin(), lengths.end(), 1U);
    for (const auto flavour : kFlavours) {
        EXPECT_LE(error_of_attention(flavour, lengths, {2, 64}, 1), 1e-5);
        EXPECT_LE(error_of_attention(flavour, lengths, {1, 16}, 4), 1e-5);
    }
}

TEST(Attention, IsRightForHeadsAndLengthsOfAllSorts) {
    for (const auto flavour : kFlavours) {
        EXPECT_LE(error_of_attention(flavour, {1}, {1, 16}, 1), 1e-6);
        EXPECT_LE(error_of_attention(flavour, {129, 1, 256, 31}, {3, 32}, 2), 1e-5);
        EXPECT_LE(error_of_attention(flavour, {601}, {1, 64}, 1), 1e-5);
        EXPECT_LE(error_of_attention(flavour, {33, 5}, {2, 96}, 3), 1e-5);
    }
}

TEST(Attention, LayoutsAreLongestFirst) {
    const auto layout = need(lay_out(Lengths{2, 5, 3}));
    EXPECT_EQ(layout.offsets, (Lengths{0, 2, 7, 10}));
    EXPECT_EQ(layout.order, (Lengths{1, 2, 0}));
    EXPECT_EQ(layout.sequence, (Lengths{0, 0, 1, 1, 1, 1, 1, 2, 2, 2}));
    EXPECT_EQ(layout.longest, 5U);
}

TEST(Attention, RefusesWhatDoesNotFit) {
    for (const auto length : {0U, 4097U}) {
        const auto refused = lay_out(Lengths{1, length});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().where, "/1");
    }
    const auto buffer = upload(Floats(1));
    for (const auto size : {0U, 24U, 272U}) {
        EXPECT_FALSE(attend(programs(), Flavour::block, buffer, {buffer, buffer, 1, 1, 1},
                            {1, size}, buffer));
    }
}

}  // namespace
}  // namespace plimsoll::operations
