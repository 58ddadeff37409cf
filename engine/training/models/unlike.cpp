#include "engine/base/closest.hpp"
#include "engine/training/models/config_reader.hpp"

#include <algorithm>
#include <vector>

// Types of models that are not modelled.

namespace plimsoll::training {
namespace {

using Json = nlohmann::json;

// Published ones: what they are, what comes nearest, and its family, if it has one.
struct Unlike {
    std::string_view what, nearest, types, family = {};
};
constexpr Unlike kUnlike[] = {
    {"an encoder-decoder, whose decoder attends to a second sequence",
     "T5, mT5 and BART are the only ones that are modelled",
     "umt5 longt5 switch_transformers mbart pegasus marian m2m_100 blenderbot led "
     "encoder-decoder nllb-moe prophetnet t5gemma t5gemma2"},
    {"a state-space or recurrent model",
     "nothing that is modelled is near: measure a step by plimsoll.training",
     "mamba mamba2 falcon_mamba jamba rwkv recurrent_gemma zamba zamba2 bamba falcon_h1 "
     "nemotron_h xlstm olmo_hybrid"},
    {"a mixture of experts with layers of its own",
     "a mixtral or qwen3_moe with the same experts is the nearest",
     "granitemoeshared jetmoe phimoe dbrx ernie4_5_moe hunyuan_v1_moe minimax minimax_m2 "
     "dots1 flex_olmo exaone_moe glm4_moe_lite glm_moe_dsa deepseek_v32 deepseek_v4 "
     "longcat_flash mimo_v2_flash hy_v3 solar_open afmoe cohere2_moe",
     "qwen3_moe"},
    {"a mixture of experts whose attention is linear in most layers",
     "a qwen3_moe with the same experts is the nearest", "kimi_linear granitemoehybrid",
     "qwen3_moe"},
    {"a model whose layers have embeddings of their own",
     "a gemma3 of the same size is the nearest", "gemma3n gemma3n_text gemma4_unified", "gemma3"},
    {"a model of images and text",
     "its language model can be estimated alone, if that is one of the known types: give its "
     "text_config",
     "idefics idefics2 mllama internvl internvl_chat pixtral blip blip-2 "
     "instructblip git florence2 deepseek_vl_v2 kosmos-2 fuyu chameleon janus emu3 aria aya_vision "
     "cohere2_vision "
     "deepseek_vl deepseek_ocr2 got_ocr2 glm4v glm46v glm4v_moe ernie4_5_vl_moe hunyuan_vl "
     "kimi_vl kimi_k25 lfm2_vl llava_next_video video_llava vipllava "
     "minicpmv minicpmo molmo ovis2 paddleocr_vl phi3_v phi4_multimodal phi4mm perception_lm "
     "qwen2_5_omni qwen3_omni_moe"},
    {"two encoders that learn together, of images and of texts",
     "a vit for that of images and a bert for that of texts, estimated apart, are the nearest",
     "clip siglip siglip2 clip_vision_model siglip_vision_model", "vit"},
    {"an encoder of texts that learns beside one of images",
     "a bert of the same dimensions is the nearest", "clip_text_model siglip_text_model", "bert"},
    {"a model of sound", "Whisper's encoder with a classifier is the nearest",
     "wav2vec2 wav2vec2-bert hubert wavlm sew unispeech data2vec-audio "
     "audio-spectrogram-transformer seamless_m4t moonshine wav2vec2-conformer unispeech-sat "
     "speecht5 parakeet "
     "qwen2_audio voxtral granite_speech csm dia clap musicgen",
     "whisper"},
    {"a model of images other than ViT", "a ViT of the same dimensions is the nearest",
     "swin swinv2 beit deit convnext convnextv2 resnet dinov2 dinov2_with_registers "
     "dinov3_vit segformer detr rt_detr yolos sam sam2 mask2former efficientnet mobilenet_v2 "
     "mobilevit videomae vit_mae depth_anything",
     "vit"},
    {"a decoder with LayerNorm and plain feed-forwards",
     "a gpt_neox of the same dimensions is the nearest",
     "gptj gpt_neo gpt_bigcode mpt phi stablelm codegen persimmon cohere "
     "cohere2 nemotron xglm biogpt",
     "gpt_neox"},
    {"a decoder with LayerNorm, plain feed-forwards and one head of keys and values for many",
     "a starcoder2 of the same dimensions is the nearest", "falcon", "starcoder2"},
    {"an encoder like BERT", "a bert of the same dimensions is the nearest",
     "albert mpnet xlm longformer big_bird deberta ernie flaubert funnel layoutlm nomic_bert "
     "eurobert roformer convbert",
     "bert"},
    {"a decoder with layers of its own", "a llama of the same dimensions is the nearest",
     "internlm2 internlm3 baichuan chatglm minicpm minicpm3 exaone olmo ernie4_5 "
     "hunyuan_v1_dense apertus helium diffllama arcee smallthinker",
     "llama"},
};

// Our names of dimensions, and the files'.
struct Dimension {
    const char* ours;
    std::vector<const char*> theirs;
    std::string_view of = {};  // families that know it; all if empty
};
const std::vector<Dimension>& dimensions() {
    static const std::vector<Dimension> all = {
        {"layers", {"num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers"}},
        {"hidden", {"hidden_size", "n_embd", "n_embed", "d_model", "dim"}},
        {"heads", {"num_attention_heads", "n_head", "n_heads", "num_heads"}},
        {"kv_heads",
         {"num_key_value_heads", "num_kv_heads"},
         "qwen3_moe qwen3 gemma3 starcoder2 llama"},
        {"head_dim", {"head_dim"}, "qwen3_moe qwen3 gemma3 llama"},
        {"ffn",
         {"intermediate_size", "ffn_hidden_size", "ffn_dim", "n_inner", "d_ff"},
         "qwen3 gemma3 starcoder2 llama gpt_neox bert vit whisper"},
        {"vocab", {"vocab_size"}, "qwen3_moe qwen3 gemma3 starcoder2 llama gpt_neox bert"},
        {"experts", {"num_experts", "num_local_experts", "n_routed_experts"}, "qwen3_moe"},
        {"experts_per_row", {"num_experts_per_tok"}, "qwen3_moe"},
        {"expert_hidden", {"moe_intermediate_size", "intermediate_size"}, "qwen3_moe"},
        {"image_size", {"image_size"}, "vit"},
        {"patch_size", {"patch_size"}, "vit"},
    };
    return all;
}

bool has_word(std::string_view words, std::string_view word) {
    return (" " + std::string(words) + " ").find(" " + std::string(word) + " ") !=
           std::string::npos;
}

// What the file says, as a description of the family; nothing if it does not say enough.
std::string described(const Json& config, std::string_view family) {
    Json out{{"family", family}};
    const bool seen = family == "vit" && config.contains("vision_config");
    const Json& part = seen ? config.at("vision_config") : config;
    for (const auto& one : dimensions()) {
        if (!one.of.empty() && !has_word(one.of, family)) continue;
        for (const char* key : one.theirs)
            if (const auto found = part.find(key);
                found != part.end() && found->is_number_integer() && !out.contains(one.ours))
                out[one.ours] = *found;
    }
    // Falcon's one head of keys and values.
    if (config.value("multi_query", Json()) == true &&
        config.value("new_decoder_architecture", Json()) != true)
        out["kv_heads"] = 1;
    // Pixels beyond the last whole patch are not read.
    const std::int64_t patch = out.value("patch_size", std::int64_t{0});
    if (patch > 0 && out.contains("image_size"))
        out["image_size"] = out["image_size"].get<std::int64_t>() / patch * patch;
    for (const char* needed : {"layers", "hidden", "heads"})
        if (!out.contains(needed)) return {};
    return out.dump();
}

// Of a type that was published since: what its members and its class say.
const Unlike* like_by_members(const Json& config) {
    const auto has = [&](std::initializer_list<const char*> keys) {
        return std::ranges::any_of(keys, [&](const char* key) { return config.contains(key); });
    };
    const auto classes = config.value("architectures", Json()).dump();
    const auto names = [&](std::initializer_list<std::string_view> words) {
        return std::ranges::any_of(words,
                                   [&](auto word) { return classes.find(word) != classes.npos; });
    };
    std::string_view as;  // one of its kind
    if (has({"mamba_d_state", "state_size", "ssm_state_size"}))
        as = "mamba";
    else if (has({"text_config"}) && has({"vision_config"}))
        as = "idefics";
    else if (has({"audio_config", "num_mel_bins", "feat_extract_norm"}))
        as = "hubert";
    else if (config.value("is_encoder_decoder", Json()) == true || has({"decoder_layers"}))
        as = "mbart";
    else if (has({"image_size", "num_channels"}))
        as = "swin";
    else if (names({"ForMaskedLM", "ForSequenceClassification", "ForTokenClassification"}) &&
             has({"vocab_size"}))
        as = "albert";
    else
        return nullptr;
    return std::ranges::find_if(kUnlike,
                                [&](const Unlike& one) { return has_word(one.types, as); });
}

}  // namespace

Error unknown_type(const Json& config, std::vector<std::string> known) {
    const auto type = config.value("model_type", Json());
    if (type.is_null() && config.contains("peft_type"))
        return {Errc::invalid_input,
                "This describes an adapter: give its base model, " +
                    config.value("base_model_name_or_path", Json("which it does not name")).dump() +
                    ".",
                "/model_type"};
    if (type.is_null())
        return {Errc::invalid_input,
                "\"model_type\" is missing: this is not a model's config.json.", "/model_type"};
    std::string names;
    for (const auto& name : known) names += (names.empty() ? "" : ", ") + name;
    const std::string asked = type.is_string() ? type.get<std::string>() : type.dump();
    // deepseek_v32 is no mistyped deepseek_v3.
    std::erase_if(known, [&](const std::string& name) { return asked.starts_with(name); });
    const auto* found = std::ranges::find_if(
        kUnlike, [&](const Unlike& one) { return has_word(one.types, asked); });
    const bool listed = found != std::end(kUnlike);
    if (!listed) found = like_by_members(config);
    if (found == nullptr) {
        // What is published every week differs from others by little: a decoder is near Llama.
        const bool decodes =
            config.value("architectures", Json()).dump().find("CausalLM") != std::string::npos;
        const bool mixes = config.contains("num_experts") || config.contains("num_local_experts") ||
                           config.contains("n_routed_experts");
        const auto way = decodes ? described(config, mixes ? "qwen3_moe" : "llama") : "";
        if (!way.empty())
            return {Errc::invalid_input,
                    "The architecture \"" + asked + "\" is unknown." + did_you_mean(asked, known) +
                        " A " + (mixes ? "qwen3_moe" : "llama") +
                        " of the same dimensions is the nearest: --set 'model.dimensions=" + way +
                        "'. Known: " + names + ".",
                    "/model_type"};
        return {Errc::invalid_input,
                "The architecture \"" + asked + "\" is unknown." + did_you_mean(asked, known) +
                    " Known: " + names +
                    ". A model whose layers are those of one of these can be described by its "
                    "\"dimensions\": family, layers, hidden, heads, ffn, vocab and others; on the "
                    "command line --set model.dimensions.layers=24 and so on.",
                "/model_type"};
    }
    auto message = "\"" + asked + "\" is not modelled: " + (listed ? "" : "by its file, ") +
                   "it is " + std::string(found->what) + "; " + std::string(found->nearest) + ".";
    const auto way = found->family.empty() ? "" : described(config, found->family);
    if (!way.empty())
        message += " Describe that instead of the file: --set 'model.dimensions=" + way + "'.";
    return {Errc::invalid_input, message + " Known: " + names + ".", "/model_type"};
}

}  // namespace plimsoll::training
