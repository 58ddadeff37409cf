#include "engine/training/estimate/estimate.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/models/hugging_face.hpp"
#include "engine/training/models/presets.hpp"
#include "engine/training/tape/operations/operations.hpp"
#include "engine/training/tape/reduction.hpp"
#include "tests/unit/engine/training/recorded_method.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

// What autograd keeps, to the byte. The layer rows were measured with PyTorch's saved-tensor hooks
// at batch 2, 64 tokens, hidden 96, 4 heads, feed-forward 384; python scalars (8 bytes) not
// counted.

namespace plimsoll::training {
namespace {

constexpr std::int64_t kTokens = 2 * 64, kHidden = 96, kFfn = 384, kScores = 4LL * 2 * 64 * 64;

ModelShape small_bert() {
    ModelShape s = *preset("bert-base");
    s.layers = 3;
    s.hidden = kHidden;
    s.heads = s.kv_heads = 4;
    s.head_dim = 0;
    s.ffn = kFfn;
    return *validated(s);
}

struct Row {
    const char* name;
    Precision precision;
    Attention attention;
    int lora;
    std::int64_t bytes;
};

class EncoderLayer : public testing::TestWithParam<Row> {};

TEST_P(EncoderLayer, KeepsExactlyTheseBytes) {
    TrainingSettings t;
    t.batch = 2;
    t.sequence = 64;
    t.precision = GetParam().precision;
    t.attention = GetParam().attention;
    t.sdpa = SdpaKernel::efficient;
    t.lora.rank = GetParam().lora;
    const auto e = estimate(small_bert(), t, {});
    ASSERT_TRUE(e);
    EXPECT_EQ(e->layers.at(1).saved_bytes, GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(
    SavedTensors, EncoderLayer,
    testing::Values(
        Row{"fp32_sdpa", Precision::fp32, Attention::sdpa, 0, 815'104},
        Row{"fp32_eager", Precision::fp32, Attention::eager, 0, 1'107'968},
        Row{"autocast_sdpa", Precision::bf16_autocast, Attention::sdpa, 0, 520'192},
        Row{"autocast_eager", Precision::bf16_autocast, Attention::eager, 0, 747'520},
        Row{"lora_fp32", Precision::fp32, Attention::sdpa, 8, 651'264},
        Row{"lora_autocast", Precision::bf16_autocast, Attention::sdpa, 8, 401'408},
        // Korthikanti et al. (Megatron): 34 sbh + 5 as^2 b, and the norms' fp32 statistics
        Row{"megatron", Precision::bf16, Attention::eager, 0,
            34 * kTokens* kHidden + 5 * kScores + 16 * kTokens}),
    [](const auto& info) { return std::string(info.param.name); });

Precision precision_named(const std::string& name) {
    return name == "fp32"   ? Precision::fp32
           : name == "bf16" ? Precision::bf16
           : name == "fp16" ? Precision::fp16
                            : Precision::bf16_autocast;
}

// Each layer, and all that is alive after the forward.
void compare_kept_bytes(const char* name, std::size_t at_least) {
    std::ifstream file(std::string("tests/unit/engine/training/data/pytorch_2_11_") + name);
    const auto rows = nlohmann::json::parse(file);
    EXPECT_GE(rows.size(), at_least);
    for (const auto& row : rows) {
        const auto shape = from_hugging_face(row["config"].dump());
        ASSERT_TRUE(shape) << shape.error().message;
        TrainingSettings t;
        t.batch = row["batch"];
        t.sequence = row["length"];
        t.precision = precision_named(row["precision"]);
        t.attention = row["attention"] == "eager"  ? Attention::eager
                      : row["attention"] == "sdpa" ? Attention::sdpa
                                                   : Attention::flash;
        t.packed = row["method"] == "packed";
        t.fused_loss = row["method"] == "fused_loss";
        t.lora.dora = row["method"] == "dora";
        t.lora.rank = row["lora"];
        t.lora.wide = row["adapters"] == "fp32" ? Lora::Wide::adapters : Lora::Wide::none;
        t.checkpointing = row["checkpointing"];
        t.checkpointed_every = row["method"] == "every_2" ? 2 : 1;
        t.padded = row["padded"];
        if (shape->sample_length() > 0) t.sequence = shape->sample_length();
        t.quantization = quantization_of(row);
        const auto e =
            estimate(*shape, t, tape_device(*GpuCatalogue().find(row["gpu"].get<std::string>())));
        ASSERT_TRUE(e);
        std::vector<std::int64_t> layers;
        for (const auto& layer : e->layers) layers.push_back(layer.saved_bytes);
        const auto& measured = row["measured"];
        // Of a pair, only the encoder's layers were told apart.
        if (shape->has_decoder()) layers.resize(static_cast<std::size_t>(shape->layers));
        EXPECT_EQ(layers, measured["layers"].get<std::vector<std::int64_t>>()) << row.dump();
        EXPECT_EQ(e->saved_for_backward, measured["activations"].get<std::int64_t>()) << row.dump();
    }
}

// Every row of tests/pytorch/saved_tensors.py.
TEST(SavedTensors, EqualPyTorchsForEveryModelCardAndPrecision) {
    compare_kept_bytes("saved.json", 951);
}

// And of tests/pytorch/fresh_shapes.py.
TEST(SavedTensors, OfPublishedShapesEqualPyTorchs) { compare_kept_bytes("fresh_saved.json", 60); }

// Bytes that stay alive once the result is computed, its own not counted but its input's.
std::int64_t kept(Precision precision, Dtype dtype, Var (*operation)(Graph&, const Var&)) {
    TrainingSettings t;
    t.precision = precision;
    Graph g(t, {});
    const int leaf = g.add_parameter({.elements = 1000});
    g.enter_autocast();
    g.take_events();
    std::int64_t alive = 0;
    {
        Var x = g.make(1000, dtype, Group::feed_forward);
        x = x.alias(1000, {Edge::Kind::parameter, leaf, 0});
        Var y = operation(g, x);
        x.reset();
        y.reset();
    }
    for (const auto& e : g.take_events()) alive += (e.allocates ? 1 : -1) * g.bytes(e.buffer);
    return alive;
}

TEST(SavedTensors, GeluWrittenInPythonKeepsFourTimesAsMuch) {
    const auto gelu_new_group = [](Graph& g, const Var& x) {
        return gelu_new(g, x, Group::feed_forward);
    };
    const auto gelu_group = [](Graph& g, const Var& x) { return gelu(g, x, Group::feed_forward); };
    EXPECT_EQ(kept(Precision::fp32, Dtype::fp32, gelu_new_group), 16 * 1000);
    EXPECT_EQ(kept(Precision::bf16, Dtype::half, gelu_new_group), 8 * 1000);
    EXPECT_EQ(kept(Precision::bf16_autocast, Dtype::half, gelu_new_group), 14 * 1000);
    EXPECT_EQ(kept(Precision::fp32, Dtype::fp32, gelu_group), 4 * 1000);
    EXPECT_EQ(kept(Precision::bf16, Dtype::half, gelu_group), 2 * 1000);
}

TEST(SavedTensors, CrossEntropyKeepsFourBytesPerLogit) {
    const auto loss = [](Graph& g, const Var& x) { return cross_entropy(g, x, {}); };
    EXPECT_EQ(kept(Precision::fp32, Dtype::fp32, loss), 4 * 1000 + 4) << "and the total weight";
}

// Reduce.cuh on 132 multiprocessors: 2048 rows of 768 columns are split over 32 blocks.
TEST(Reduction, FollowsPyTorchsPlan) {
    const auto buffer = [](std::int64_t rows, std::int64_t columns) {
        return scratch_needed({}, {.rows = rows, .columns = columns})[0];
    };
    EXPECT_EQ(buffer(2048, 768), 12'582'912);
    EXPECT_EQ(buffer(2048, 3072), 50'331'648);
    EXPECT_EQ(buffer(512, 768), 0);
    EXPECT_EQ(buffer(65536, 768), 138'412'032);
}

}  // namespace
}  // namespace plimsoll::training
