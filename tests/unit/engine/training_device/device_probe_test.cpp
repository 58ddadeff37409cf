#include "engine/training_device/device_probe.hpp"

#include "engine/training/models/presets.hpp"
#include "tests/unit/engine/routines/on_device.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace plimsoll::training {
namespace {

using routines::programs;

const auto* const kCache = testing::AddGlobalTestEnvironment(new opencl::KernelCache);

constexpr std::chrono::milliseconds kEach{20};

TEST(Matrices, AreTheModelsByWork) {
    const auto shapes = matrix_shapes(*preset("bert-base"));
    ASSERT_GE(shapes.size(), 3U);
    // Query, key, value and output of 12 layers, and the pooler.
    EXPECT_EQ(shapes[0].columns, 768);
    EXPECT_EQ(shapes[0].depth, 768);
    EXPECT_EQ(shapes[0].count, 49);
    for (const auto& feed_forward : {shapes[1], shapes[2]}) {
        EXPECT_EQ(feed_forward.columns * feed_forward.depth, 768 * 3072);
        EXPECT_EQ(feed_forward.count, 12);
    }
}

TEST(Matrices, ATiedHeadMultipliesByTheEmbedding) {
    const auto shapes = matrix_shapes(*preset("gpt2"));
    const auto head = std::ranges::find(shapes, 50257, &MatrixShape::columns);
    ASSERT_NE(head, shapes.end());
    EXPECT_EQ(head->depth, 768);
}

TEST(Matrices, AStepComputesSixTimesItsWeightsAndTheAttention) {
    TrainingSettings t;
    t.sequence = 128;
    const double weights = 12 * (4 * 768 * 768 + 2 * 768 * 3072);
    const double attention = 12 * 4.0 * 128 * 768;
    const double flops = matrix_flops_per_sample(*preset("bert-base"), t);
    EXPECT_NEAR(flops, 128 * (6 * weights + 3 * attention), 0.02 * flops);
    t.batch = 16;
    EXPECT_DOUBLE_EQ(matrix_flops_per_sample(*preset("bert-base"), t), flops);
}

TEST(DeviceProbe, MeasuresTheProductsOfTheModel) {
    Progress progress;
    const auto shapes = matrix_shapes(*preset("minilm-l6"));
    const auto seen = probe_device(programs(), shapes, kEach, progress, {});
    ASSERT_TRUE(seen) << seen.error().message;
    ASSERT_EQ(seen->products.size(), std::min(shapes.size(), kShapes));
    EXPECT_GT(seen->free_bytes.value_or(0), 0);
    for (const auto& p : seen->products) {
        EXPECT_GT(p.seconds, 0);
        EXPECT_GT(p.rows, 0);
        EXPECT_EQ(p.columns, p.shape.columns);
    }
    // A mean over the products lies between them.
    const auto [slowest, fastest] =
        std::ranges::minmax(seen->products, {}, &MeasuredProduct::flops_per_second);
    EXPECT_GE(seen->flops_per_second(), slowest.flops_per_second());
    EXPECT_LE(seen->flops_per_second(), fastest.flops_per_second());
    EXPECT_GE(progress.beats(), seen->products.size());
}

TEST(DeviceProbe, CutsWeightsThatAreTooLarge) {
    Progress progress;
    const auto seen = probe_device(programs(), {{100'000, 1024, 1}}, kEach, progress, {});
    ASSERT_TRUE(seen) << seen.error().message;
    EXPECT_EQ(seen->products[0].columns, 16 * 1024);
}

TEST(DeviceProbe, StopsBetweenShapes) {
    std::stop_source stop;
    stop.request_stop();
    Progress progress;
    const auto seen = probe_device(programs(), {{64, 64, 1}}, kEach, progress, stop.get_token());
    ASSERT_FALSE(seen);
    EXPECT_EQ(seen.error().code, Errc::cancelled);
}

}  // namespace
}  // namespace plimsoll::training
