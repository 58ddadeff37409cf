#include "engine/training/models/parameters.hpp"
#include "engine/training/models/presets.hpp"

#include <gmock/gmock.h>

namespace plimsoll::training {
namespace {

using testing::HasSubstr;

std::int64_t parameters(const char* name) {
    return count(list_parameters(*preset(name), Lora{}), false);
}

// Published sizes; heads of three labels where the model has a classifier.
TEST(Presets, CountTheParametersOfThePublicModels) {
    EXPECT_EQ(parameters("bert-base"), 109'482'240 + 3 * 769);
    EXPECT_EQ(parameters("bert-large"), 335'141'888 + 3 * 1025);
    EXPECT_EQ(parameters("distilbert"), 66'362'880 + 768 * 769 + 3 * 769);
    EXPECT_EQ(parameters("roberta-base"), 124'055'040 + 768 * 769 + 3 * 769);
    EXPECT_EQ(parameters("minilm-l6"), 22'713'216 + 3 * 385);
    EXPECT_EQ(parameters("gpt2"), 124'439'808);
    EXPECT_EQ(parameters("llama-1b"), 1'100'048'384);
    EXPECT_EQ(parameters("llama-3.2-1b"), 1'235'814'400);
    EXPECT_EQ(parameters("llama-8b"), 8'030'261'248);
}

// accelerate estimate-memory bert-base-cased: 413.18 MB, training with Adam 1.61 GB = 4x (it counts
// the model without head, buffers included).
TEST(Presets, AccelerateCountsFourTimesTheSizeForAdam) {
    const auto shape = *preset("bert-base-cased");
    std::int64_t bytes = 4 * (parameters("bert-base-cased") - 3 * 769);
    for (const auto buffer : list_buffers(shape)) bytes += buffer;
    EXPECT_NEAR(static_cast<double>(bytes) / (1 << 20), 413.18, 0.005);
    EXPECT_NEAR(4.0 * static_cast<double>(bytes) / (1 << 30), 1.61, 0.005);
}

TEST(Presets, NaicsTrainsOnlyAdaptersAndExperts) {
    const auto list =
        list_parameters(*preset("naics-4ch"), {.rank = 8, .targets = Lora::Targets::all_linear});
    EXPECT_NEAR(static_cast<double>(count(list, true)) / 1e6, 14.54, 0.05);
}

TEST(Presets, UnknownNamesListTheValidOnes) {
    const auto missing = preset("bert-huge");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, HasSubstr("roberta-large"));
}

TEST(ModelShape, RefusesImpossibleDimensionsByField) {
    const auto where = [](auto change) {
        auto shape = preset("bert-base").value();
        shape.head_dim = 0;
        change(shape);
        const auto checked = validated(shape);
        return checked ? std::string("accepted") : checked.error().where;
    };
    EXPECT_EQ(where([](auto& s) { s.heads = 7; }), "/heads");
    EXPECT_EQ(where([](auto& s) { s.layers = 0; }), "/layers");
    EXPECT_EQ(where([](auto& s) { s.hidden = -1; }), "/hidden");
    EXPECT_EQ(where([](auto& s) { s.vocab = 0; }), "/vocab");
    EXPECT_EQ(where([](auto& s) { s.kv_heads = 5; }), "/kv_heads");
    EXPECT_EQ(where([](auto& s) { s.hidden_dropout = std::nan(""); }), "/hidden_dropout");
    EXPECT_EQ(where([](auto& s) {
                  s.hidden = 262144, s.heads = s.kv_heads = 64, s.ffn = 1 << 20, s.layers = 1000;
              }),
              "/hidden");
    EXPECT_EQ(where([](auto&) {}), "accepted");
}

}  // namespace
}  // namespace plimsoll::training
