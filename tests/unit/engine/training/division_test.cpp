// Which models several cards can divide, and what each of them then holds.
#include "engine/training/tape/division.hpp"

#include "engine/training/estimate/estimate.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/presets.hpp"

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
