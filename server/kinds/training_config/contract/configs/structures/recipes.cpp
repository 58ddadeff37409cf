#include "engine/base/json.hpp"
#include "server/kinds/training_config/contract/configs/structures/planner.hpp"
#include "server/kinds/training_config/contract/configs/structures/reader.hpp"

#include <algorithm>
#include <map>

namespace plimsoll::jobs::training_config {
namespace {

std::string simple(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

// Of bitsandbytes, PyTorch and torchao, by the last part of its name.
void read_optimizer(Reader& in, const Path& place, const std::string& name) {
    static const std::map<std::string, const char*> known = {
        {"adamw", "adamw"},
        {"adamw_torch", "adamw"},
        {"adamw_torch_fused", "adamw"},
        {"sgd", "sgd"},
        {"adafactor", "adafactor"},
        {"adamw8bit", "adam_8bit"},
        {"adamw_8bit", "adam_8bit"},
        {"adamw_bnb_8bit", "adam_8bit"},
        {"adamw_torch_8bit", "adam_8bit"},
        {"pagedadamw", "paged_adamw"},
        {"paged_adamw", "paged_adamw"},
        {"paged_adamw_32bit", "paged_adamw"},
        {"pagedadamw8bit", "paged_adamw_8bit"},
        {"paged_adamw_8bit", "paged_adamw_8bit"}};
    const auto found = known.find(simple(name.substr(name.rfind('.') + 1)));
    if (found == known.end()) return in.unmodelled(place, "this optimizer is not modelled");
    in.run.training["optimizer"] = found->second;
    if (found->first == "adamw_torch") in.run.training["optimizer_kernel"] = "foreach";
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
// GPU, and in fp16 if it asks for that.
void read_axolotl_precision(Reader& in) {
    const auto bf16 = simple(in.word({"bf16"}, "auto"));
    const bool fp16 = asks(in, "fp16");
    const bool half = !fp16 && (bf16 == "auto" || bf16 == "full" || bf16 == "true");
    // Weights in fp16 can only be frozen.
    const bool adapts = !in.word({"adapter"}).empty() && in.word({"adapter"}) != "null";
    in.run.training["precision"] = half             ? "bf16"
                                   : fp16 && adapts ? "fp16"
                                   : fp16           ? "fp16_autocast"
                                                    : "fp32";
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
    if (linear) training["lora"]["targets"] = "all_linear";
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
    if (asks(in, "reward_model")) training["method"] = "reward";
    if (asks(in, "precompute_ref_log_probs")) training["reference"] = "none";
    if (!rl.empty() && rl != "null" && rl != "false" && !training.contains("method"))
        in.unmodelled({"rl"},
                      "of preference and reinforcement tuning, dpo, ipo, kto and orpo are "
                      "modelled");
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
        {"qwen2_5_", "Qwen/Qwen2.5-", "", 'B'},
        {"qwen2_", "Qwen/Qwen2-", "", 'B'}};
    for (const std::string_view method : {"qlora_", "lora_", "dora_", "qdora_"})
        if (builder.starts_with(method)) builder.erase(0, method.size());
    const auto* found = std::ranges::find_if(
        kPublished, [&](const Published& one) { return builder.starts_with(one.builder); });
    if (found == std::end(kPublished)) return builder;
    auto size = builder.substr(found->builder.size());  // "0_5b_instruct"
    std::string tuning;
    for (const std::string_view end : {"_instruct", "_base"}) {
        if (!size.ends_with(end)) continue;
        size.resize(size.size() - end.size());
        if (end == "_instruct") tuning = "-Instruct";
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

}  // namespace

bool is_axolotl(const YAML::Node& root) {
    return has(root, {"base_model"}) && has(root, {"micro_batch_size"});
}

bool is_torchtune(const YAML::Node& root) {
    return word_at(root, {"model", "_component_"}).starts_with("torchtune.") ||
           word_at(root, {"policy_model", "_component_"}).starts_with("torchtune.");
}

// The structure of LLaMA-Factory's new trainer, which holds logits and types of its own.
bool read_llama_factory_1(Reader& in) {
    if (word_at(in.root, {"model"}).empty() || !has(in.root, {"train_dataset"}) ||
        !has(in.root, {"micro_batch_size"}))
        return false;
    in.run.structures.emplace_back("LLaMA-Factory v1 configuration");
    in.run.model = in.word({"model"});
    in.run.unmodelled.push_back(
        {"",
         "the trainer of LLaMA-Factory v1 is not modelled; the nearest that is: estimate --model " +
             in.run.model + " --checkpointing, with --lora RANK, --cards N --sharding fsdp"});
    return true;
}

bool read_axolotl(Reader& in) {
    if (!is_axolotl(in.root)) return false;
    auto& run = in.run;
    run.structures.emplace_back("axolotl configuration");
    run.model = in.word({"base_model"});
    in.batch({"micro_batch_size"}, 1);
    in.accumulation({"gradient_accumulation_steps"});
    run.training["sequence_length"] = in.value({"sequence_len"}, 512);
    run.places["sequence_length"] = "sequence_len";
    read_axolotl_precision(in);
    const auto checkpointing = simple(in.word({"gradient_checkpointing"}, "false"));
    run.training["checkpointing"] = checkpointing != "false" && checkpointing != "null";
    for (const char* name : {"activation_checkpointing", "fsdp_activation_checkpointing"})
        if (in.value({"fsdp_config", name}, false)) run.training["checkpointing"] = true;
    if (checkpointing.starts_with("offload") || checkpointing == "unsloth")
        in.unmodelled({"gradient_checkpointing"}, "activations on the CPU are not modelled");
    const auto optimizer = in.word({"optimizer"}, "adamw_torch_fused");
    read_optimizer(in, {"optimizer"}, optimizer);
    in.clip(in.value({"max_grad_norm"}, 1.0) > 0);
    read_axolotl_attention(in);
    read_axolotl_sharding(in);
    read_axolotl_loss(in);
    read_axolotl_method(in);
    if (asks(in, "sample_packing") || asks(in, "batch_flattening")) run.training["packed"] = true;
    read_axolotl_adapters(in);
    in.name_rest({}, {"axolotl"});
    return true;
}

bool read_torchtune(Reader& in) {
    if (!is_torchtune(in.root)) return false;
    auto& run = in.run;
    run.structures.emplace_back("torchtune configuration");
    const auto component = in.word({"model", "_component_"});
    const auto builder = component.substr(component.rfind('.') + 1);
    run.model = torchtune_model(builder);
    in.batch({"batch_size"});
    in.accumulation({"gradient_accumulation_steps"});
    const auto dtype = in.word({"dtype"}, "fp32");
    run.training["precision"] = dtype == "bf16" ? "bf16" : "fp32";
    run.training["checkpointing"] = in.value({"enable_activation_checkpointing"}, false);
    if (const auto length = in.value({"tokenizer", "max_seq_len"}, 0); length > 0) {
        run.training["sequence_length"] = length;
        run.places["sequence_length"] = "tokenizer.max_seq_len";
    }
    run.training["packed"] = in.value({"dataset", "packed"}, false);
    read_optimizer(in, {"optimizer", "_component_"},
                   in.word({"optimizer", "_component_"}, "adamw"));
    if (in.value({"optimizer", "fused"}, false)) run.training["optimizer_kernel"] = "fused";
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
    if (word_at(in.root, {"loss", "_component_"}).find("rlhf") != std::string::npos)
        in.unmodelled({"loss", "_component_"},
                      "pairs of answers and a reference model are not modelled");
    run.notes.emplace_back(
        "torchtune's own model and loss keep less than those of transformers, "
        "which are estimated");
    read_torchtune_adapters(in, builder);
    in.name_rest({}, {"torchtune"});
    return true;
}

}  // namespace plimsoll::jobs::training_config
