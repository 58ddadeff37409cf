#include "engine/training/models/hugging_face.hpp"

#include "engine/training/models/parameters.hpp"
#include "engine/training/models/presets.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace plimsoll::training {
namespace {

using testing::HasSubstr;

std::int64_t parameters(const ModelShape& s) { return count(list_parameters(s, Lora{}), false); }

TEST(HuggingFaceConfig, ReadsEveryKnownFamily) {
    const auto bert = from_hugging_face(R"({"model_type":"bert","hidden_size":384,
        "num_hidden_layers":6,"num_attention_heads":12,"intermediate_size":1536,"vocab_size":30522,
        "max_position_embeddings":512,"type_vocab_size":2,"hidden_act":"gelu","num_labels":3})");
    ASSERT_TRUE(bert) << bert.error().message;
    EXPECT_EQ(parameters(*bert), parameters(*preset("minilm-l6")));

    const auto distil = from_hugging_face(R"({"model_type":"distilbert","dim":768,"n_layers":6,
        "n_heads":12,"hidden_dim":3072,"vocab_size":30522,"max_position_embeddings":512,
        "activation":"gelu","id2label":{"0":"a","1":"b","2":"c"}})");
    ASSERT_TRUE(distil) << distil.error().message;
    EXPECT_EQ(parameters(*distil), parameters(*preset("distilbert")));

    const auto roberta = from_hugging_face(R"({"model_type":"roberta","hidden_size":768,
        "num_hidden_layers":12,"num_attention_heads":12,"intermediate_size":3072,
        "vocab_size":50265,"max_position_embeddings":514,"type_vocab_size":1,"num_labels":3})");
    ASSERT_TRUE(roberta);
    EXPECT_EQ(parameters(*roberta), parameters(*preset("roberta-base")));

    const auto gpt2 = from_hugging_face(R"({"model_type":"gpt2","n_embd":768,"n_layer":12,
        "n_head":12,"n_positions":1024,"vocab_size":50257,"activation_function":"gelu_new",
        "architectures":["GPT2LMHeadModel"]})");
    ASSERT_TRUE(gpt2) << gpt2.error().message;
    EXPECT_EQ(parameters(*gpt2), 124'439'808);
    EXPECT_EQ(gpt2->activation, Activation::gelu_new);

    const auto llama = from_hugging_face(R"({"model_type":"llama","hidden_size":4096,
        "num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,
        "intermediate_size":14336,"vocab_size":128256,"tie_word_embeddings":false,
        "hidden_act":"silu","architectures":["LlamaForCausalLM"]})");
    ASSERT_TRUE(llama) << llama.error().message;
    EXPECT_EQ(parameters(*llama), 8'030'261'248);
}

