#include "engine/base/json.hpp"
#include "server/kinds/training_config/contract/configs/structures/planner.hpp"
#include "server/kinds/training_config/contract/configs/structures/reader.hpp"

#include <algorithm>

namespace plimsoll::jobs::training_config {
namespace {

std::string simple(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

bool asks(Reader& in, const char* key) { return in.value(Path{key}, false); }

void read_axolotl_attention(Reader& in) {
    std::string kind = simple(in.word({"attn_implementation"}, "sdpa"));
    if (asks(in, "flash_attention")) kind = "flash_attention_2";
    if (asks(in, "eager_attention")) kind = "eager";
    for (const char* other : {"xformers_attention", "flex_attention", "sage_attention",
                              "flash_optimum", "sdpa_varlen", "flash_attn_d512", "sdp_attention"})
        if (asks(in, other) && std::string_view(other) != "sdp_attention")
            in.run.notes.push_back(std::string(other) + " is estimated as sdpa");
    in.attention(kind);
}

// axolotl loads the model in bf16, trained or frozen, if the file asks for bf16 or leaves it to the
// GPU, and in fp16 if it asks for that; float16 and bfloat16 load so without mixed precision.
void read_axolotl_precision(Reader& in) {
    const auto bf16 = simple(in.word({"bf16"}, "auto"));
    const bool fp16 = asks(in, "fp16");
    const bool narrow = asks(in, "float16") || in.value({"load_in_8bit"}, false);
    const bool half =
        asks(in, "bfloat16") || bf16 == "full" || bf16 == "true" || (!fp16 && bf16 == "auto");
    // Weights in fp16 can only be frozen where gradients are scaled.
    const bool adapts = !in.word({"adapter"}).empty() && in.word({"adapter"}) != "null";
    in.run.training["precision"] = half                         ? "bf16"
                                   : (fp16 || narrow) && adapts ? "fp16"
                                   : fp16                       ? "fp16_autocast"
                                   : narrow                     ? "bf16"
                                                                : "fp32";
    if (narrow && !half && !fp16 && !adapts)
        in.run.notes.emplace_back("weights in fp16 are estimated as weights in bf16");
}

// Accelerate holds the shards of FSDP1 in fp32, where they are trained in mixed precision; for
// FSDP2, axolotl's own preparation keeps them in bf16.
void widen_fsdp1(Reader& in) {
    const auto& run = in.run;
    if (!run.cluster.is_object() || !run.cluster.value("sharding", "").starts_with("fsdp")) return;
    auto version = in.word({"fsdp_version"});
    for (const char* name : {"fsdp_version", "version"})
        if (version.empty()) version = in.word({"fsdp_config", name});
    if (version == "2") return;
    in.run.notes.emplace_back("FSDP1 is estimated as FSDP2");
    if (run.training.at("precision") == "bf16" && !run.training.contains("lora") &&
        in.word({"bf16"}) != "full")
        in.run.training["precision"] = "bf16_autocast";
}

void read_axolotl_adapters(Reader& in) {
    const auto adapter = simple(in.word({"adapter"}));
    const bool lora = adapter == "lora" || adapter == "qlora";
    if (!adapter.empty() && adapter != "null" && !lora)
        return in.unmodelled({"adapter"}, "only LoRA is modelled");
    const bool dora = asks(in, "peft_use_dora");
    const bool linear = asks(in, "lora_target_linear");
    read_adapted_run(in, {}, lora ? 8 : -1);
    auto& training = in.run.training;
    if (!lora) return;
    if (linear) {  // besides what is named
        training["lora"]["targets"] = "all_linear";
        training["lora"].erase("modules");
    }
    if (dora) training["lora"]["dora"] = true;
    // Its kernels fuse what has no dropout.
    bool fused = training["lora"].value("dropout", 0.0) == 0 && !dora &&
                 training.value("quantization", "") != "int8" &&
                 has_word("bf16 fp16", training.value("precision", ""));
    for (const char* kernel : {"lora_mlp_kernel", "lora_qkv_kernel", "lora_o_kernel"})
        fused = asks(in, kernel) && fused;
    if (fused) training["fused_adapters"] = true;
    // Scales are quantized, too, unless bnb_config_kwargs forbid it.
    const bool twice = in.value({"bnb_config_kwargs", "bnb_4bit_use_double_quant"}, true);
    if (training.value("quantization", "") == "nf4" && twice)
        training["quantization"] = "nf4_double";
}

// "full_shard auto_wrap" as a list, and fsdp_config beside it.
void read_axolotl_sharding(Reader& in) {
    const auto fsdp = in.node({"fsdp"});
    const bool listed = fsdp.IsDefined() && fsdp.IsSequence() && fsdp.size() > 0;
    std::string words;
    for (const auto& one : listed ? fsdp : YAML::Node())
        if (one.IsScalar()) words += " " + one.Scalar();
    bool keeps = has_word(words, "shard_grad_op");
    for (const char* name : {"reshard_after_forward", "fsdp_reshard_after_forward"})
        keeps = !in.value({"fsdp_config", name}, true) || keeps;
    for (const char* name : {"sharding_strategy", "fsdp_sharding_strategy"}) {
        if (word_at(in.root, {"fsdp_config", name}) != "SHARD_GRAD_OP") continue;
        in.node({"fsdp_config", name});
        keeps = true;
    }
    if (listed || has(in.root, {"fsdp_config"}) || !in.word({"fsdp_version"}).empty())
        in.shard(keeps ? "fsdp_grad_op" : "fsdp", 0, {"fsdp"});
    const auto copies = in.value({"dp_replicate_size"}, std::int64_t{1});
    const auto shards = in.value({"dp_shard_size"}, std::int64_t{1});
    if (shards > 1) in.shard(keeps ? "fsdp_grad_op" : "fsdp", copies * shards, {"dp_shard_size"});
    if (shards > 1) in.replicas(copies);
    if (shards <= 1 && copies > 1) in.shard("ddp", copies, {"dp_replicate_size"});
    for (const char* word : {"hybrid_shard", "no_shard"})
        if (has_word(words, word)) in.unmodelled({"fsdp"}, std::string(word) + " is not modelled");
    if (has_word(words, "offload")) in.offload("none", "cpu");
    for (const char* name : {"offload_params", "fsdp_offload_params"})
        if (in.value({"fsdp_config", name}, false)) in.offload("none", "cpu");
    in.run.deepspeed = in.word({"deepspeed"});
    if (in.run.deepspeed == "null" || in.run.deepspeed == "false") in.run.deepspeed.clear();
}

// All of a language model, as is estimated of models of images.
void read_unfrozen(Reader& in) {
    bool language = false;
    for (const auto& one : at(in.root, {"unfrozen_parameters"})) {
        const auto pattern = one.as<std::string>("");
        const auto has = [&](const char* part) { return pattern.find(part) != pattern.npos; };
        language = language || has("language_model");
        if (has("layers") || !(has("language_model") || has("lm_head") || has("embed_tokens")))
            return;
    }
    if (language && !in.run.training.contains("lora")) in.node({"unfrozen_parameters"});
}

void read_axolotl_loss(Reader& in) {
    if (asks(in, "liger_fused_linear_cross_entropy") || asks(in, "liger_cross_entropy"))
        in.run.training["fused_loss"] = true;
    bool cuts = false;  // the plugin does unless the file forbids it
    for (const auto& one : in.node({"plugins"}))
        cuts = cuts || (one.IsScalar() && one.Scalar().ends_with("CutCrossEntropyPlugin"));
    if (!in.value({"cut_cross_entropy"}, cuts)) return;
    in.run.training["fused_loss"] = true;
    in.run.notes.emplace_back("cut_cross_entropy is estimated as Liger's fused loss");
}

// axolotl runs TRL's trainers; adapters are the reference unless it makes a second set of them.
void read_axolotl_method(Reader& in) {
    auto& training = in.run.training;
    in.run.layers_reference = true;
    const auto rl = simple(in.word({"rl"}));
    if (rl == "dpo" || rl == "ipo") training["method"] = "dpo";
    if (rl == "orpo" || rl == "kto") training["method"] = rl;
    if (rl == "grpo" || rl == "gdpo") {
        training["method"] = "grpo";
        read_answers(in, {"trl"});
        // What its section of vLLM has, it passes on only with this word.
        if (in.word({"trl", "vllm_mode"}) == "colocate" && training.contains("vllm")) {
            auto& vllm = training["vllm"];
            vllm["memory_share"] = in.value({"vllm", "gpu_memory_utilization"}, 0.9);
            vllm["tensor_parallel"] = in.value({"vllm", "tensor_parallel_size"}, std::int64_t{1});
        }
    }
    if (asks(in, "reward_model")) training["method"] = "reward";
    if (asks(in, "precompute_ref_log_probs")) training["reference"] = "none";
    if (!rl.empty() && rl != "null" && rl != "false" && !training.contains("method"))
        in.unmodelled({"rl"},
                      "of preference and reinforcement tuning, dpo, ipo, kto, orpo, grpo and gdpo "
                      "are modelled: name the nearest with --method",
                      "--method");
}

// "torchtune.models.qwen2_5.qlora_qwen2_5_7b_instruct" is Qwen/Qwen2.5-7B-Instruct on the hub.
std::string torchtune_model(std::string builder) {
    struct Published {
        std::string_view builder, before, after;
        char billions;  // as its sizes are written
    };
    static constexpr Published kPublished[] = {
        {"code_llama2_", "codellama/CodeLlama-", "-hf", 'b'},
        {"llama2_", "meta-llama/Llama-2-", "-hf", 'b'},
        {"llama3_1_", "meta-llama/Llama-3.1-", "", 'B'},
        {"llama3_2_vision_", "meta-llama/Llama-3.2-", "-Vision-Instruct", 'B'},
        {"llama3_2_", "meta-llama/Llama-3.2-", "", 'B'},
        {"llama3_3_", "meta-llama/Llama-3.3-", "-Instruct", 'B'},
        {"llama3_", "meta-llama/Meta-Llama-3-", "", 'B'},
        {"mistral_", "mistralai/Mistral-", "-v0.1", 'B'},
        {"gemma2_", "google/gemma-2-", "", 'b'},
        {"gemma_", "google/gemma-", "", 'b'},
        {"phi3_mini", "microsoft/Phi-3-mini-4k-instruct", "", 'B'},
        {"phi4_14b", "microsoft/phi-4", "", 'B'},
        {"llama4_scout_17b_16e", "meta-llama/Llama-4-Scout-17B-16E-Instruct", "", 'B'},
        {"llama4_maverick_17b_128e", "meta-llama/Llama-4-Maverick-17B-128E-Instruct", "", 'B'},
        {"qwen3_", "Qwen/Qwen3-", "", 'B'},
        {"qwen2_5_", "Qwen/Qwen2.5-", "", 'B'},
        {"qwen2_", "Qwen/Qwen2-", "", 'B'}};
    for (const std::string_view method : {"qlora_", "lora_", "dora_", "qdora_"})
        if (builder.starts_with(method)) builder.erase(0, method.size());
    const auto* found = std::ranges::find_if(
        kPublished, [&](const Published& one) { return builder.starts_with(one.builder); });
    if (found == std::end(kPublished)) return builder;
    auto size = builder.substr(found->builder.size());  // "0_5b_instruct"
    std::string tuning;
    // Of Qwen 3, the tuned models have the plain name.
    const bool plain = found->builder == "qwen3_";
    for (const std::string_view end : {"_instruct", "_base"}) {
        if (!size.ends_with(end)) continue;
        size.resize(size.size() - end.size());
        if ((end == "_instruct") != plain) tuning = plain ? "-Base" : "-Instruct";
    }
    std::ranges::replace(size, '_', '.');
    if (size.ends_with('b')) size.back() = found->billions;
    return std::string(found->before) + size + tuning + std::string(found->after);
}

// Adapters have the type of the weights, and are made where the file says.
void read_torchtune_adapters(Reader& in, const std::string& builder) {
    const auto rank = in.value({"model", "lora_rank"}, std::int64_t{0});
    const bool adapts = builder.find("lora_") != std::string::npos || rank > 0;
    if (!adapts) return;
    json lora = {{"rank", rank > 0 ? rank : 8}, {"dtype", "model"}};
    in.run.places["lora.rank"] = "model.lora_rank";
    std::vector<std::string> modules;
    for (const auto& one : in.node({"model", "lora_attn_modules"})) {
        const auto name = one.IsScalar() ? one.Scalar() : std::string();
        modules.push_back(name == "output_proj" ? "o_proj" : name);
    }
    if (in.value({"model", "apply_lora_to_mlp"}, false))
        for (const char* name : {"gate_proj", "up_proj", "down_proj"}) modules.emplace_back(name);
    // Phi's layers are divided in torchtune, and fused in transformers.
    if (builder.find("phi") != std::string::npos) {
        std::vector<std::string> fused;
        for (const auto& name : modules) {
            const auto whole = has_word("q_proj k_proj v_proj", name) ? "qkv_proj"
                               : has_word("gate_proj up_proj", name)  ? "gate_up_proj"
                                                                      : name;
            if (std::ranges::find(fused, whole) == fused.end()) fused.push_back(whole);
        }
        modules = std::move(fused);
        in.run.notes.emplace_back("adapters of divided layers are estimated on fused ones");
    }
    if (!modules.empty()) lora["modules"] = modules;
    lora["dropout"] = in.value({"model", "lora_dropout"}, 0.0);
    if (in.value({"model", "use_dora"}, builder.find("dora_") != std::string::npos))
        lora["dora"] = true;
    in.run.training["lora"] = lora;
    if (builder.starts_with("qlora_") || in.value({"model", "quantize_base"}, false)) {
        in.run.training["quantization"] = "nf4_double";
        in.run.training["lora"].erase("dtype");
        in.run.notes.emplace_back("torchao's NF4 is estimated as that of bitsandbytes");
    }
}

// Its modes of recomputation take effect where the usual one is off, and keep it off.
void read_torchtune_checkpointing(Reader& in) {
    const auto mode = in.word({"ac_mode"}, "null"), option = in.word({"ac_option"});
    const bool usual = in.value({"enable_activation_checkpointing"}, false);
    const bool own = mode == "full" || mode == "selective";
    auto& training = in.run.training;
    training["checkpointing"] = usual != own;
    if (usual && own)
        in.run.notes.emplace_back(
            "torchtune recomputes nothing where both enable_activation_checkpointing and ac_mode "
            "are set");
    if (usual || mode != "selective") return;
    if (option == "op")
        training["selective_checkpointing"] = true;
    else if (const auto every = in.value({"ac_option"}, 0); every > 1)
        training["checkpointing_every"] = every;
}

}  // namespace

bool is_axolotl(const YAML::Node& root) {
    return has(root, {"base_model"}) &&
           (has(root, {"micro_batch_size"}) || has(root, {"sequence_len"}));
}

bool read_axolotl(Reader& in) {
    if (!is_axolotl(in.root)) return false;
    auto& run = in.run;
    run.structures.emplace_back("axolotl configuration");
    run.model = in.word({"base_model"});
    in.batch({"micro_batch_size"}, 1);
    in.accumulation({"gradient_accumulation_steps"});
    if (const auto all = in.value({"batch_size"}, std::int64_t{0});
        all > 0 && word_at(in.root, {"gradient_accumulation_steps"}).empty())
        run.accumulation =
            std::max<std::int64_t>(1, all / run.training.at("batch").get<std::int64_t>());
    run.training["sequence_length"] = in.value({"sequence_len"}, 512);
    run.places["sequence_length"] = "sequence_len";
    read_axolotl_precision(in);
    const auto checkpointing = simple(in.word({"gradient_checkpointing"}, "false"));
    run.training["checkpointing"] = checkpointing != "false" && checkpointing != "null";
    for (const char* name : {"activation_checkpointing", "fsdp_activation_checkpointing"})
        if (in.value({"fsdp_config", name}, false)) run.training["checkpointing"] = true;
    if (checkpointing.starts_with("offload") || checkpointing == "unsloth")
        in.unmodelled({"gradient_checkpointing"},
                      "activations on the CPU are not modelled; --checkpointing gives an upper "
                      "limit",
                      "--checkpointing");
    in.clip(in.value({"max_grad_norm"}, 1.0) > 0);
    read_axolotl_attention(in);
    read_axolotl_sharding(in);
    read_axolotl_loss(in);
    read_axolotl_method(in);
    if (asks(in, "sample_packing") || asks(in, "batch_flattening")) run.training["packed"] = true;
    read_axolotl_adapters(in);
    read_optimizer(in, {"optimizer"}, in.word({"optimizer"}, "adamw_torch_fused"));
    widen_fsdp1(in);
    read_unfrozen(in);
    read_ray(in);
    in.name_rest({}, {"axolotl"});
    return true;
}

bool is_torchtune(const YAML::Node& root) {
    return word_at(root, {"model", "_component_"}).starts_with("torchtune.") ||
           word_at(root, {"policy_model", "_component_"}).starts_with("torchtune.");
}

bool read_torchtune(Reader& in) {
    if (!is_torchtune(in.root)) return false;
    auto& run = in.run;
    run.structures.emplace_back("torchtune configuration");
    // By what its other recipes read.
    if (!has(in.root, {"optimizer"}) && !has(in.root, {"reward_functions"})) {
        run.unmodelled.push_back(
            {"",
             "the file has no optimizer: it evaluates, generates or quantizes, and trains "
             "nothing; give the configuration of the training"});
        return true;
    }
    run.shards_by = "fsdp";
    const auto component = in.word({"model", "_component_"});
    const auto builder = component.substr(component.rfind('.') + 1);
    run.model = torchtune_model(builder);
    in.batch({"batch_size"});
    in.accumulation({"gradient_accumulation_steps"});
    const auto dtype = in.word({"dtype"}, "fp32");
    run.training["precision"] = dtype == "bf16" ? "bf16" : "fp32";
    read_torchtune_checkpointing(in);
    if (const auto length = in.value({"tokenizer", "max_seq_len"}, 0); length > 0) {
        run.training["sequence_length"] = length;
        run.places["sequence_length"] = "tokenizer.max_seq_len";
    }
    run.training["packed"] = in.value({"dataset", "packed"}, false);
    in.clip(in.value({"clip_grad_norm"}, 0.0) > 0);
    if (in.value({"optimizer_in_bwd"}, false)) run.training["optimizer_in_backward"] = true;
    // Its recipes for several GPUs shard; only the launcher says how many there are.
    for (const char* key : {"fsdp_cpu_offload", "fsdp_reshard_after_forward",
                            "custom_sharded_layers", "tensor_parallel_dim"})
        if (has(in.root, {key}))
            in.shard(in.value({"fsdp_reshard_after_forward"}, true) ? "fsdp" : "fsdp_grad_op", 0,
                     {key});
    if (in.value({"fsdp_cpu_offload"}, false)) in.offload("none", "cpu");
    const auto copies = in.value({"data_parallel_replicate_dim"}, std::int64_t{1});
    const auto shards = in.value({"data_parallel_shard_dim"}, std::int64_t{-1});
    if (copies > 1 || shards > 1)
        in.shard("fsdp", shards > 1 ? copies * shards : 0, {"data_parallel_shard_dim"});
    if (copies > 1) in.replicas(copies);
    const auto loss = word_at(in.root, {"loss", "_component_"});
    if (loss.find("rlhf") != std::string::npos)
        in.unmodelled({"loss", "_component_"},
                      std::string("torchtune's pairs of answers and further models are not "
                                  "modelled; the nearest that is: estimate --method ") +
                          (loss.ends_with("DPOLoss")   ? "dpo --whole-logits"
                           : loss.ends_with("PPOLoss") ? "ppo"
                                                       : "grpo"));
    run.notes.emplace_back(
        "torchtune's own model and loss keep less than those of transformers, "
        "which are estimated");
    if (scalar_at(in.root, {"tensor_parallel_dim"}, 1) <= 1) in.node({"tensor_parallel_plan"});
    read_torchtune_adapters(in, builder);
    const auto optimizer = in.word({"optimizer", "_component_"}, "torch.optim.AdamW");
    read_optimizer(in, {"optimizer", "_component_"}, optimizer);
    if (in.value({"optimizer", "fused"}, false))
        run.training["optimizer_kernel"] = "fused";
    else if (optimizer.starts_with("torch.") && run.training.value("optimizer", "") == "adamw")
        run.training["optimizer_kernel"] =
            in.value({"optimizer", "foreach"}, true) ? "foreach" : "single";
    in.name_rest({}, {"torchtune"});
    return true;
}

}  // namespace plimsoll::jobs::training_config
