#include "engine/training/advice/report.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/presets.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace plimsoll::training {
namespace {

ReportRequest request_for(const char* model, const char* gpu) {
    ReportRequest r;
    r.goal = Goal::knee;
    r.shape = *preset(model);
    r.gpus = {*GpuCatalogue().find(gpu)};
    r.settings.precision = Precision::bf16_autocast;
    r.target_effective_batch = 1'000'003;  // a prime: only the knee decides
    r.what_ifs = false;
    return r;
}

double speed_at(const ReportRequest& r, std::int64_t batch) {
    auto settings = r.settings;
    settings.accumulation = 2;  // as below the target
    settings.batch = batch;
    const auto tape = record_tape(r.shape, settings, tape_device(r.gpus.front()));
    return model_throughput(tape.work, settings, r.gpus.front()).samples_per_second;
}

TEST(Knee, IsTheSmallestBatchNearTheBestThroughput) {
    const auto r = request_for("bert-base", "h200");
    const auto report = make_report(r);
    ASSERT_TRUE(report);
    const auto& card = report->gpus.front();
    EXPECT_EQ(card.reason, BatchReason::knee);
    EXPECT_EQ(card.batch, card.knee.batch);
    EXPECT_LT(card.batch, card.limits.round_batch);
    EXPECT_EQ(card.batch % 8, 0);
    // Recorded tapes, not the line between two of them.
    const double best = speed_at(r, card.limits.round_batch);
    EXPECT_GE(speed_at(r, card.batch), kNearBest * best * 0.995);
    EXPECT_LT(speed_at(r, card.batch - 8), kNearBest * best * 1.005);
}

TEST(Knee, IsWhereMemoryEndsWhenThroughputStillRises) {
    auto r = request_for("llama-1b", "rtx_4090");
    r.settings.sequence = 1024;
    r.settings.precision = Precision::bf16;
    const auto report = make_report(r);
    ASSERT_TRUE(report);
    const auto& card = report->gpus.front();
    EXPECT_EQ(card.reason, BatchReason::memory);
    EXPECT_EQ(card.batch, card.limits.round_batch);
}

TEST(Knee, YieldsToABatchThatReachesTheTarget) {
    auto r = request_for("bert-base", "rtx_4090");
    r.target_effective_batch = 4096;
    const auto card = make_report(r)->gpus.front();
    EXPECT_EQ(card.reason, BatchReason::knee);
    EXPECT_GT(card.batch, card.knee.batch);
    EXPECT_EQ(4096 % card.batch, 0);
    EXPECT_EQ(card.accumulation->nearest.effective(), 4096);
}

TEST(Knee, NeverExceedsTheTargetAndYieldsToTheRequestedBatch) {
    auto r = request_for("bert-base", "h200");
    r.target_effective_batch = 16;
    EXPECT_EQ(make_report(r)->gpus.front().reason, BatchReason::target);
    EXPECT_EQ(make_report(r)->gpus.front().batch, 16);
    r.batch = 40;
    EXPECT_EQ(make_report(r)->gpus.front().reason, BatchReason::asked);
    EXPECT_EQ(make_report(r)->gpus.front().batch, 40);
}

TEST(Correction, ChangesTheLargestBatchButNotTheModel) {
    auto r = request_for("bert-base", "rtx_4090");
    r.batch = 64;
    const auto plain = make_report(r)->gpus.front();
    r.search.correction = 1.25;
    const auto corrected = make_report(r)->gpus.front();
    EXPECT_EQ(corrected.at_batch.peak_reserved, plain.at_batch.peak_reserved);
    EXPECT_NEAR(static_cast<double>(corrected.reserved), 1.25 * static_cast<double>(plain.reserved),
                1);
    EXPECT_LT(corrected.limits.max_batch, plain.limits.max_batch);
    r.search.correction = 0;
    EXPECT_EQ(make_report(r).error().where, "/correction/factor");
}

TEST(Lengths, AreSummarisedAfterTruncation) {
    const auto all = summarise({{512, 40}, {64, 900}, {128, 60}}, 0);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->longest, 512);
    EXPECT_EQ(all->p95, 128);
    EXPECT_DOUBLE_EQ(all->mean, (512 * 40 + 64 * 900 + 128 * 60) / 1000.0);
    EXPECT_DOUBLE_EQ(all->cut_share, 0);
    const auto cut = summarise({{512, 40}, {64, 900}, {128, 60}}, 256);
    EXPECT_EQ(cut->longest, 256);
    EXPECT_DOUBLE_EQ(cut->cut_share, 0.04);
    EXPECT_FALSE(summarise({{64, 0}}, 0));
    EXPECT_FALSE(summarise({{0, 5}}, 0));
    EXPECT_EQ(summarise({{64, 1}, {128, 0}}, 0)->longest, 64) << "empty bins do not count";
}

TEST(Lengths, CuttingAtThe95thPercentileIsAWhatIf) {
    auto r = request_for("bert-base", "rtx_4090");
    r.lengths = *summarise({{128, 960}, {512, 40}}, 0);
    r.settings.sequence = r.lengths->longest;
    r.what_ifs = true;
    const auto all = make_report(r)->gpus.front().what_ifs;
    const auto found = std::ranges::find_if(
        all, [](const auto& w) { return w.change.starts_with("texts truncated at 128 tokens"); });
    ASSERT_NE(found, all.end());
    EXPECT_GT(found->batch_factor, 3);
}

TEST(Frozen, LayersKeepNeitherGradientsNorOptimizerState) {
    TrainingSettings t;
    t.batch = 8;
    const auto shape = *preset("bert-base");
    const auto whole = *estimate(shape, t, {});
    t.frozen_embeddings = true;
    t.frozen_layers = 6;
    const auto part = *estimate(shape, t, {});
    // 6 layers of 7,087,872 and the embeddings.
    EXPECT_EQ(whole.trainable_parameters - part.trainable_parameters, 6 * 7'087'872 + 23'837'184);
    const auto optimizer = static_cast<std::size_t>(Group::optimizer);
    EXPECT_NEAR(static_cast<double>(part.breakdown[optimizer]),
                8.0 * static_cast<double>(part.trainable_parameters), 6e6)
        << "blocks may be 1 MiB larger than what they hold";
    EXPECT_LT(part.saved_for_backward, 0.6 * static_cast<double>(whole.saved_for_backward))
        << "below the first trained layer nothing is kept";
    t.frozen_layers = 13;
    EXPECT_EQ(estimate(shape, t, {}).error().where, "/frozen_layers");
}

}  // namespace
}  // namespace plimsoll::training