// As transformers 5.17 counts them for the files of that name on the Hugging Face hub.
TEST(HuggingFaceConfig, CountsTheParametersOfPublishedModels) {
    const std::string causal = R"("architectures":["XForCausalLM"],)";
    const std::string qwen = causal + R"("vocab_size":151936,"head_dim":128,)";
    const std::vector<std::pair<std::string, std::int64_t>> published{
        {R"({"model_type":"qwen3",)" + qwen + R"("hidden_size":1024,"num_hidden_layers":28,
            "num_attention_heads":16,"num_key_value_heads":8,"intermediate_size":3072,
            "tie_word_embeddings":true})",
         596'049'920},
        {R"({"model_type":"qwen3_moe",)" + qwen + R"("hidden_size":2048,"num_hidden_layers":48,
            "num_attention_heads":32,"num_key_value_heads":4,"intermediate_size":6144,
            "num_experts":128,"num_experts_per_tok":8,"moe_intermediate_size":768,
            "norm_topk_prob":true,"mlp_only_layers":[],"decoder_sparse_step":1})",
         30'532'122'624},
        {R"({"model_type":"mixtral",)" + causal + R"("hidden_size":4096,"num_hidden_layers":32,
            "num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,
            "vocab_size":32000,"num_local_experts":8,"num_experts_per_tok":2})",
         46'702'792'704},
        {R"({"model_type":"gemma2",)" + causal + R"("hidden_size":2304,"num_hidden_layers":26,
            "num_attention_heads":8,"num_key_value_heads":4,"head_dim":256,
            "intermediate_size":9216,"vocab_size":256000})",
         2'614'341'888},
        {R"({"model_type":"gemma3_text",)" + causal + R"("hidden_size":1152,"num_hidden_layers":26,
            "num_attention_heads":4,"num_key_value_heads":1,"head_dim":256,
            "intermediate_size":6912,"vocab_size":262144,"sliding_window":512})",
         999'885'952},
        {R"({"model_type":"phi3",)" + causal + R"("hidden_size":3072,"num_hidden_layers":32,
            "num_attention_heads":32,"intermediate_size":8192,"vocab_size":32064})",
         3'821'079'552},
        {R"({"model_type":"smollm3","vocab_size":128256,"hidden_size":2048,"num_hidden_layers":36,
            "num_attention_heads":16,"num_key_value_heads":4,"intermediate_size":11008,
            "tie_word_embeddings":true})",
         3'075'098'624},
        {R"({"model_type":"granite","vocab_size":49159,"hidden_size":2048,"num_hidden_layers":40,
            "num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":8192,
            "tie_word_embeddings":true})",
         2'533'539'840},
        {R"({"model_type":"olmo2","vocab_size":100352,"hidden_size":4096,"num_hidden_layers":32,
            "num_attention_heads":32,"num_key_value_heads":32,"intermediate_size":11008})",
         7'298'617'344},
        {R"({"model_type":"exaone4","vocab_size":102400,"hidden_size":2048,"num_hidden_layers":30,
            "num_attention_heads":32,"num_key_value_heads":8,"head_dim":64,
            "intermediate_size":4096,"tie_word_embeddings":true})",
         1'279'391'488},
        {R"({"model_type":"mt5","vocab_size":250112,"d_model":768,"d_ff":2048,"d_kv":64,
            "num_heads":12,"num_layers":12,"feed_forward_proj":"gated-gelu",
            "tie_word_embeddings":false})",
         582'401'280},
        {R"({"model_type":"gpt_neox",)" + causal + R"("hidden_size":1024,"num_hidden_layers":24,
            "num_attention_heads":16,"intermediate_size":4096,"vocab_size":50304,
            "max_position_embeddings":2048,"rotary_pct":0.25})",
         405'334'016},
        {R"({"model_type":"vit","hidden_size":768,"num_hidden_layers":12,"num_attention_heads":12,
            "intermediate_size":3072,"image_size":224,"patch_size":16,"num_labels":1000})",
         86'567'656},
    };
    for (const auto& [config, expected] : published) {
        const auto shape = from_hugging_face(config);
        ASSERT_TRUE(shape) << config << shape.error().message;
        EXPECT_EQ(parameters(*shape), expected) << config;
    }
}

// As the hub counts the tensors of their checkpoints.
TEST(HuggingFaceConfig, HasPresetsOfPublishedSizes) {
    const std::pair<const char*, std::int64_t> published[] = {
        {"llama-3.2-3b", 3212749824}, {"qwen2.5-0.5b", 494032768},  {"qwen2.5-1.5b", 1543714304},
        {"qwen2.5-3b", 3085938688},   {"qwen2.5-7b", 7615616512},   {"qwen2.5-14b", 14770033664},
        {"qwen2.5-32b", 32763876352}, {"qwen2.5-72b", 72706203648}, {"qwen3-1.7b", 1720574976},
        {"gemma-2-9b", 9241705984}};
    for (const auto& [name, expected] : published)
        EXPECT_EQ(parameters(*preset(name)), expected) << name;
    const auto qwen = from_hugging_face(R"({"model_type":"qwen2","hidden_size":3584,
        "num_hidden_layers":28,"num_attention_heads":28,"num_key_value_heads":4,
        "intermediate_size":18944,"vocab_size":152064,"tie_word_embeddings":false,
        "torch_dtype":"bfloat16","architectures":["Qwen2ForCausalLM"]})");
    auto own = *preset("qwen2.5-7b");
    own.name = qwen->name;
    EXPECT_EQ(own.qkv_bias, qwen->qkv_bias);
    EXPECT_EQ(own.stored_half, qwen->stored_half);
    EXPECT_EQ(own.head_dim, qwen->head_dim);
}

