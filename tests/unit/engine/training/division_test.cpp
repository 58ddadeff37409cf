// Which models several cards can divide, and what each of them then holds.
#include "engine/training/tape/division.hpp"

#include "engine/training/estimate/estimate.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/presets.hpp"
#include "engine/training/tape/pipeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::training {
namespace {

using testing::HasSubstr;

TrainingSettings divided(int cards, int tensor) {
    TrainingSettings t;
    t.precision = Precision::bf16;
    t.sharding = cards == tensor ? Sharding::none : Sharding::fsdp;
    t.cards = cards;
    t.parallel.tensor = tensor;
    t.batch = 2;
    t.sequence = 1024;
    return t;
}

std::string error_of(const ModelShape& shape, const TrainingSettings& settings) {
    const auto checked = check_settings(shape, settings);
    return checked ? "" : checked.error().where + ": " + checked.error().message;
}

TEST(Division, NamesTheFieldAndTheRule) {
    const auto llama = *preset("llama-1b");
    EXPECT_EQ(error_of(llama, divided(8, 4)), "");
    EXPECT_THAT(error_of(llama, divided(6, 4)), HasSubstr("/cards: The number of GPUs, 6, is no"));
    EXPECT_THAT(error_of(llama, divided(16, 16)),
                HasSubstr("/tensor_parallel: It must divide the model's key and value heads"));
    auto odd = divided(8, 4);
    odd.sequence = 1023;
    EXPECT_THAT(error_of(llama, odd), HasSubstr("/sequence_length: The text is divided"));
    auto zero = divided(8, 4);
    zero.sharding = Sharding::zero3;
    EXPECT_THAT(error_of(llama, zero), HasSubstr("/sharding: "));
    auto adapted = divided(8, 4);
    adapted.lora.rank = 8;
    EXPECT_THAT(error_of(llama, adapted), HasSubstr("/lora: "));
    auto other = divided(8, 4);
    other.sequence = 512;
    EXPECT_THAT(error_of(*preset("bert-base"), other), HasSubstr("Llama's layers"));
}

TrainingSettings ring(int cards, int context) {
    auto t = divided(cards, 1);
    t.sharding = Sharding::fsdp;
    t.parallel.context = context;
    return t;
}

TEST(Division, OfTextsNamesTheFieldAndTheRule) {
    const auto llama = *preset("llama-1b");
    EXPECT_EQ(error_of(llama, ring(8, 8)), "");
    EXPECT_THAT(error_of(llama, ring(8, 3)), HasSubstr("/cards: "));
    EXPECT_THAT(error_of(llama, ring(8, 0)), HasSubstr("/context_parallel: It is at least 1"));
    const auto refused = [&](auto change) {
        auto t = ring(8, 4);
        change(t);
        return error_of(llama, t);
    };
    EXPECT_THAT(refused([](auto& t) { t.sequence = 1028; }),
                HasSubstr("/sequence_length: The text is divided into 8 parts"));
    EXPECT_THAT(refused([](auto& t) { t.attention = Attention::flash; }), HasSubstr("/attention"));
    EXPECT_THAT(refused([](auto& t) { t.padded = true; }), HasSubstr("/padded"));
    EXPECT_THAT(refused([](auto& t) { t.precision = Precision::fp32; }), HasSubstr("/precision"));
    EXPECT_THAT(refused([](auto& t) { t.sharding = Sharding::ddp; }), HasSubstr("/sharding"));
    EXPECT_THAT(refused([](auto& t) { t.packed = true; }), HasSubstr("/packed"));
}

// Cards that divide a text shard what they share, so that weights are those of as many shards.
TEST(Division, OfTextsLeavesTheWeightsAndDividesTheRest) {
    const auto llama = *preset("llama-1b");
    const auto device = tape_device(*GpuCatalogue().find("h100_80gb"));
    const auto of = [&](int context) {
        auto t = ring(8, context);
        t.sequence = 16'384;
        return *estimate(llama, t, device);
    };
    const auto one = of(1), four = of(4);
    constexpr auto weights = static_cast<std::size_t>(Group::weights);
    EXPECT_EQ(one.breakdown[weights], four.breakdown[weights]);
    EXPECT_LT(four.peak_allocated, one.peak_allocated / 2);
    EXPECT_LT(of(8).peak_allocated, four.peak_allocated);
}

TEST(Division, FreedLogitsLeaveTheBackwardPass) {
    const auto llama = *preset("llama-1b");
    const auto device = tape_device(*GpuCatalogue().find("h100_80gb"));
    auto t = ring(8, 1);
    t.sequence = 16'384;
    t.checkpointing = true;
    const auto held = estimate(llama, t, device)->peak_allocated;
    t.frees_logits = true;
    const auto logits = 2LL * t.batch * t.sequence * llama.vocab;
    EXPECT_EQ(held - estimate(llama, t, device)->peak_allocated, logits);
}

TrainingSettings pipeline(int cards, int stages, int microbatches) {
    auto t = divided(cards, 1);
    t.sharding = Sharding::fsdp_grad_op;
    t.checkpointing = true;
    t.parallel.pipeline = stages;
    t.parallel.microbatches = microbatches;
    return t;
}

TEST(Division, OfLayersNamesTheFieldAndTheRule) {
    const auto llama = *preset("llama-8b");
    EXPECT_EQ(error_of(llama, pipeline(8, 8, 8)), "");
    EXPECT_THAT(error_of(llama, pipeline(8, 3, 8)), HasSubstr("/cards: "));
    EXPECT_THAT(error_of(llama, pipeline(8, 0, 8)), HasSubstr("/pipeline_parallel: It is at"));
    EXPECT_THAT(error_of(llama, pipeline(8, 8, 4)), HasSubstr("1F1B needs as many"));
    EXPECT_THAT(error_of(llama, pipeline(64, 64, 64)), HasSubstr("too few for 64 stages"));
    EXPECT_THAT(error_of(llama, pipeline(8, 1, 4)), HasSubstr("/microbatches: They are"));
    EXPECT_THAT(error_of(*preset("qwen3-0.6b"), pipeline(8, 4, 4)), HasSubstr("shares its"));
    const auto refused = [&](auto change) {
        auto t = pipeline(8, 4, 4);
        change(t);
        return error_of(llama, t);
    };
    EXPECT_THAT(refused([](auto& t) { t.lora.rank = 8; }), HasSubstr("/pipeline_parallel"));
    EXPECT_THAT(refused([](auto& t) { t.fused_loss = true; }), HasSubstr("/fused_loss"));
    EXPECT_THAT(refused([](auto& t) {
                    t.parallel.schedule = Schedule::interleaved;
                    t.parallel.microbatches = 9;
                }),
                HasSubstr("in 2 equal rounds"));
}

TEST(Division, OfLayersCountsWhatIsOutsideAsOneEach) {
    EXPECT_THAT(layers_of_stages(32, 4), testing::ElementsAre(8, 9, 8, 7));
    EXPECT_THAT(layers_of_stages(6, 2), testing::ElementsAre(3, 3));
    EXPECT_THAT(layers_of_stages(126, 8), testing::ElementsAre(15, 16, 16, 16, 16, 16, 16, 15));
}

// The card with the most to hold is the first where micro-batches wait, the last where words do.
TEST(Division, OfLayersDescribesTheFullestCard) {
    const auto llama = *preset("llama-8b");
    const auto device = tape_device(*GpuCatalogue().find("h100_80gb"));
    const auto of = [&](TrainingSettings t, int rank) {
        t.parallel.rank = rank;
        return *estimate(llama, t, device);
    };
    auto t = pipeline(8, 8, 16);
    t.sequence = 8192;
    t.batch = 1;
    for (const bool checkpointing : {true, false}) {
        t.checkpointing = checkpointing;
        const auto fullest = of(t, -1);
        EXPECT_EQ(fullest.rank, checkpointing ? 7 : 1);
        for (int rank = 0; rank < 8; ++rank)
            EXPECT_LE(of(t, rank).peak_allocated, fullest.peak_allocated) << rank;
    }
    // Every micro-batch waits until all have come.
    const auto saved = [&](Schedule schedule) {
        t.parallel.schedule = schedule;
        return of(t, 0).saved_for_backward;
    };
    const auto alternating = saved(Schedule::one_f_one_b);
    EXPECT_GT(saved(Schedule::gpipe), 3 * alternating / 2);
    EXPECT_GT(saved(Schedule::interleaved), alternating);
}

TrainingSettings mixture(int cards, int expert) {
    auto t = divided(cards, 1);
    t.parallel.expert = expert;
    return t;
}

TEST(Division, OfExpertsNamesTheFieldAndTheRule) {
    const auto mixtral = *preset("mixtral-8x7b");
    EXPECT_EQ(error_of(mixtral, mixture(16, 8)), "");
    EXPECT_THAT(error_of(*preset("llama-1b"), mixture(8, 2)), HasSubstr("is no mixture"));
    EXPECT_THAT(error_of(mixtral, mixture(8, 0)), HasSubstr("/expert_parallel: It is at least 1"));
    EXPECT_THAT(error_of(mixtral, mixture(12, 8)), HasSubstr("share one copy of the model, 12."));
    EXPECT_THAT(error_of(mixtral, mixture(16, 16)), HasSubstr("of which a layer has 8."));
    EXPECT_THAT(error_of(mixtral, mixture(6, 2)), HasSubstr("3 GPUs shard the same 4 experts"));
    EXPECT_THAT(error_of(mixtral, mixture(24, 8)), HasSubstr("both widths of an expert"));
    EXPECT_THAT(error_of(mixtral, mixture(1, 8)), HasSubstr("/sharding: "));
    auto other = mixtral;
    other.own_traits = DecoderTraits{.biased_experts = true};
    EXPECT_THAT(error_of(other, mixture(8, 2)), HasSubstr("models of Mixtral"));
    const auto refused = [&](auto change) {
        auto t = mixture(8, 2);
        change(t);
        return error_of(mixtral, t);
    };
    EXPECT_THAT(refused([](auto& t) { t.replicas = 4, t.parallel.expert = 4; }),
                HasSubstr("share one copy of the model, 2."));
    EXPECT_THAT(refused([](auto& t) { t.sharding = Sharding::ddp; }), HasSubstr("/sharding: "));
    EXPECT_THAT(refused([](auto& t) { t.sharding = Sharding::zero3; }), HasSubstr("/sharding: "));
    EXPECT_THAT(refused([](auto& t) { t.precision = Precision::fp32; }), HasSubstr("/precision: "));
    EXPECT_THAT(refused([](auto& t) { t.lora.rank = 8; }), HasSubstr("omit adapters"));
    EXPECT_THAT(refused([](auto& t) { t.packed = true; }), HasSubstr("/packed: "));
    EXPECT_THAT(refused([](auto& t) { t.offload = Offload::parameters; }), HasSubstr("/offload: "));
    EXPECT_THAT(refused([](auto& t) { t.method = Method::dpo; }), HasSubstr("/method: "));
    EXPECT_EQ(refused([](auto& t) { t.parallel.context = 2; }), "");
    EXPECT_EQ(refused([](auto& t) { t.parallel.pipeline = 2, t.parallel.microbatches = 2; }), "");
    EXPECT_THAT(refused([](auto& t) { t.parallel.tensor = 2; }), HasSubstr("without tensor"));
}

// The same weights in shards, but fewer of them gathered at once. FSDP alone cuts no expert: of 16
// cards, 8 have one.
TEST(Division, OfExpertsGathersFewerOfThem) {
    const auto mixtral = *preset("mixtral-8x7b");
    const auto device = tape_device(*GpuCatalogue().find("h100_80gb"));
    int cards = 8;
    const auto of = [&](int expert, Group group) {
        const auto e = estimate(mixtral, mixture(cards, expert), device);
        return e->breakdown[static_cast<std::size_t>(group)];
    };
    EXPECT_NEAR(of(4, Group::weights), of(1, Group::weights), 1 << 20);
    const auto whole = of(1, Group::weights);
    cards = 16;
    EXPECT_NEAR(of(1, Group::weights), whole, whole / 50);
    EXPECT_LT(2 * of(4, Group::communication), of(1, Group::communication));
    EXPECT_LT(of(8, Group::communication), of(4, Group::communication));
}

TEST(Division, EveryCardHasItsPartOfTheMatricesAndAllOfTheNorms) {
    const auto llama = *preset("llama-1b");
    const Lora none;
    const auto whole = list_parameters(llama, none);
    const auto part = list_parameters(part_of(llama, {.tensor = 4}), none);
    ASSERT_EQ(whole.size(), part.size());
    for (std::size_t i = 0; i < whole.size(); ++i)
        EXPECT_EQ(part[i].elements * (whole[i].matrix ? 4 : 1), whole[i].elements) << i;
}

// Twice the cards in one copy never need more of each than half as many.
TEST(Division, MoreCardsNeedLessOfEach) {
    const auto llama = *preset("llama-1b");
    const auto device = tape_device(*GpuCatalogue().find("h100_80gb"));
    auto before = estimate(llama, divided(8, 1), device)->peak_allocated;
    for (const int tensor : {2, 4, 8}) {
        const auto now = estimate(llama, divided(8, tensor), device)->peak_allocated;
        EXPECT_LT(now, before) << tensor;
        before = now;
    }
}

}  // namespace
}  // namespace plimsoll::training
