#include "engine/training/estimate/estimate.hpp"

#include "engine/training/estimate/batch_search.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "tests/unit/engine/training/measured_configs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace plimsoll::training {
namespace {

double error(std::int64_t ours, std::int64_t real) {
    return std::abs(static_cast<double>(ours) / static_cast<double>(real) - 1) * 100;
}

// Without the allowance for blocks that come to lie otherwise.
std::int64_t of_tensors(const Estimate& e) {
    return e.peak_allocated - e.breakdown[static_cast<std::size_t>(Group::placement)];
}

struct Errors {
    std::vector<double> values;
    double quantile(double q) {
        std::sort(values.begin(), values.end());
        return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
    }
};

// The rows come from PyTorch 2.11 and transformers 5.17 themselves, their CUDA runtime replaced by
// one that computes nothing (data/README.md): dispatcher, autograd and allocator are real, no GPU
// ran. It placed each segment above the last, where the driver places it below.
constexpr EstimateOptions kWithoutDriver{.allocator = {.segments_rise = true}};

TEST(Estimate, AgreesWithPyTorchsOwnAllocator) {
    Errors reserved, allocated;
    for (const auto& c : measured_configs()) {
        const auto e = estimate(c.shape, c.settings, {}, kWithoutDriver);
        ASSERT_TRUE(e) << c.name << e.error().message;
        if (!c.max_reserved) continue;
        reserved.values.push_back(error(e->peak_reserved, *c.max_reserved));
        allocated.values.push_back(error(of_tensors(*e), *c.max_allocated));
        EXPECT_LT(reserved.values.back(), 3) << c.name;
        EXPECT_LT(allocated.values.back(), 3) << c.name;
    }
    EXPECT_GE(reserved.values.size(), 104U);
    EXPECT_LT(reserved.quantile(0.5), 0.01);
    EXPECT_LT(reserved.quantile(0.9), 0.5);
    EXPECT_LT(allocated.quantile(0.5), 0.01);
    EXPECT_LT(allocated.quantile(0.9), 0.5);
}

// Drawn at random after the op lists were written, over settings that the first table lacks.
TEST(Estimate, AgreesOnUnseenConfigurations) {
    Errors reserved, allocated;
    for (const auto& c : measured_configs("pytorch_2_11_random.json")) {
        const auto e = estimate(c.shape, c.settings, {}, kWithoutDriver);
        ASSERT_TRUE(e) << c.name << e.error().message;
        reserved.values.push_back(error(e->peak_reserved, *c.max_reserved));
        allocated.values.push_back(error(of_tensors(*e), *c.max_allocated));
        EXPECT_LT(reserved.values.back(), 4) << c.name;
        EXPECT_LT(allocated.values.back(), 1) << c.name;
    }
    EXPECT_GE(reserved.values.size(), 80U);
    EXPECT_LT(reserved.quantile(0.5), 0.01);
    EXPECT_LT(reserved.quantile(0.9), 0.5);
    EXPECT_LT(allocated.quantile(0.9), 0.1);
}

// Attention of cards before Hopper: flash and memory-efficient kernels on Ampere; on Turing bf16
// has neither.
class EstimateBeforeHopper : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(ComputeCapability, EstimateBeforeHopper, testing::Values(75, 80));

TEST_P(EstimateBeforeHopper, AgreesWithPyTorchsOwnAllocator) {
    Errors reserved, allocated;
    const auto file = "pytorch_2_11_peaks_sm" + std::to_string(GetParam()) + ".json";
    for (const auto& c : measured_configs(file)) {
        const auto e =
            estimate(c.shape, c.settings, {.compute_capability = GetParam()}, kWithoutDriver);
        ASSERT_TRUE(e) << c.name << e.error().message;
        if (!c.max_reserved) continue;
        reserved.values.push_back(error(e->peak_reserved, *c.max_reserved));
        allocated.values.push_back(error(of_tensors(*e), *c.max_allocated));
        EXPECT_LT(reserved.values.back(), 5) << c.name;
        EXPECT_LT(allocated.values.back(), 5) << c.name;
    }
    EXPECT_GE(reserved.values.size(), 104U);
    EXPECT_LT(reserved.quantile(0.9), 0.1);
    EXPECT_LT(allocated.quantile(0.9), 0.1);
}

TEST(Estimate, EveryConfigurationIsConsistent) {
    for (auto c : measured_configs()) {
        c.settings.batch = std::min<std::int64_t>(c.settings.batch, 16);
        const auto e = estimate(c.shape, c.settings, {});
        ASSERT_TRUE(e) << c.name;
        const auto sum = std::accumulate(e->breakdown.begin(), e->breakdown.end(), std::int64_t{0});
        EXPECT_EQ(sum, e->peak_allocated) << c.name;
        EXPECT_GE(e->fragmentation(), 0) << c.name;
        EXPECT_GT(e->work.matmul_flops, 0) << c.name;
        c.settings.batch *= 2;
        const auto larger = estimate(c.shape, c.settings, {});
        // A block that is not split counts whole: a larger batch may fit its blocks better.
        EXPECT_GE(larger->peak_allocated, e->peak_allocated * 99 / 100) << c.name;
    }
}

TEST(Estimate, EverythingAllocatedInAStepIsFreedInIt) {
    for (const auto& c : measured_configs()) {
        const auto tape = record_tape(c.shape, c.settings, {});
        std::int64_t alive = 0;
        for (const auto& e : tape.later)
            alive +=
                (e.allocates ? 1 : -1) * tape.buffers[static_cast<std::size_t>(e.buffer)].bytes;
        EXPECT_EQ(alive, 0) << c.name;
    }
}

// 6 operations a weight and token, and 12 a pair of tokens and hidden unit (Kaplan et al. 2020),
// half as much again for the fused kernel's five products backward.
TEST(Estimate, LayersReportTheirWork) {
    TrainingSettings t;
    t.batch = 4;
    t.accumulation = 2;
    const auto e = estimate(*preset("bert-base"), t, {});
    ASSERT_TRUE(e);
    ASSERT_EQ(e->layers.size(), 12U);
    const double weights = 12.0 * 768 * 768, tokens = 128;
    const double attention = 14.0 * 768 * tokens * tokens;
    for (const auto& layer : e->layers)
        EXPECT_NEAR(layer.flops_per_sample, 6 * weights * tokens + attention, 1) << layer.layer;
    t.checkpointing = true;
    EXPECT_GT(estimate(*preset("bert-base"), t, {})->layers[3].flops_per_sample,
              1.3 * e->layers[3].flops_per_sample)
        << "the forward runs again";
}

TEST(Estimate, TimelineIsShortAndShowsThePeak) {
    TrainingSettings t;
    t.batch = 32;
    const auto e = estimate(*preset("bert-large"), t, {}, {.timeline = true});
    ASSERT_TRUE(e);
    EXPECT_LE(e->timeline.size(), 2000U);
    const auto top = std::max_element(e->timeline.begin(), e->timeline.end(),
                                      [](auto& a, auto& b) { return a.allocated < b.allocated; });
    EXPECT_EQ(top->allocated, of_tensors(*e));
    for (const auto& point : e->timeline) {
        EXPECT_EQ(
            std::accumulate(point.by_purpose.begin(), point.by_purpose.end(), std::int64_t{0}),
            point.allocated)
            << point.event;
    }
    std::array<std::int64_t, kPurposes> at_peak{};
    for (int group = 0; group < kGroups; ++group) {
        if (static_cast<Group>(group) == Group::placement) continue;
        at_peak[static_cast<std::size_t>(purpose_of(static_cast<Group>(group)))] +=
            e->breakdown[static_cast<std::size_t>(group)];
    }
    EXPECT_EQ(top->by_purpose, at_peak);
    EXPECT_GT(top->change, 0) << "the highest point is an allocation";
}

TEST(Estimate, SavingsHaveTheRightSign) {
    TrainingSettings t;
    t.batch = 64;
    const auto peak = [&](auto change) {
        auto s = t;
        change(s);
        return estimate(*preset("bert-base"), s, {})->peak_reserved;
    };
    const auto plain = peak([](auto&) {});
    EXPECT_LT(peak([](auto& s) { s.checkpointing = true; }), plain);
    EXPECT_LT(peak([](auto& s) { s.precision = Precision::bf16_autocast; }), plain);
    EXPECT_LT(peak([](auto& s) { s.precision = Precision::bf16; }),
              peak([](auto& s) { s.precision = Precision::bf16_autocast; }));
    EXPECT_LT(peak([](auto& s) { s.lora.rank = 8; }), plain);
    EXPECT_GT(peak([](auto& s) { s.attention = Attention::eager; }), plain);
    EXPECT_GT(peak([](auto& s) { s.sequence = 256; }), plain);
}

TEST(Estimate, RefusesImpossibleSettingsByField) {
    const auto where = [](auto change) {
        TrainingSettings t;
        change(t);
        const auto e = estimate(*preset("bert-base"), t, {});
        return e ? std::string("accepted") : e.error().where;
    };
    EXPECT_EQ(where([](auto& t) { t.batch = 0; }), "/batch");
    EXPECT_EQ(where([](auto& t) { t.sequence = 1000; }), "/sequence_length");
    EXPECT_EQ(where([](auto& t) { t.accumulation = -1; }), "/accumulation");
    EXPECT_EQ(where([](auto& t) { t.lora.rank = -1; }), "/lora/rank");
}

// Cards, batches and settings share one memory of replays; the estimate replays every event.
TEST(ReservedPeaks, SharedEqualTheEstimatesOwnReplay) {
    constexpr AllocatorSettings kinds[] = {
        {}, {.expandable_segments = true}, {.max_split = 64 << 20}};
    for (const auto& allocator : kinds) {
        EstimateOptions options;
        options.allocator = allocator;
        ReservedPeaks shared;
        for (const auto* card : {"k80", "rtx_4090", "rtx_6000_ada", "h200"}) {
            const auto device = tape_device(*GpuCatalogue().find(card));
            for (auto c : measured_configs()) {
                c.settings.batch = std::min<std::int64_t>(c.settings.batch, 24);
                const auto tape = record_tape(c.shape, c.settings, device);
                EXPECT_EQ(shared(TapeLine(tape, c.settings.batch, device), c.settings.batch, device,
                                 options),
                          estimate(c.shape, c.settings, device, options)->peak_reserved)
                    << c.name << " on " << card;
            }
        }
    }
}

// Cards that differ in nothing but the scratch of their reductions, at batches that make it differ.
TEST(ReservedPeaks, ScratchOfEverySizeCounts) {
    TrainingSettings t;
    t.precision = Precision::bf16_autocast;
    ReservedPeaks shared;
    for (const auto& gpu : shipped_gpus()) {
        for (const std::int64_t batch : {1, 7, 64, 200}) {
            for (const auto* model : {"minilm-l6", "gpt2"}) {
                t.batch = batch;
                const auto shape = *preset(model);
                const auto device = tape_device(gpu);
                const TapeLine tape(record_tape(shape, t, device), batch, device);
                EXPECT_EQ(shared(tape, batch, device, {}),
                          estimate(shape, t, device)->peak_reserved)
                    << model << " at " << batch << " on " << gpu.id;
            }
        }
    }
}

TEST(Band, GivesTheProbabilityOfRunningOutOfMemory) {
    const Band band{0.95, 1.10};
    EXPECT_NEAR(out_of_memory_probability(1000, 1000, band), 0.5, 1e-12);
    EXPECT_NEAR(out_of_memory_probability(1000, 1100, band), 0.05, 1e-9);
    EXPECT_NEAR(out_of_memory_probability(1000, 950, band), 0.95, 1e-9);
    EXPECT_LT(out_of_memory_probability(1000, 2000, band), 1e-9);
    EXPECT_EQ(out_of_memory_probability(1000, -5, band), 1);
}

TEST(BatchSearch, FindsTheLargestBatchThatFits) {
    const auto gpu = *GpuCatalogue().find("rtx_4090");
    TrainingSettings t;
    for (const auto* model : {"bert-base", "gpt2", "temporal"}) {
        const auto shape = *preset(model);
        ReservedPeaks peaks;
        RunTapes tapes(shape, t, tape_device(gpu));
        FootprintByBatch footprints(tapes, tape_device(gpu), {}, peaks);
        const auto found = find_batch(gpu, {}, footprints);
        ASSERT_TRUE(found) << model;
        EXPECT_GT(found->max_batch, 1) << model;
        EXPECT_LE(footprints.reserved(found->max_batch), found->limit_bytes) << model;
        EXPECT_GT(footprints.reserved(found->max_batch + 1), found->limit_bytes) << model;
        EXPECT_LE(found->round_batch, found->max_batch) << model;
        EXPECT_EQ(found->round_batch % 8, 0) << model;
        EXPECT_LE(footprints.works().size(), 16U) << model;
    }
}

TEST(BatchSearch, ReportsThatNotEvenOneSampleFits) {
    const auto gpu = *GpuCatalogue().find("k80");
    const auto shape = *preset("llama-7b");
    TrainingSettings t;
    ReservedPeaks peaks;
    RunTapes tapes(shape, t, tape_device(gpu));
    FootprintByBatch footprints(tapes, tape_device(gpu), {}, peaks);
    const auto found = find_batch(gpu, {}, footprints);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->max_batch, 0);
    EXPECT_EQ(find_batch(gpu, {.safety = -1}, footprints).error().where, "/safety_margin");
}

}  // namespace
}  // namespace plimsoll::training
