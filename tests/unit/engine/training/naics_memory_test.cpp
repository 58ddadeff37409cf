#include "engine/training/guides/naics_memory.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace plimsoll::training::naics {
namespace {

struct Row {
    double gib;
    int negatives, batch, accumulation, effective;
    double total_gib, utilisation;
};

class GuideTable : public testing::TestWithParam<Row> {};

TEST_P(GuideTable, IsReproduced) {
    const auto& row = GetParam();
    const auto s = suggest({}, {.gpu_gib = row.gib}, 0, row.negatives, "");
    EXPECT_EQ(s.batch, row.batch);
    EXPECT_EQ(s.accumulation, row.accumulation);
    EXPECT_EQ(s.effective_batch, row.effective);
    EXPECT_NEAR(s.breakdown.total_gib(), row.total_gib, 0.005);
    EXPECT_NEAR(s.utilisation_percent, row.utilisation, 0.05);
}

// 23.65 GiB is what a 24 GB card reports: the guide's own 45 x 5 comes from there.
INSTANTIATE_TEST_SUITE_P(
    NaicsMemory, GuideTable,
    testing::Values(Row{12, 24, 19, 13, 247, 9.89, 82.4}, Row{16, 24, 28, 9, 252, 13.33, 83.3},
                    Row{24, 24, 46, 5, 230, 20.20, 84.2}, Row{23.65, 24, 45, 5, 225, 19.82, 83.8},
                    Row{32, 24, 64, 4, 256, 27.07, 84.6}, Row{40, 24, 82, 3, 246, 33.94, 84.9},
                    Row{80, 24, 128, 2, 256, 51.50, 64.4}, Row{24, 8, 120, 2, 240, 20.26, 84.4},
                    Row{40, 8, 128, 2, 256, 21.43, 53.6}, Row{80, 8, 128, 2, 256, 21.43, 26.8}));

TEST(NaicsMemory, CountsTheGuidesParameters) { EXPECT_EQ(parameters({}), 105'207'680); }

TEST(NaicsMemory, BreakdownOfTheRecommendedBatch) {
    const auto b = memory({}, 45, 24);
    EXPECT_NEAR(b.model, 200.7, 0.05);
    EXPECT_NEAR(b.optimizer, 802.7, 0.05);
    EXPECT_NEAR(b.gradients, 200.7, 0.05);
    EXPECT_NEAR(b.activations, 17554.4, 0.05);
    EXPECT_NEAR(b.batch_data, 36.6, 0.05);
    EXPECT_NEAR(b.total_mib(), 20295, 0.5);
}

TEST(NaicsMemory, CurrentConfigurationOfTheGuide) {
    const auto b = memory({}, 4, 24);
    EXPECT_NEAR(b.total_gib(), 4.17, 0.005);
    EXPECT_NEAR(b.total_gib() / 24 * 100, 17.4, 0.05);
    EXPECT_EQ(judge_utilisation(17.4), Load::underused);
}

TEST(NaicsMemory, BandsOfShowCurrentConfig) {
    EXPECT_EQ(judge_utilisation(95.1), Load::risky);
    EXPECT_EQ(judge_utilisation(95), Load::good);
    EXPECT_EQ(judge_utilisation(85), Load::reasonable);
    EXPECT_EQ(judge_utilisation(60), Load::reasonable);
    EXPECT_EQ(judge_utilisation(59.9), Load::underused);
}

TEST(NaicsMemory, SuggestsBothStages) {
    const auto stages = suggest_stages({}, {.gpu_gib = 24});
    ASSERT_TRUE(stages);
    ASSERT_EQ(stages->size(), 2U);
    EXPECT_EQ(stages->at(0).positives, 32);
    EXPECT_EQ(stages->at(0).negatives, 24);
    EXPECT_EQ(stages->at(1).positives, 16);
    EXPECT_EQ(stages->at(1).batch, 120);
}

TEST(NaicsMemory, RefusesImpossibleInput) {
    EXPECT_EQ(suggest_stages({}, {.gpu_gib = -1}).error().where, "/gpu_memory");
    EXPECT_EQ(suggest_stages({}, {.safety = -0.1}).error().where, "/safety_margin");
    EXPECT_EQ(
        suggest_stages({}, {.safety = std::numeric_limits<double>::quiet_NaN()}).error().where,
        "/safety_margin");
    EXPECT_EQ(suggest_stages({}, {.target_effective_batch = 0}).error().where,
              "/target_effective_batch");
}

TEST(NaicsMemory, BacksOffAfterOutOfMemoryAsTheGuideDoes) {
    const auto next = back_off(45, 5);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->batch, 34);
    EXPECT_EQ(next->accumulation, 7);
    EXPECT_EQ(back_off(1, 5).error().where, "/batch_size");
}

}  // namespace
}  // namespace plimsoll::training::naics
