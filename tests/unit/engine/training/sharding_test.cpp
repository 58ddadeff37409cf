#include "engine/training/advice/precision.hpp"
#include "engine/training/estimate/batch_search.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/presets.hpp"
#include "engine/training/tape/layout.hpp"

#include <random>

#include <gtest/gtest.h>

namespace plimsoll::training {
namespace {

constexpr Sharding kAll[] = {Sharding::ddp, Sharding::zero1, Sharding::zero2, Sharding::zero3,
                             Sharding::fsdp};

TrainingSettings shared(Sharding sharding, int cards, Precision precision) {
    TrainingSettings t;
    t.batch = 1;
    t.sequence = 128;
    t.precision = precision;
    t.kernel = OptimizerKernel::fused;
    t.sharding = sharding;
    t.cards = cards;
    return t;
}

std::int64_t of(const Estimate& e, Group group) {
    return e.breakdown[static_cast<std::size_t>(group)];
}

double peak(const ModelShape& shape, const TrainingSettings& t) {
    return static_cast<double>(estimate(shape, t, {})->peak_allocated);
}

// Weights, gradients and optimizer state: figure 1 of Rajbhandari et al. 2020 gives 120, 31.4, 16.6
// and 1.9 GB for 7.5 billion parameters on 64 cards, that is 16 bytes a parameter, 4 + 12/64,
// 2 + 14/64 and 16/64. Gradients that lie in the parts of two cards are whole on both.
TEST(Sharding, StatesAreThoseOfTheZeroPaper) {
    const auto shape = *preset("llama-7b");
    const auto bytes = [&](Sharding sharding) {
        const auto e = *estimate(shape, shared(sharding, 64, Precision::bf16_autocast), {});
        return static_cast<double>(of(e, Group::weights) + of(e, Group::gradients) +
                                   of(e, Group::optimizer)) /
               static_cast<double>(e.parameters);
    };
    EXPECT_NEAR(bytes(Sharding::zero1), 4 + 12.0 / 64, 0.05);
    EXPECT_NEAR(bytes(Sharding::zero2), 2 + 14.0 / 64, 0.06);
    EXPECT_NEAR(bytes(Sharding::zero3), 16.0 / 64, 0.05);
}

// DeepSpeed's own reckoning for 2,851 million parameters on 8 cards (its documentation of
// estimate_zero2_model_states_mem_needs and estimate_zero3_…): 2 bytes a parameter with the
// optimizer on the host, 2/8 with ZeRO-3, nothing with the weights there, too.
TEST(Sharding, OffloadedStatesAreThoseOfDeepSpeed) {
    const auto shape = *preset("llama-7b");
    const auto bytes = [&](Sharding sharding, Offload offload) {
        auto t = shared(sharding, 8, Precision::bf16_autocast);
        t.offload = offload;
        const auto e = *estimate(shape, t, {});
        EXPECT_EQ(of(e, Group::optimizer) + of(e, Group::optimizer_temporaries), 0);
        return static_cast<double>(of(e, Group::weights) + of(e, Group::gradients)) /
               static_cast<double>(e.parameters);
    };
    EXPECT_NEAR(bytes(Sharding::zero2, Offload::optimizer), 2, 0.05);
    EXPECT_NEAR(bytes(Sharding::zero3, Offload::optimizer), 2.0 / 8, 0.05);
    EXPECT_NEAR(bytes(Sharding::zero3, Offload::parameters), 0, 0.05);
}

// DeepSpeed alone on one card keeps masters beside 16-bit weights, too: Llama 3 8B took 46 GiB when
// it was ready, 61 after the backward pass, and more than 80 in the step (OpenRLHF, issue 698).
TEST(Sharding, ZeroOnOneCardHasItsOwnLayout) {
    constexpr double gib = 1 << 30;
    const auto shape = *preset("llama-8b");
    const auto e = *estimate(shape, shared(Sharding::zero2, 1, Precision::bf16_autocast), {});
    const auto parameters = static_cast<double>(e.parameters);
    EXPECT_NEAR(parameters * 6 / gib, 46, 2);
    EXPECT_NEAR(static_cast<double>(of(e, Group::weights)), 2 * parameters, parameters * 0.01);
    EXPECT_NEAR(static_cast<double>(of(e, Group::optimizer)), 12 * parameters, parameters * 0.01);
    EXPECT_GT(static_cast<double>(e.peak_allocated), 80 * gib);
}

TEST(Sharding, OffloadsOnOneCardAndOnlyWithDeepSpeed) {
    const auto shape = *preset("llama-3.2-1b");
    auto t = shared(Sharding::zero2, 1, Precision::bf16_autocast);
    const double kept = peak(shape, t);
    t.offload = Offload::optimizer;
    EXPECT_LT(peak(shape, t), kept / 2);
    for (const auto sharding : {Sharding::ddp, Sharding::none}) {
        t.sharding = sharding;
        EXPECT_EQ(estimate(shape, t, {}).error().where, "/offload");
    }
    t.sharding = Sharding::zero2;
    t.offload = Offload::parameters;
    EXPECT_NE(estimate(shape, t, {}).error().message.find("Only zero3"), std::string::npos);
    t.sharding = Sharding::zero3;
    t.optimizer = Optimizer::adam_8bit;
    EXPECT_NE(estimate(shape, t, {}).error().message.find("adamw only"), std::string::npos);
}

// Two 24 GB cards train 70 billion parameters so (AnswerDotAI/fsdp_qlora, March 2024): packed
// weights are shards, their scales are not.
TEST(Sharding, FsdpShardsPackedWeights) {
    const auto shape = *preset("llama-7b");
    auto t = shared(Sharding::fsdp, 2, Precision::bf16);
    t.lora = {.rank = 8, .dropout = 0};
    t.quantization = Quantization::nf4_double;
    const auto e = *estimate(shape, t, {});
    constexpr double kPacked = 6.476e9, kOthers = 0.262e9;  // of its weights
    EXPECT_NEAR(static_cast<double>(of(e, Group::weights)),
                kPacked / 4 + kPacked / 64 * 1.02 + kOthers, 0.05e9);
    auto whole = t;
    whole.sharding = Sharding::ddp;
    EXPECT_LT(peak(shape, t), peak(shape, whole));
    t.precision = Precision::bf16_autocast;
    EXPECT_EQ(estimate(shape, t, {}).error().where, "/quantization");
}

// transformers loads what is packed whole on every card, and DeepSpeed takes its shards of it.
TEST(Sharding, ZeroThreeStartsWithAllPackedWeights) {
    const auto shape = *preset("llama-7b");
    auto t = shared(Sharding::zero3, 64, Precision::bf16);
    t.lora = {.rank = 8, .dropout = 0};
    t.batch = 1;
    t.sequence = 8;
    t.checkpointing = true;
    t.quantization = Quantization::nf4;
    constexpr double kWhole = 6.476e9 / 2 + 2 * 0.262e9, kScales = 6.476e9 / 16;
    EXPECT_GE(peak(shape, t), kWhole + kScales);
    EXPECT_LE(peak(shape, t), (kWhole + kScales) * 1.05);
    t.quantization = Quantization::int8;
    EXPECT_EQ(estimate(shape, t, {}).error().where, "/quantization");
    t.sharding = Sharding::zero2;
    EXPECT_TRUE(estimate(shape, t, {}));
    t.precision = Precision::fp32;
    EXPECT_EQ(estimate(shape, t, {}).error().where, "/precision");
}

TEST(Sharding, FsdpOffloadsAllOfItsShards) {
    const auto shape = *preset("llama-7b");
    auto t = shared(Sharding::fsdp, 4, Precision::bf16_autocast);
    const double kept = peak(shape, t);
    t.offload = Offload::parameters;
    const auto e = *estimate(shape, t, {});
    EXPECT_LE(of(e, Group::optimizer) + of(e, Group::weights), 4096);  // buffers
    // Weights, their gradients and state of a quarter of the model, in fp32.
    EXPECT_LT(static_cast<double>(e.peak_allocated),
              kept - 0.7 * 16 * static_cast<double>(e.parameters) / 4);
    t.offload = Offload::optimizer;
    EXPECT_EQ(estimate(shape, t, {}).error().where, "/offload");
}

TEST(Sharding, EachStageTakesLessThanTheOneBefore) {
    const auto shape = *preset("llama-7b");
    double before = 1e18;
    for (const auto sharding : kAll) {
        const auto now = peak(shape, shared(sharding, 8, Precision::bf16_autocast));
        EXPECT_LT(now, before) << static_cast<int>(sharding);
        before = now;
    }
}

TEST(Sharding, OneCardEqualsNoSharding) {
    const auto shape = *preset("bert-base");
    const auto alone = peak(shape, shared(Sharding::none, 1, Precision::bf16_autocast));
    for (const auto sharding : {Sharding::ddp, Sharding::fsdp})
        EXPECT_EQ(peak(shape, shared(sharding, 1, Precision::bf16_autocast)), alone);
}

TEST(Sharding, ReplicasAddBucketsOfAllGradients) {
    const auto shape = *preset("bert-base");
    const auto alone = *estimate(shape, shared(Sharding::none, 1, Precision::fp32), {});
    const auto ddp = *estimate(shape, shared(Sharding::ddp, 2, Precision::fp32), {});
    const double added = static_cast<double>(ddp.peak_allocated - alone.peak_allocated);
    const double gradients = 4.0 * static_cast<double>(alone.trainable_parameters);
    EXPECT_NEAR(added, gradients, 0.03 * gradients) << "blocks of whole MiB";
    EXPECT_EQ(peak(shape, shared(Sharding::ddp, 64, Precision::fp32)),
              static_cast<double>(ddp.peak_allocated));
}

// A whole layer and its neighbour are gathered, and nothing of them stays after a step.
TEST(Sharding, GatheredWeightsAreFreedWithTheirLayer) {
    const auto shape = *preset("llama-7b");
    const auto t = shared(Sharding::fsdp, 1000, Precision::bf16);
    const auto e = *estimate(shape, t, {});
    std::int64_t layer = 0;
    for (const auto& l : e.layers) layer = std::max(layer, 2 * l.parameters);
    EXPECT_LT(of(e, Group::communication), 8 * layer);
    const auto longer = [&] {
        EstimateOptions options;
        options.steps = 6;
        return estimate(shape, t, {}, options)->peak_allocated;
    };
    EXPECT_EQ(longer(), e.peak_allocated);
}

// What the search promises is what an estimate at that batch says, whatever was asked before.
TEST(Sharding, LargestBatchesAreWithinTheLimit) {
    std::mt19937 random(20261123);
    const auto one_of = [&](auto list) {
        return list[std::uniform_int_distribution<std::size_t>(0, std::size(list) - 1)(random)];
    };
    for (int i = 0; i < 500; ++i) {
        const auto shape =
            *preset(one_of(std::array{"bert-base", "gpt2", "llama-1b", "bert-large"}));
        auto t = shared(one_of(std::to_array(kAll)), one_of(std::array{2, 3, 8, 64}),
                        one_of(std::array{Precision::fp32, Precision::bf16_autocast,
                                          Precision::bf16, Precision::fp16_autocast}));
        t.accumulation = one_of(std::array{1, 2});
        t.checkpointing = one_of(std::array{false, true});
        const auto gpu = *GpuCatalogue().find(one_of(std::array{"t4", "rtx_4090", "a100_40gb"}));
        ReservedPeaks peaks;
        RunTapes tapes(shape, t, tape_device(gpu));
        FootprintByBatch footprints(tapes, tape_device(gpu), {}, peaks);
        const auto limits = *find_batch(gpu, {}, footprints);
        if (limits.max_batch == 0) continue;
        t.batch = limits.max_batch;
        EXPECT_LE(estimate(shape, t, tape_device(gpu))->peak_reserved, limits.limit_bytes);
        t.batch = limits.max_batch + 1;
        EXPECT_GT(estimate(shape, t, tape_device(gpu))->peak_reserved, limits.limit_bytes);
    }
}

TEST(Sharding, CardsAreBounded) {
    auto t = shared(Sharding::ddp, 0, Precision::fp32);
    EXPECT_EQ(estimate(*preset("bert-base"), t, {}).error().where, "/cards");
}

// Accelerate widens what is trained, and shards what is frozen in the checkpoint's 16 bits.
TEST(Sharding, FsdpLeavesFrozenWeightsIn16Bits) {
    auto t = shared(Sharding::fsdp, 8, Precision::fp32);
    const auto automatic = [&](const char* model) {
        return automatic_precision(*preset(model), t, true, true);
    };
    EXPECT_EQ(automatic("llama-8b"), Precision::bf16_autocast);
    t.lora.rank = 16;
    EXPECT_EQ(automatic("llama-8b"), Precision::bf16);
    EXPECT_EQ(automatic("bert-base"), Precision::bf16_autocast);
    t.sharding = Sharding::zero3;
    EXPECT_EQ(automatic("llama-8b"), Precision::bf16_autocast) << "DeepSpeed's own layout";
}

}  // namespace
}  // namespace plimsoll::training