// Of 60 hub ids: exact, or refused with what comes nearest, but never another number.
TEST(HuggingFaceConfig, CountsModelsByTheirHubIds) {
    std::ifstream file("tests/unit/engine/training/data/published_models.json");
    const auto models = nlohmann::json::parse(file).at("models");
    ASSERT_EQ(models.size(), 60U);
    std::vector<std::string> refused;
    for (const auto& model : models) {
        const auto id = model.at("id").get<std::string>();
        const auto shape = from_hugging_face(model.at("config").dump());
        if (shape) {
            EXPECT_EQ(parameters(*shape), model.at("parameters").get<std::int64_t>()) << id;
            continue;
        }
        EXPECT_THAT(shape.error().message,
                    testing::AnyOf(HasSubstr("nearest"), HasSubstr("transcription is not")))
            << id;
        refused.push_back(id);
    }
    EXPECT_THAT(refused,
                testing::ElementsAre("google/gemma-3n-E2B-it", "openai/whisper-large-v3-turbo"));
}

// Parameters of facebook/bart-base and bigscience/bloom-560m, as their classes load them.
TEST(HuggingFaceConfig, CountsBartAndBloomAsPublished) {
    const auto bart = from_hugging_face(R"({"model_type":"bart","architectures":["BartModel"],
        "d_model":768,"encoder_layers":6,"decoder_layers":6,"encoder_attention_heads":12,
        "decoder_attention_heads":12,"encoder_ffn_dim":3072,"decoder_ffn_dim":3072,
        "vocab_size":50265,"max_position_embeddings":1024,"activation_dropout":0.1,
        "normalize_before":false,"encoder_layerdrop":0.0})");
    ASSERT_TRUE(bart) << bart.error().message;
    EXPECT_EQ(parameters(*bart), 139'420'416);
    const auto bloom = from_hugging_face(R"({"model_type":"bloom","n_embed":1024,"n_layer":24,
        "num_attention_heads":16,"vocab_size":250880})");
    ASSERT_TRUE(bloom) << bloom.error().message;
    EXPECT_EQ(parameters(*bloom), 559'214'592);
    EXPECT_EQ(from_hugging_face(R"({"model_type":"bart","decoder_ffn_dim":2048})").error().where,
              "/decoder_ffn_dim");
}

// A refusal describes what comes nearest, to paste.
TEST(HuggingFaceConfig, DescribesTheNearest) {
    const auto falcon = from_hugging_face(R"({"model_type":"falcon","hidden_size":4544,
        "num_hidden_layers":32,"num_attention_heads":71,"multi_query":true,"vocab_size":65024})");
    EXPECT_THAT(falcon.error().message,
                HasSubstr(R"(--set 'model.dimensions={"family":"starcoder2","heads":71,)"
                          R"("hidden":4544,"kv_heads":1,"layers":32,"vocab":65024}')"));
    EXPECT_THAT(
        from_hugging_face(R"({"model_type":"clip","vision_config":{"hidden_size":768,
        "num_hidden_layers":12,"num_attention_heads":12,"patch_size":14,"image_size":384}})")
            .error()
            .message,
        HasSubstr(
            R"({"family":"vit","heads":12,"hidden":768,"image_size":378,"layers":12,"patch_size":14})"));
    // Experts have the width of a feed-forward where the file has no other.
    EXPECT_THAT(from_hugging_face(R"({"model_type":"phimoe","hidden_size":1024,
        "num_hidden_layers":4,"num_attention_heads":16,"intermediate_size":4096,
        "num_local_experts":16,"num_experts_per_tok":2})")
                    .error()
                    .message,
                HasSubstr(R"({"expert_hidden":4096,"experts":16,"experts_per_row":2,"family":)"
                          R"("qwen3_moe","heads":16,"hidden":1024,"layers":4})"));
    EXPECT_THAT(from_hugging_face(R"({"model_type":"mamba","hidden_size":768})").error().message,
                HasSubstr("plimsoll.training"));
    // Types of tomorrow, by their members and classes.
    for (const auto& [more, what] :
         {std::pair{R"("is_encoder_decoder":true)", "it is an encoder-decoder"},
          std::pair{R"("text_config":{},"vision_config":{})", "it is a model of images and text"},
          std::pair{R"("num_mel_bins":80)", "it is a model of sound"},
          std::pair{R"("mamba_d_state":16)", "it is a state-space"},
          std::pair{R"("image_size":16)", "it is a model of images other than ViT"},
          std::pair{R"("vocab_size":9,"architectures":["XForMaskedLM"])", "it is an encoder"}}) {
        const auto text = std::string(R"({"model_type":"tomorrow",)") + more + "}";
        EXPECT_THAT(from_hugging_face(text).error().message,
                    HasSubstr("by its file, " + std::string(what)))
            << more;
    }
}

