#include "engine/model_files/model.hpp"

#include "tests/unit/engine/models/tiny_model.hpp"
#include "tests/unit/engine/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::model_files {
namespace {

using ::testing::HasSubstr;

std::string why(const TinyModel& tiny) {
    const TemporaryFolder folder;
    tiny.write(folder.path());
    const auto model = open_model(folder.path());
    return model ? "read" : model.error().message;
}

TEST(Model, KnowsItsShapeAndLabels) {
    const TemporaryFolder folder;
    TinyModel().write(folder.path());
    const auto model = open_model(folder.path());
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->config.hidden, 32U);
    EXPECT_EQ(model->config.longest(), 40U);
    EXPECT_EQ(model->config.labels, (std::vector<std::string>{"positive", "negative", "neutral"}));
    EXPECT_EQ(model->weights.layers.size(), 2U);
    EXPECT_EQ(model->weights.layers[1].up.weight.name,
              "bert.encoder.layer.1.intermediate.dense.weight");
}

TEST(Model, NamesFromTensorFlowAreRecognized) {
    TinyModel tiny;
    for (const std::string name :
         {"bert.embeddings.LayerNorm", "bert.encoder.layer.0.output.LayerNorm"}) {
        tiny.tensors[name + ".gamma"] = tiny.tensors.extract(name + ".weight").mapped();
        tiny.tensors[name + ".beta"] = tiny.tensors.extract(name + ".bias").mapped();
    }
    EXPECT_EQ(why(tiny), "read");
}

TEST(Model, MissingAndMisshapenTensorsAreNamed) {
    TinyModel tiny;
    tiny.tensors.erase("bert.encoder.layer.1.output.dense.bias");
    EXPECT_THAT(why(tiny), HasSubstr("\"bert.encoder.layer.1.output.dense.bias\" is missing"));
    tiny = {};
    tiny.config["intermediate_size"] = 128;
    EXPECT_THAT(why(tiny), HasSubstr("is 64 x 32, but config.json says 128 x 32"));
    tiny = {};
    tiny.tensors["module.bert.embeddings.word_embeddings.weight"] =
        tiny.tensors.extract("bert.embeddings.word_embeddings.weight").mapped();
    EXPECT_THAT(why(tiny),
                HasSubstr("has \"module.bert.embeddings.word_embeddings.weight\": save"));
    tiny = {};
    tiny.tensors.erase("classifier.bias");
    EXPECT_THAT(why(tiny), HasSubstr("\"bert.classifier.bias\" is missing"));
}

TEST(Model, UnsupportedFeaturesAreNamedWithSupportedOnes) {
    const auto with = [](const char* key, const nlohmann::json& value) {
        TinyModel tiny;
        tiny.config[key] = value;
        return why(tiny);
    };
    EXPECT_THAT(with("model_type", "gpt2"),
                HasSubstr("\"gpt2\"; supported: bert, distilbert, roberta"));
    EXPECT_THAT(with("hidden_act", "silu"), HasSubstr("\"silu\"; supported: gelu"));
    EXPECT_THAT(with("position_embedding_type", "relative_key"), HasSubstr("absolute"));
    EXPECT_THAT(with("problem_type", "regression"), HasSubstr("single_label_classification"));
    EXPECT_THAT(with("architectures", {"BertForTokenClassification"}),
                HasSubstr("ForSequenceClassification"));
    EXPECT_THAT(with("num_attention_heads", 3), HasSubstr("32 / 3"));
    EXPECT_THAT(with("num_attention_heads", 0), HasSubstr("from 1 to 512"));
    EXPECT_THAT(with("hidden_size", -1), HasSubstr("\"hidden_size\" must be"));
    EXPECT_THAT(with("layer_norm_eps", 2), HasSubstr("above 0 and below 1"));
    EXPECT_THAT(with("id2label", {{"0", "a"}, {"7", "b"}}), HasSubstr("number its labels from 0"));
    EXPECT_THAT(with("id2label", {{"0", "a"}, {"00", "b"}}), HasSubstr("without gaps"));
    EXPECT_THAT(with("id2label", nullptr), HasSubstr("names no labels"));
    EXPECT_THAT(with("quantization_config", {{"bits", 4}}), HasSubstr("quantized"));
}

TEST(Model, AFolderWithoutAModelIsNotFound) {
    const TemporaryFolder folder;
    EXPECT_EQ(open_model(folder.path()).error().code, Errc::not_found);
    TinyModel().write(folder.path());
    std::filesystem::remove(folder.path() / "model.safetensors");
    EXPECT_EQ(open_model(folder.path()).error().code, Errc::not_found);
    std::ofstream(folder.path() / "pytorch_model.bin.index.json") << "{}";
    EXPECT_THAT(open_model(folder.path()).error().message, HasSubstr("several .bin files"));
}

TEST(Model, WeightsMayBeInPartsWithAnIndex) {
    const TemporaryFolder folder;
    TinyModel().write_in_parts(folder.path());
    const auto model = open_model(folder.path());
    ASSERT_TRUE(model) << model.error().message;
    const TemporaryFolder whole;
    TinyModel().write(whole.path());
    EXPECT_EQ(model->parameters(), open_model(whole.path())->parameters());
    EXPECT_EQ(model->file.parts.size(), 2U);

    const auto with = [&](const nlohmann::json& map) {
        std::ofstream(folder.path() / "model.safetensors.index.json")
            << nlohmann::json{{"weight_map", map}}.dump();
        return open_model(folder.path()).error().message;
    };
    EXPECT_THAT(with(nlohmann::json::object()), HasSubstr("does not map tensors to files"));
    EXPECT_THAT(with({{"a", "../model-00001-of-00002.safetensors"}}), HasSubstr("is no part of"));
    EXPECT_THAT(with({{"a", "model-00001-of-00002.safetensors"}}), HasSubstr("lacks it"));
    EXPECT_THAT(with({{"a", "model-00003-of-00003.safetensors"}}),
                HasSubstr("model-00003-of-00003.safetensors"));
}

}  // namespace
}  // namespace plimsoll::model_files
