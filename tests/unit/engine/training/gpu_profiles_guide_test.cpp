#include "engine/training/guides/gpu_profiles_guide.hpp"

#include <gmock/gmock.h>

namespace plimsoll::training::gpu_guide {
namespace {

using testing::HasSubstr;

struct Row {
    const char* id;
    int vram, daily, hourly, workers, daily_gb, hourly_gb;
};

TEST(GpuProfilesGuide, PublishedProfilesAreReproducedExactly) {
    for (const auto& row :
         {Row{"rtx_4090", 24, 512, 768, 2, 6, 12}, Row{"rtx_5090", 32, 1024, 1536, 2, 12, 16},
          Row{"a100_40gb", 40, 1024, 2048, 2, 12, 20}, Row{"a100_80gb", 80, 2048, 4096, 3, 16, 26},
          Row{"h200", 141, 2560, 5120, 3, 25, 45}}) {
        const auto found = resolve(row.id);
        ASSERT_TRUE(found && found->guide) << row.id;
        const auto& g = *found->guide;
        EXPECT_EQ(g.vram_gb, row.vram);
        EXPECT_EQ(batch_size(g, "1d"), row.daily);
        EXPECT_EQ(batch_size(g, "1h"), row.hourly);
        EXPECT_EQ(batch_size(g, "15m"), row.hourly);
        EXPECT_EQ(g.max_workers, row.workers);
        EXPECT_EQ(memory_per_model_gb(g, "1d"), row.daily_gb);
        EXPECT_EQ(memory_per_model_gb(g, "1h"), row.hourly_gb);
    }
}

TEST(GpuProfilesGuide, TheVariableIsLowerCasedAndHasADefault) {
    EXPECT_EQ(resolve("")->id, "rtx_4090");
    EXPECT_EQ(resolve("RTX_5090")->id, "rtx_5090");
    const auto wrong = resolve("voodoo");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().where, "GPU_PROFILE");
    EXPECT_THAT(wrong.error().message, HasSubstr("gpu-profiles list"));
}

TEST(GpuProfilesGuide, TimeFollowsTheFormulaNotTheTable) {
    const auto minutes = [](const char* id) { return training_minutes(*resolve(id)->guide, "1h"); };
    EXPECT_NEAR(minutes("rtx_4090"), 94, 0.5);
    EXPECT_NEAR(minutes("rtx_5090"), 47, 0.5);
    EXPECT_NEAR(minutes("a100_40gb"), 35, 0.5);
    EXPECT_NEAR(minutes("a100_80gb"), 11.7, 0.1);
}

TEST(GpuProfilesGuide, WarnsIfContextsNoLongerFit) {
    EXPECT_THAT(warnings(*resolve("rtx_4090")).at(0), HasSubstr("2 x 12 GB + 2 CUDA contexts"));
    EXPECT_THAT(warnings(*resolve("rtx_4090")).at(0), HasSubstr("> 24 GB"));
    EXPECT_FALSE(warnings(*resolve("a100_40gb")).empty());
    EXPECT_TRUE(warnings(*resolve("h200")).empty());
}

TEST(GpuProfilesGuide, ChecksMemoryWithFivePercentTolerance) {
    constexpr std::int64_t gib = 1LL << 30;
    EXPECT_TRUE(check(*resolve("rtx_4090"), {"RTX 4090", 23 * gib}).enough_memory);
    EXPECT_FALSE(check(*resolve("rtx_4090"), {"T4", 15 * gib}).enough_memory);
}

}  // namespace
}  // namespace plimsoll::training::gpu_guide
