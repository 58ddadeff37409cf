#include "engine/base/json.hpp"
#include "engine/training/models/config_reader.hpp"
namespace plimsoll::training {
namespace {

void read_bert(ConfigReader& read, ModelShape& s) {
    read_sizes(read, s);
    read.required("max_position_embeddings", s.positions, "positions");
    s.token_types = 2;
    read.integer("type_vocab_size", s.token_types);
    read.activation("hidden_act", s.activation);
    read.number("hidden_dropout_prob", s.hidden_dropout, "hidden_dropout");
    read.number("attention_probs_dropout_prob", s.attention_dropout, "attention_dropout");
}

void read_distilbert(ConfigReader& read, ModelShape& s) {
    read.required("n_layers", s.layers, "layers");
    read.required("dim", s.hidden, "hidden");
    read.required("n_heads", s.heads, "heads");
    read.required("hidden_dim", s.ffn, "ffn");
    read.required("max_position_embeddings", s.positions, "positions");
    read.activation("activation", s.activation);
    read.number("dropout", s.hidden_dropout, "hidden_dropout");
    read.number("attention_dropout", s.attention_dropout, "attention_dropout");
}

void read_modernbert(ConfigReader& read, ModelShape& s) {
    read_sizes(read, s);
    read.required("max_position_embeddings", s.positions, "positions");
    s.hidden_dropout = s.attention_dropout = 0;
    read.activation("hidden_activation", s.activation);
    read.number("mlp_dropout", s.hidden_dropout, "hidden_dropout");
    read.number("attention_dropout", s.attention_dropout, "attention_dropout");
    int span = 128;
    read.integer("local_attention", span);
    s.window = span / 2;
    s.full_every = 3;
    read.integer("global_attn_every_n_layers", s.full_every);
    read_layer_types(read, s);
    if (read.has("classifier_pooling"))
        s.mean_pooling = read.json().at("classifier_pooling") == "mean";
    for (const char* key : {"norm_bias", "attention_bias", "mlp_bias", "classifier_bias",
                            "sparse_prediction", "embedding_dropout", "classifier_dropout"})
        read.refuse(key, "must be off: it is not modelled.");
    if (read.json().value("decoder_bias", json(true)) != true)
        read.note("decoder_bias", "must be true: heads without it are not modelled.");
}

void read_deberta(ConfigReader& read, ModelShape& s) {
    const auto& j = read.json();
    read_bert(read, s);
    s.token_types = 0;
    s.position_buckets = s.positions;
    int farthest = -1;
    read.integer("max_relative_positions", farthest);
    if (farthest > 0) s.position_buckets = farthest;
    int buckets = -1;
    read.integer("position_buckets", buckets);
    if (buckets > 0) s.position_buckets = buckets;
    // DeBERTa-v3 as published; these distinguish it from the type's other variants.
    const auto must = [&](const char* key, const json& value, const char* words) {
        if (!j.contains(key) || j.at(key) != value)
            read.note(key, std::string("must be ") + words + ": other forms are not modelled.");
    };
    must("relative_attention", true, "true");
    must("share_att_key", true, "true");
    must("position_biased_input", false, "false");
    must("norm_rel_ebd", "layer_norm", "\"layer_norm\"");
    const auto kinds = j.value("pos_att_type", json());
    const bool both = kinds == "p2c|c2p" || kinds == "c2p|p2c" || kinds == json{"p2c", "c2p"} ||
                      kinds == json{"c2p", "p2c"};
    if (!both) read.note("pos_att_type", "must be p2c and c2p: other forms are not modelled.");
    read.refuse("type_vocab_size", "must be 0: token types are not modelled.");
    read.refuse("conv_kernel_size", "must be 0: convolutions are not modelled.");
    read.refuse("pooler_dropout", "must be 0: it is not modelled.");
}

void read_vit(ConfigReader& read, ModelShape& s) {
    read_sizes(read, s);
    read.required("image_size", s.image_size, "image_size");
    read.required("patch_size", s.patch_size, "patch_size");
    read.integer("num_channels", s.image_channels, "image_channels");
    s.hidden_dropout = s.attention_dropout = 0;
    read.activation("hidden_act", s.activation);
    read.number("hidden_dropout_prob", s.hidden_dropout, "hidden_dropout");
    read.number("attention_probs_dropout_prob", s.attention_dropout, "attention_dropout");
    read.boolean("qkv_bias", s.qkv_bias);
}

// Its feed-forward's name says the activation, and whether there are two products.
void read_t5_feed_forward(ConfigReader& read, ModelShape& s) {
    const auto& j = read.json();
    const auto given = j.value("feed_forward_proj", json("relu"));
    const std::string name = given.is_string() ? given.get<std::string>() : given.dump();
    s.gated = name.starts_with("gated-");
    const auto word = s.gated ? name.substr(6) : name;
    // transformers takes the formula written in Python for "gated-gelu".
    if (word == "gelu" && s.gated)
        s.activation = Activation::gelu_new;
    else if (word == "gelu")
        s.activation = Activation::gelu;
    else if (word == "gelu_new")
        s.activation = Activation::gelu_new;
    else if (word == "silu")
        s.activation = Activation::silu;
    else if (word == "relu")
        s.activation = Activation::relu;
    else
        read.note("feed_forward_proj", "\"" + name + "\" is not modelled.");
}

void read_t5(ConfigReader& read, ModelShape& s) {
    read.required("d_model", s.hidden, "hidden");
    read.required("d_ff", s.ffn, "ffn");
    read.required("num_heads", s.heads, "heads");
    read.required("d_kv", s.head_dim, "head_dim");
    read.required("num_layers", s.layers, "layers");
    s.decoder_layers = s.layers;
    read.integer("num_decoder_layers", s.decoder_layers, "decoder_layers");
    s.position_buckets = 32;
    read.integer("relative_attention_num_buckets", s.position_buckets, "position_buckets");
    s.hidden_dropout = 0.1;
    read.number("dropout_rate", s.hidden_dropout, "hidden_dropout");
    s.attention_dropout = s.hidden_dropout;
    // transformers' class ties every head, but published checkpoints of untied files (T5 v1.1,
    // FLAN-T5, T0, mT5, byT5, UL2) have one of their own, which stays. They scale nothing.
    s.scaled_output = s.tied_head;
    read.boolean("scale_decoder_outputs", s.scaled_output);
    read_t5_feed_forward(read, s);
    read.refuse("is_decoder", "must be false: encoder and decoder are modelled together.");
}

void read_bart(ConfigReader& read, ModelShape& s) {
    s.own_traits = DecoderTraits{.layer_norms = true, .plain = true, .learned = true};
    read.required("d_model", s.hidden, "hidden");
    read.required("encoder_ffn_dim", s.ffn, "ffn");
    read.required("encoder_attention_heads", s.heads, "heads");
    read.required("encoder_layers", s.layers, "layers");
    read.required("decoder_layers", s.decoder_layers, "decoder_layers");
    read.required("max_position_embeddings", s.positions, "positions");
    const auto same = [&](const char* key, int ours) {
        int theirs = ours;
        read.integer(key, theirs);
        if (theirs != ours)
            read.note(key, "must be that of the encoder: another size is not modelled.");
    };
    same("decoder_ffn_dim", s.ffn);
    same("decoder_attention_heads", s.heads);
    s.hidden_dropout = 0.1;
    s.attention_dropout = 0;
    double inner = 0;
    read.activation("activation_function", s.activation);
    read.number("dropout", s.hidden_dropout, "hidden_dropout");
    read.number("attention_dropout", s.attention_dropout, "attention_dropout");
    read.number("activation_dropout", inner);
    s.own_traits->inner_dropout = inner > 0;
    for (const char* key : {"encoder_layerdrop", "decoder_layerdrop"})
        read.refuse(key, "must be 0: layers that are left out are not modelled.");
    for (const char* key :
         {"normalize_before", "add_final_layer_norm", "static_position_embeddings"})
        read.refuse(key, "must be false: such layers are not modelled.");
}

void read_whisper(ConfigReader& read, ModelShape& s) {
    read.required("encoder_layers", s.layers, "layers");
    read.required("d_model", s.hidden, "hidden");
    read.required("encoder_attention_heads", s.heads, "heads");
    read.required("encoder_ffn_dim", s.ffn, "ffn");
    read.required("max_source_positions", s.positions, "positions");
    read.required("num_mel_bins", s.features, "features");
    s.projection = 256;
    read.integer("classifier_proj_size", s.projection, "projection");
    s.hidden_dropout = s.attention_dropout = 0;
    read.activation("activation_function", s.activation);
    read.number("dropout", s.hidden_dropout, "hidden_dropout");
    read.number("attention_dropout", s.attention_dropout, "attention_dropout");
    for (const char* key : {"activation_dropout", "encoder_layerdrop", "use_weighted_layer_sum"})
        read.refuse(key, "must be off: it is not modelled.");
    const auto heads = read.json().find("architectures");
    if (heads == read.json().end() || !heads->is_array() || heads->empty() ||
        heads->front() != "WhisperForAudioClassification")
        read.note("architectures",
                  "must be [\"WhisperForAudioClassification\"]: the encoder with a classifier is "
                  "modelled, but transcription is not.");
}

}  // namespace

void read_encoder_config(ConfigReader& read, const std::string& type, ModelShape& s) {
    if (type == "vit" || type == "whisper") {
        s.family = type == "vit" ? Family::vit : Family::whisper;
        return type == "vit" ? read_vit(read, s) : read_whisper(read, s);
    }
    read.required("vocab_size", s.vocab, "vocab");
    read.boolean("tie_word_embeddings", s.tied_head);
    if (type == "bart") {
        s.family = Family::t5;
        s.head = Head::language_model;
        return read_bart(read, s);
    }
    if (type == "t5" || type == "mt5") {
        s.family = Family::t5;
        s.head = Head::language_model;
        read_t5(read, s);
        if (type == "mt5") s.scaled_output = false;
        return;
    }
    if (type == "deberta-v2") {
        s.family = Family::deberta_v2;
        return read_deberta(read, s);
    }
    if (type == "modernbert") {
        s.family = Family::modernbert;
        return read_modernbert(read, s);
    }
    if (type == "distilbert") {
        s.family = Family::distilbert;
        return read_distilbert(read, s);
    }
    s.family = type == "bert" ? Family::bert : Family::roberta;
    if (type == "electra") s.own_traits = DecoderTraits{};
    read_bert(read, s);
    int width = s.hidden;
    read.integer("embedding_size", width);
    if (width != s.hidden)
        read.note(
            "embedding_size",
            "must be hidden_size: narrower embeddings are not modelled. A bert of the other "
            "dimensions is the nearest: --set model.dimensions.family=bert, .layers and so on "
            "instead of the file.");
    read.refuse("is_decoder", "must be false: decoders of this type are not modelled.");
    read.refuse("add_cross_attention", "must be false: cross-attention is not modelled.");
}

}  // namespace plimsoll::training