TEST(HuggingFaceConfig, KnowsPyTorchsNamesOfTypes) {
    for (const std::string type : {"bfloat16", "torch.bfloat16", "torch.float16", "float32"}) {
        const auto text = R"({"model_type":"smollm3","torch_dtype":")" + type + "\"}";
        EXPECT_EQ(from_hugging_face(text).value().stored_half, type != "float32") << type;
    }
}

// Keys that make another model of it change the answer or are refused, but never dropped.
TEST(HuggingFaceConfig, DropsNoRelevantKey) {
    const auto llama = [](const std::string& more, const std::string& type = "llama") {
        return from_hugging_face(R"({"model_type":")" + type + R"(","hidden_size":2048,
            "num_hidden_layers":2,"num_attention_heads":16,"intermediate_size":4096,
            "vocab_size":1000)" + more +
                                 "}");
    };
    const auto plain = parameters(*llama(""));
    EXPECT_EQ(parameters(*llama(R"(,"attention_bias":true)")) - plain, 2 * 4 * 2048);
    EXPECT_EQ(parameters(*llama(R"(,"mlp_bias":true)")) - plain, 2 * (2 * 4096 + 2048));
    EXPECT_EQ(llama(R"(,"num_local_experts":8)").error().where, "/num_local_experts");
    EXPECT_EQ(llama(R"(,"mlp_bias":true)", "mistral").error().where, "/mlp_bias");
    const std::string windows = R"(,"sliding_window":512,"use_sliding_window":)";
    const auto later = llama(windows + R"(true,"max_window_layers":1)", "qwen2").error();
    EXPECT_EQ(later.where, "/use_sliding_window");
    EXPECT_THAT(later.message, HasSubstr("from layer 1 on, tokens would see only 512"));
    EXPECT_EQ(llama(windows + R"(true,"max_window_layers":2)", "qwen2")->window, 0);
    EXPECT_EQ(llama(windows + R"(false,"max_window_layers":1)", "qwen2")->window, 0);
    EXPECT_EQ(llama(R"(,"sliding_window":512)", "qwen3")->window, 0);
    EXPECT_EQ(llama(R"(,"sliding_window":512)", "mistral")->window, 512);
    EXPECT_EQ(
        llama(R"(,"layer_types":["chunked_attention","full_attention"])", "gemma2").error().where,
        "/layer_types");
    EXPECT_EQ(from_hugging_face(R"({"model_type":"gemma3","vision_config":[]})").error().where,
              "/vision_config");
    EXPECT_EQ(llama("", "qwen3_moe").error().where, "/num_experts");
    EXPECT_THAT(llama("", "qwen_3").error().message, HasSubstr("Did you mean \"qwen3\"?"));
}

// As transformers 5.17 builds it, with three layers of images.
TEST(HuggingFaceConfig, CountsTheImagesOfLlavaOneVision) {
    const auto shape = from_hugging_face(R"({"model_type":"llava_onevision","text_config":{
        "model_type":"qwen2","hidden_size":896,"intermediate_size":4864,"num_hidden_layers":2,
        "num_attention_heads":14,"num_key_value_heads":2,"vocab_size":151936},"vision_config":{
        "model_type":"siglip_vision_model","hidden_size":1152,"image_size":384,
        "intermediate_size":4304,"num_attention_heads":16,"num_hidden_layers":3,"patch_size":14,
        "vision_use_head":false}})");
    ASSERT_TRUE(shape) << shape.error().message;
    EXPECT_EQ(shape->towers, 49'076'848);
}

