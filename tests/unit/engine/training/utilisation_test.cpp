#include "engine/training/guides/utilisation.hpp"

#include "engine/training/guides/learning_rate.hpp"

#include <gtest/gtest.h>

namespace plimsoll::training::utilisation {
namespace {

TEST(Utilisation, BatchRuleByTotalMemory) {
    EXPECT_EQ(batch_for(42'000'000'000).batch, 64);
    EXPECT_EQ(batch_for(25'000'000'000).batch, 48);
    EXPECT_EQ(batch_for(16'900'000'000).batch, 32);
    const auto t4 = batch_for(15'828'254'720);
    EXPECT_EQ(t4.batch, 16);
    EXPECT_EQ(t4.accumulation, 2);
    EXPECT_EQ(colab_preset(15'828'254'720).batch, 32);
    EXPECT_DOUBLE_EQ(colab_preset(15'828'254'720).learning_rate, 4e-5);
    EXPECT_EQ(colab_preset(12'000'000'000).loader_workers, 4);
}

TEST(Utilisation, TweetTableAndThroughputAreKept) {
    const auto rows = tweet_batches();
    ASSERT_EQ(rows.size(), 6U);
    EXPECT_EQ(rows[0].max_batch, 24);
    EXPECT_EQ(rows[1].recommended, 32);
    EXPECT_EQ(rows[3].max_batch, 80);
    EXPECT_TRUE(rows[5].or_more);
    EXPECT_EQ(rows[5].recommended, 128);
    EXPECT_EQ(throughput_table()[2].samples_per_second, 285);
    EXPECT_EQ(throughput_table()[3].minutes, 20);
    EXPECT_EQ(quick_wins().size(), 5U);
}

TEST(Utilisation, LoaderWorkers) {
    EXPECT_EQ(loader_workers(16, false), 8);
    EXPECT_EQ(loader_workers(4, false), 2);
    EXPECT_EQ(loader_workers(1, false), 0);
    EXPECT_EQ(loader_workers(12, true), 11);
    EXPECT_EQ(loader_workers(64, true), 16);
}

TEST(Utilisation, DiagnosisFollowsTheThresholds) {
    EXPECT_EQ(diagnose({30, 70}).size(), 4U);
    EXPECT_EQ(diagnose({70, 30}).size(), 3U);
    EXPECT_EQ(diagnose({30, 30}).size(), 10U);
    EXPECT_EQ(diagnose({30, 30}).front().cause, "waiting for storage");
    EXPECT_TRUE(diagnose({50, 50}).empty());
    EXPECT_TRUE(diagnose({}).empty());
}

TEST(LearningRate, SqrtAndLinearFromEightTo32) {
    const auto a = advise_rate({.base_rate = 2e-5, .base_batch = 8, .batch = 32});
    ASSERT_TRUE(a);
    EXPECT_NEAR(*a->sqrt_rate, 4e-5, 1e-12);
    EXPECT_NEAR(*a->linear_rate, 8e-5, 1e-12);
    EXPECT_EQ(a->recommended, RateRule::sqrt);
    const auto sgd = advise_rate({.base_batch = 8, .batch = 32, .adaptive = false});
    EXPECT_EQ(sgd->recommended, RateRule::linear);
    EXPECT_FALSE(sgd->sqrt_rate);
    EXPECT_FALSE(sgd->noise_scale);
}

TEST(LearningRate, NoneIsAdvisedWithoutABase) {
    const auto none =
        advise_rate({.base_rate = {}, .batch = 32, .adaptive = false, .optimizer_steps = 1000});
    EXPECT_EQ(none->recommended, RateRule::none);
    EXPECT_FALSE(none->recommended_rate);
    EXPECT_FALSE(none->linear_rate);
    EXPECT_NE(none->why.find("depends on the task"), std::string::npos);
    EXPECT_EQ(none->warmup_steps, 60);
}

TEST(LearningRate, ARateWithoutItsBatchIsKept) {
    const auto kept = advise_rate({.base_rate = 1e-3, .base_batch = {}, .batch = 200});
    EXPECT_EQ(kept->recommended, RateRule::base);
    EXPECT_EQ(kept->recommended_rate, 1e-3);
    EXPECT_EQ(kept->base_batch, 200);
    EXPECT_NE(kept->why.find("is unchanged"), std::string::npos);
}

TEST(LearningRate, SurgeRisesThenFallsAroundTheNoiseScale) {
    const auto at = [](double batch) {
        return *advise_rate({.base_batch = 8, .batch = batch, .noise_scale = 256})->surge_rate;
    };
    EXPECT_GT(at(256), at(64));
    EXPECT_GT(at(256), at(1024));
    EXPECT_NEAR(at(64), at(1024), 1e-12);
    EXPECT_EQ(advise_rate({.base_batch = 8, .batch = 2048, .noise_scale = 256})->recommended,
              RateRule::surge);
}

TEST(LearningRate, WarmUpGrowsWithTheRate) {
    EXPECT_EQ(advise_rate({.base_batch = 8, .batch = 8, .optimizer_steps = 1000})->warmup_steps,
              60);
    EXPECT_EQ(advise_rate({.base_batch = 8, .batch = 64, .optimizer_steps = 1000})->warmup_steps,
              100);
}

TEST(LearningRate, RefusesNonsense) {
    EXPECT_EQ(advise_rate({.base_rate = -1}).error().where, "/learning_rate/base");
    EXPECT_EQ(advise_rate({.batch = 0}).error().where, "/batch");
    EXPECT_EQ(advise_rate({.noise_scale = -3}).error().where, "/learning_rate/noise_scale");
}

}  // namespace
}  // namespace plimsoll::training::utilisation