// As transformers 5.17 builds it, with its encoders of images and of sound.
TEST(HuggingFaceConfig, ReadsGemma4) {
    const auto all = from_hugging_face(R"({"model_type":"gemma4","text_config":{
        "model_type":"gemma4_text","num_hidden_layers":6,"vocab_size":1000,
        "vocab_size_per_layer_input":1000},"vision_config":{},"audio_config":{}})");
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_EQ(all->towers, 304'824'608 + 3'538'944 + 167'364'608 + 1'769'472);
    EXPECT_EQ(parameters(*all) - all->towers, 495'828'480);
    // As transformers writes the sizes of layers that see all.
    const auto written = from_hugging_face(R"({"model_type":"gemma4_text","num_hidden_layers":6,
        "attention_k_eq_v":true,"hidden_size_per_layer_input":0,
        "per_layer_config":{"5":{"head_dim":512,"num_key_value_heads":2}}})");
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(written->of_layer(5).kv_width(), 1024);
    EXPECT_EQ(written->of_layer(4).kv_width(), 1024);
    EXPECT_TRUE(written->of_layer(5).keys_as_values);
    EXPECT_FALSE(written->of_layer(4).keys_as_values);
    EXPECT_EQ(
        from_hugging_face(R"({"model_type":"gemma4_text","enable_moe_block":true})").error().where,
        "/num_experts");
}

TEST(HuggingFaceConfig, RefusesUnsupportedModelsByName) {
    const auto pegasus = from_hugging_face(R"({"model_type":"pegasus","d_model":512})").error();
    EXPECT_EQ(pegasus.where, "/model_type");
    EXPECT_THAT(pegasus.message,
                HasSubstr("\"pegasus\" is not modelled: it is an encoder-decoder"));
    EXPECT_THAT(pegasus.message, testing::Not(HasSubstr("dimensions")));
    EXPECT_THAT(from_hugging_face(R"({"model_type":"mamba2"})").error().message,
                HasSubstr("state-space"));
    const auto newer = from_hugging_face(R"({"model_type":"kimi_linear"})").error().message;
    EXPECT_THAT(newer, HasSubstr("attention is linear in most layers"));
    EXPECT_THAT(from_hugging_face(R"({"peft_type":"LORA","base_model_name_or_path":"a/b"})")
                    .error()
                    .message,
                HasSubstr("an adapter: give its base model, \"a/b\""));
    // Of an unknown type that goes beyond a known name, none is suggested.
    EXPECT_THAT(from_hugging_face(R"({"model_type":"qwen3_99"})").error().message,
                testing::Not(HasSubstr("Did you mean")));
}

// As published: google-t5/t5-base, and google/flan-t5-base with a head of its own.
TEST(HuggingFaceConfig, ReadsBothFormsOfT5) {
    const auto t5 = [](const std::string& more) {
        return from_hugging_face(R"({"model_type":"t5","d_model":768,"num_heads":12,"d_kv":64,
            "num_layers":12,"vocab_size":32128)" +
                                 more + "}");
    };
    const auto first = t5(R"(,"d_ff":3072)");
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(parameters(*first), 222'903'552);
    EXPECT_TRUE(first->scaled_output);
    EXPECT_EQ(first->head, Head::language_model);
    const auto newer =
        t5(R"(,"d_ff":2048,"feed_forward_proj":"gated-gelu","tie_word_embeddings":false)");
    ASSERT_TRUE(newer) << newer.error().message;
    EXPECT_EQ(parameters(*newer), 247'577'856);
    EXPECT_TRUE(newer->gated);
    EXPECT_FALSE(newer->scaled_output);
    EXPECT_EQ(newer->activation, Activation::gelu_new);
    EXPECT_EQ(t5(R"(,"d_ff":2048,"feed_forward_proj":"gated-mish")").error().where,
              "/feed_forward_proj");
    EXPECT_EQ(t5(R"(,"d_ff":2048,"num_decoder_layers":0)").error().where, "/num_decoder_layers");
}

// Nested files hold only what differs from the class: gemma-3-4b-it, LLaVA 1.5, as transformers
// 5.17 builds them.
TEST(HuggingFaceConfig, CompletesAPartialFileByItsClass) {
    const auto gemma = from_hugging_face(R"({"model_type":"gemma3_text","hidden_size":2560,
        "intermediate_size":10240,"num_hidden_layers":34,"sliding_window":1024,
        "rope_scaling":{"factor":8.0,"rope_type":"linear"}})");
    ASSERT_TRUE(gemma) << gemma.error().message;
    EXPECT_EQ(parameters(*gemma), 3'880'263'168);
    EXPECT_EQ(gemma->completed, "num_attention_heads 8, num_key_value_heads 4, vocab_size 262208");
    const auto vicuna = from_hugging_face(R"({"model_type":"llama","vocab_size":32064,
        "architectures":["LlamaForCausalLM"],"torch_dtype":"float16"})");
    ASSERT_TRUE(vicuna) << vicuna.error().message;
    EXPECT_EQ(parameters(*vicuna), 6'738'939'904);
}

// Keys of the whole file count for the text; the encoder of images has its class's defaults.
TEST(HuggingFaceConfig, ReadsTheLanguageModelOfAMultimodalFile) {
    const auto whole = from_hugging_face(R"({"model_type":"llava","tie_word_embeddings":true,
        "text_config":{"num_hidden_layers":2},"vision_config":{"num_hidden_layers":1}})");
    ASSERT_TRUE(whole) << whole.error().message;
    const auto text = from_hugging_face(R"({"model_type":"llama","num_hidden_layers":2,
        "tie_word_embeddings":true})");
    // CLIP of 768, a product into the text's width and one within it.
    EXPECT_EQ(whole->towers, 9'489'408 + 769 * 4096 + 4097 * 4096);
    EXPECT_EQ(parameters(*whole), parameters(*text) + whole->towers);
    EXPECT_THAT(whole->noted, HasSubstr("texts without images"));
    EXPECT_EQ(count(list_parameters(*whole, Lora{}), true), parameters(*text));
    EXPECT_THAT(from_hugging_face(R"({"model_type":"clip","text_config":{}})").error().message,
                HasSubstr("\"clip\" is not modelled: it is two encoders"));
}

TEST(HuggingFaceConfig, KnowsTheTypeThatTransformersLoads) {
    const auto half = [](const std::string& file) { return from_hugging_face(file)->stored_half; };
    EXPECT_TRUE(half(R"({"model_type":"qwen3"})"));
    EXPECT_FALSE(half(R"({"model_type":"qwen3","dtype":"float32"})"));
    EXPECT_FALSE(half(R"({"model_type":"bert"})"));
    EXPECT_TRUE(half(R"({"model_type":"bert","torch_dtype":"bfloat16"})"));
}

TEST(HuggingFaceConfig, ErrorsPointIntoTheFile) {
    const auto where = [](const char* json) { return from_hugging_face(json).error().where; };
    EXPECT_EQ(where("[]"), "");
    EXPECT_EQ(where("{nonsense"), "");
    EXPECT_EQ(where(R"({"model_type":"mamba"})"), "/model_type");
    EXPECT_THAT(from_hugging_face(R"({"model_type":"mamba"})").error().message,
                HasSubstr("distilbert"));
    const std::string base = R"({"model_type":"bert","intermediate_size":3072,"vocab_size":30522,
        "max_position_embeddings":512,)";
    EXPECT_EQ(where(R"({"model_type":"gpt2","n_embd":768,"n_layer":12,"n_positions":1024,
        "vocab_size":50257})"),
              "/n_head");
    EXPECT_EQ(where((base + R"("hidden_size":768,"num_hidden_layers":12,
        "num_attention_heads":7})")
                        .c_str()),
              "/num_attention_heads");
    EXPECT_EQ(where((base + R"("hidden_size":768,"num_hidden_layers":0,
        "num_attention_heads":12})")
                        .c_str()),
              "/num_hidden_layers");
    EXPECT_EQ(where((base + R"("hidden_size":1e300,"num_hidden_layers":12,
        "num_attention_heads":12})")
                        .c_str()),
              "/hidden_size");
    EXPECT_EQ(where((base + R"("hidden_size":"wide","num_hidden_layers":12,
        "num_attention_heads":12})")
                        .c_str()),
              "/hidden_size");
}

}  // namespace
}  // namespace plimsoll::training
