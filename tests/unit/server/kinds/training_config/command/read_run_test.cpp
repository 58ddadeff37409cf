// What `show-config` reads in configurations, and what it names because it does not read it.
#include "server/kinds/training_config/command/configs/configured_run.hpp"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

namespace plimsoll::jobs::training_config {
namespace {

using ::testing::HasSubstr;

ConfiguredRun run_of(const std::string& text) {
    ConfiguredRun run;
    const auto read = read_run(text, run);
    EXPECT_TRUE(read) << text;
    return run;
}

std::string unmodelled(const std::string& text) {
    std::string all;
    for (const auto& one : run_of(text).unmodelled) all += one.text + "\n";
    return all;
}

std::string notes(const std::string& text) {
    return fmt::format("{}", fmt::join(run_of(text).notes, "\n"));
}

const std::string kTrainer = "per_device_train_batch_size: 2\nnum_train_epochs: 1\n";
const std::string kFactory = kTrainer + "template: qwen3\ncutoff_len: 2048\nbf16: true\n";
const std::string kTrl = kTrainer + "dataset_text_field: text\n";
const std::string kAccelerate = "compute_environment: LOCAL_MACHINE\nnum_processes: 4\n";
const std::string kLightning = "data: {batch_size: 4}\ntrainer: {max_epochs: 1, ";
const std::string kAxolotl =
    "base_model: meta-llama/Llama-3.1-8B\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\n"
    "sequence_len: 4096\nbf16: auto\ngradient_checkpointing: true\n";

TEST(ReadRun, NamesTrainersThatAreNotModelled) {
    for (const auto* stage : {"rm", "ppo"})
        EXPECT_THAT(unmodelled(kFactory + "stage: " + stage + "\n"),
                    HasSubstr("stage is " + std::string(stage) + ": a reward model"));
    for (const auto* stage : {"sft", "pt"})
        EXPECT_EQ(unmodelled(kFactory + "stage: " + stage + "\n"), "");
    EXPECT_THAT(unmodelled(kFactory + "stage: dpo\nref_model: other\n"), HasSubstr("ref_model"));
    EXPECT_THAT(unmodelled(kTrl + "normalize_advantages: true\n"), HasSubstr("generates answers"));
    EXPECT_THAT(unmodelled(kTrl + "num_generations: 8\nuse_vllm: true\n"),
                HasSubstr("vLLM beside the trainer"));
    EXPECT_THAT(unmodelled(kTrl + "cpo_alpha: 1\n"), HasSubstr("CPO"));
    for (const auto* rl : {"grpo", "simpo"})
        EXPECT_THAT(unmodelled(kAxolotl + "rl: " + rl + "\n"), HasSubstr("rl is")) << rl;
}

TEST(ReadRun, ReadsWhichTrainerOfPreferencesRuns) {
    const auto method = [](const std::string& text) {
        const auto run = run_of(text);
        EXPECT_EQ(run.preference, "") << text;
        return run.training.value("method", "");
    };
    for (const auto* sign : {"loss_type: sigmoid", "loss_type: [sigmoid, sft]", "ld_alpha: 0.5",
                             "f_divergence_type: reverse_kl"})
        EXPECT_EQ(method(kTrl + "beta: 0.1\n" + sign + "\n"), "dpo") << sign;
    EXPECT_EQ(method(kTrl + "beta: 0.1\ndesirable_weight: 1.0\n"), "kto");
    EXPECT_EQ(method(kTrl + "center_rewards_coefficient: 0.01\n"), "reward");
    EXPECT_EQ(method(kTrl + "loss_type: nll\n"), "");
    EXPECT_EQ(method(kFactory + "stage: kto\n"), "kto");
    EXPECT_EQ(method(kAxolotl + "rl: ipo\n"), "dpo");
    EXPECT_EQ(method(kAxolotl + "rl: orpo\n"), "orpo");
    const auto grpo = run_of(kTrl +
                             "num_generations: 8\nmax_completion_length: 256\nbeta: 0.04\n"
                             "use_vllm: true\nvllm_mode: server\n");
    EXPECT_EQ(grpo.training["method"], "grpo");
    EXPECT_EQ(grpo.training["sequence_length"], 768);
    EXPECT_EQ(grpo.training["target_length"], 256);
    EXPECT_EQ(grpo.training["reference"], "model");
    EXPECT_EQ(grpo.training["generation"], "vllm");
    EXPECT_TRUE(grpo.unmodelled.empty());
    // The same keys are those of several trainers.
    EXPECT_EQ(run_of(kTrl + "beta: 0.1\nmax_prompt_length: 512\n").preference, "beta is 0.1");
}

TEST(ReadRun, ReadsWhatPreferencesAreComparedWith) {
    const auto known = run_of(kTrl + "ld_alpha: 1\nprecompute_ref_log_probs: true\n").training;
    EXPECT_EQ(known["reference"], "none");
    EXPECT_FALSE(known.contains("whole_logits"));
    const auto factory = run_of(kFactory + "stage: dpo\npref_loss: orpo\n").training;
    EXPECT_EQ(factory["reference"], "none");
    EXPECT_EQ(factory["whole_logits"], true);
    EXPECT_FALSE(run_of(kFactory + "stage: dpo\n").training.contains("reference"));
}

TEST(ReadRun, ReadsLlamaFactorysAdapters) {
    const auto usual = run_of(kFactory + "stage: sft\nfinetuning_type: lora\n").training;
    EXPECT_EQ(usual["lora"]["rank"], 8);
    EXPECT_EQ(usual["lora"]["targets"], "all_linear");
    const auto named = run_of(kFactory + "lora_rank: 32\nlora_target: q_proj,v_proj\n").training;
    EXPECT_EQ(named["lora"]["rank"], 32);
    EXPECT_EQ(named["lora"]["modules"], nlohmann::json({"q_proj", "v_proj"}));
    EXPECT_FALSE(
        run_of(kFactory + "finetuning_type: full\nlora_rank: 8\n").training.contains("lora"));
    EXPECT_EQ(run_of(kFactory + "quantization_bit: 4\n").training["quantization"], "nf4_double");
    EXPECT_EQ(run_of(kFactory + "quantization_bit: 4\ndouble_quantization: false\n")
                  .training["quantization"],
              "nf4");
    EXPECT_EQ(run_of(kFactory + "quantization_bit: 8\n").training["quantization"], "int8");
    EXPECT_THAT(unmodelled(kFactory + "quantization_bit: 3\n"), HasSubstr("quantization_bit is 3"));
    EXPECT_EQ(run_of(kFactory + "flash_attn: fa2\n").training["attention"], "flash_attention_2");
    EXPECT_EQ(run_of(kFactory + "enable_liger_kernel: true\n").training["fused_loss"], true);
    for (const auto* other : {"finetuning_type: freeze", "use_galore: true", "use_apollo: true",
                              "use_badam: true", "use_adam_mini: true", "use_muon: true",
                              "fp8: true", "additional_target: embed_tokens", "use_unsloth: true"})
        EXPECT_THAT(unmodelled(kFactory + other), HasSubstr("modelled")) << other;
}

TEST(ReadRun, ReadsAdaptersThatTrlMakesByDefault) {
    EXPECT_EQ(run_of(kTrl + "use_peft: true\n").training["lora"]["rank"], 16);
    EXPECT_EQ(run_of(kTrl + "use_peft: true\nlora_r: 4\n").training["lora"]["rank"], 4);
    EXPECT_FALSE(run_of(kTrl).training.contains("lora"));
    EXPECT_FALSE(run_of(kTrl + "use_peft: false\nlora_r: 4\n").training.contains("lora"));
    EXPECT_THAT(unmodelled(kTrainer + "lora: {r: 8, modules_to_save: [embed_tokens]}\n"),
                HasSubstr("lora.modules_to_save is set"));
}

TEST(ReadRun, ReadsFsdpsVariants) {
    const auto sharding = [](const std::string& text) { return run_of(text).cluster["sharding"]; };
    EXPECT_EQ(sharding(kTrainer + "fsdp: [full_shard, auto_wrap]\n"), "fsdp");
    EXPECT_EQ(sharding(kTrainer + "fsdp: no_shard\n"), "ddp");
    for (const auto* word : {"shard_grad_op auto_wrap", "hybrid_shard"})
        EXPECT_THAT(unmodelled(kTrainer + "fsdp: " + word + "\n"), HasSubstr("is not modelled"));
    EXPECT_EQ(run_of(kTrainer + "fsdp: true\nfsdp_config: {activation_checkpointing: true}\n")
                  .training["checkpointing"],
              true);
    const auto with = [](const std::string& setting) {
        return kAccelerate + "distributed_type: FSDP\nfsdp_config: {" + setting + "}\n";
    };
    EXPECT_EQ(sharding(with("fsdp_sharding_strategy: FULL_SHARD")), "fsdp");
    EXPECT_EQ(sharding(with("fsdp_sharding_strategy: NO_SHARD")), "ddp");
    EXPECT_EQ(sharding(with("fsdp_sharding_strategy: 3")), "ddp");
    for (const auto* other :
         {"fsdp_sharding_strategy: SHARD_GRAD_OP", "fsdp_sharding_strategy: 2",
          "fsdp_sharding_strategy: HYBRID_SHARD", "fsdp_reshard_after_forward: false",
          "fsdp_auto_wrap_policy: NO_WRAP"})
        EXPECT_THAT(unmodelled(with(other)), HasSubstr("modelled")) << other;
    for (const auto& offloads :
         {with("fsdp_offload_params: true"), kTrainer + "fsdp: full_shard offload\n",
          kTrainer + "fsdp: true\nfsdp_config: {cpu_offload: true}\n",
          kAxolotl + "fsdp_config: {offload_params: true}\n",
          kLightning + "devices: 2, strategy: fsdp_cpu_offload}\n"})
        EXPECT_EQ(run_of(offloads).cluster["offload"], "parameters") << offloads;
    EXPECT_THAT(unmodelled(kAccelerate + "distributed_type: MEGATRON_LM\n"),
                HasSubstr("distributed_type is MEGATRON_LM"));
    EXPECT_THAT(unmodelled(kAccelerate + "parallelism_config: {tp_size: 2}\n"),
                HasSubstr("parallelism"));
}

TEST(ReadRun, ReadsDeepSpeedWithinAnotherFileAndByItsName) {
    const auto inside = run_of(kTrainer + "deepspeed: {zero_optimization: {stage: 3}}\n");
    EXPECT_EQ(inside.cluster["sharding"], "zero3");
    EXPECT_EQ(run_of(kTrainer + "deepspeed: {gradient_accumulation_steps: auto, bf16: {}, "
                                "zero_optimization: {stage: 3}}\n")
                  .cluster["sharding"],
              "zero3");
    EXPECT_EQ(run_of(kTrainer + "deepspeed: ds_z3.json\n").deepspeed, "ds_z3.json");
    const auto zero = [](const std::string& setting) {
        return R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2, )" +
               setting + "}}";
    };
    EXPECT_EQ(run_of(zero(R"("cpu_offload": true)")).cluster["offload"], "optimizer");
    EXPECT_EQ(unmodelled(zero(R"("reduce_bucket_size": 5e8, "overlap_comm": true)")), "");
    EXPECT_EQ(unmodelled(zero(R"("reduce_bucket_size": "auto")")), "");
    EXPECT_THAT(unmodelled(zero(R"("reduce_bucket_size": 2e9)")), HasSubstr("reduce_bucket_size"));
    EXPECT_THAT(unmodelled(zero(R"("zero_hpz_partition_size": 8)")), HasSubstr("second division"));
    EXPECT_THAT(unmodelled(R"({"train_micro_batch_size_per_gpu": 1,
                               "optimizer": {"type": "OneBitAdam"}})"),
                HasSubstr("optimizer.type is OneBitAdam"));
}

TEST(ReadRun, ReadsLightningsDevicesAndStrategies) {
    const auto cluster = [](const std::string& settings) {
        return run_of(kLightning + settings + "}\n").cluster;
    };
    for (const auto* four : {"4", "'4'", "[0, 1, 2, 3]", "'0,1,2,3'"})
        EXPECT_EQ(cluster(std::string("devices: ") + four)["cards"], 4) << four;
    for (const auto* all : {"-1", "auto", "'-1'"}) {
        EXPECT_EQ(cluster(std::string("devices: ") + all)["sharding"], "ddp") << all;
        EXPECT_FALSE(cluster(std::string("devices: ") + all).contains("cards")) << all;
    }
    EXPECT_EQ(cluster("devices: 4, num_nodes: 2")["cards"], 8);
    EXPECT_TRUE(cluster("devices: 1").is_null());
    EXPECT_EQ(cluster("devices: 2, strategy: deepspeed_stage_3_offload")["offload"], "parameters");
    EXPECT_EQ(
        cluster("devices: 2, strategy: {class_path: lightning.pytorch.strategies.FSDPStrategy}")
            ["sharding"],
        "fsdp");
    EXPECT_EQ(cluster("devices: 2, strategy: {_target_: lightning.pytorch.strategies."
                      "DeepSpeedStrategy, stage: 1}")["sharding"],
              "zero1");
    for (const auto* other :
         {"precision: 16-true", "precision: transformer-engine", "accelerator: cpu",
          "strategy: model_parallel", "plugins: [bnb]", "accumulate_grad_batches: {0: 8}"})
        EXPECT_THAT(unmodelled(kLightning + other + "}\n"), HasSubstr(":")) << other;
    EXPECT_EQ(unmodelled(kLightning + "precision: bf16-mixed, accelerator: gpu}\n"), "");
}

TEST(ReadRun, NamesWhatChangesLittleAndWhatIsUnknown) {
    EXPECT_THAT(notes(kTrainer + "torch_compile: true\n"), HasSubstr("28 % high"));
    EXPECT_EQ(notes(kTrainer + "torch_compile: false\n"), "");
    EXPECT_THAT(unmodelled(kTrainer + "optim: lion_8bit\n"), HasSubstr("optim is lion_8bit"));
    EXPECT_EQ(run_of(kTrainer + "logging_steps: 1\nmystery: 3\nhidden: {a: 1}\n").unknown,
              (std::vector<std::string>{"mystery", "hidden"}));
    EXPECT_EQ(run_of("per_gpu_train_batch_size: 3\ngradient_accumulation_steps: 2\n"
                     "num_train_epochs: 1\n")
                  .training["batch"],
              3);
}

TEST(ReadRun, ReadsAxolotlsConfiguration) {
    const auto run =
        run_of(kAxolotl +
               "adapter: qlora\nload_in_4bit: true\nlora_r: 32\nlora_dropout: 0.05\n"
               "lora_target_linear: true\nsample_packing: true\nflash_attention: true\n"
               "optimizer: paged_adamw_8bit\ndeepspeed: ds.json\n");
    EXPECT_EQ(run.structures, std::vector<std::string>{"axolotl configuration"});
    EXPECT_EQ(run.training, nlohmann::json::parse(R"({"batch": 2, "sequence_length": 4096,
        "precision": "bf16", "checkpointing": true, "optimizer": "paged_adamw_8bit", "clip": true,
        "attention": "flash_attention_2", "packed": true, "quantization": "nf4_double",
        "lora": {"rank": 32, "dropout": 0.05, "targets": "all_linear"}})"));
    EXPECT_EQ(run.accumulation, 4);
    EXPECT_EQ(run.model, "meta-llama/Llama-3.1-8B");
    EXPECT_EQ(run.deepspeed, "ds.json");
    EXPECT_TRUE(run.unmodelled.empty() && run.unknown.empty());
    EXPECT_FALSE(run_of(kAxolotl).training.contains("lora"));
    EXPECT_EQ(run_of(kAxolotl + "cut_cross_entropy: true\n").training["fused_loss"], true);
    const auto plugin = kAxolotl + "plugins: [axolotl.integrations.x.CutCrossEntropyPlugin]\n";
    EXPECT_EQ(run_of(plugin).training["fused_loss"], true);
    EXPECT_FALSE(run_of(plugin + "cut_cross_entropy: false\n").training.contains("fused_loss"));
}

TEST(ReadRun, ReadsAxolotlsKernelsAndWeightsInFp16) {
    const std::string lora =
        "base_model: a\nmicro_batch_size: 1\nadapter: lora\nlora_r: 8\nlora_mlp_kernel: true\n"
        "lora_qkv_kernel: true\nlora_o_kernel: true\n";
    const auto half = run_of(lora + "fp16: true\n").training;
    EXPECT_EQ(half["precision"], "fp16");
    EXPECT_EQ(half["fused_adapters"], true);
    for (const auto* other : {"lora_dropout: 0.05", "load_in_8bit: true", "bf16: false"})
        EXPECT_FALSE(run_of(lora + other + "\n").training.contains("fused_adapters")) << other;
    EXPECT_EQ(run_of("base_model: a\nmicro_batch_size: 1\nfp16: true\n").training["precision"],
              "fp16_autocast");
}

TEST(ReadRun, NamesPatternsOfLayers) {
    EXPECT_THAT(unmodelled(kAxolotl + "adapter: lora\nlora_target_modules: "
                                      "'model.layers.[\\d]+.(mlp|self_attn).(up|down)_proj'\n"),
                HasSubstr("a pattern of names"));
    EXPECT_EQ(unmodelled(kAxolotl + "val_set_size: 0.1\nfsdp_config: {sharding_strategy: "
                                    "FULL_SHARD, activation_checkpointing: true}\n"),
              "");
}

TEST(ReadRun, NamesWhatOfAxolotlIsNotModelled) {
    for (const auto* setting :
         {"rl: grpo", "process_reward_model: true", "adapter: llama-adapter",
          "gradient_checkpointing: offload", "fp8: true", "context_parallel_size: 2",
          "optimizer: muon", "unfrozen_parameters: [lm_head]"}) {
        const std::string name(setting, std::string_view(setting).find(':'));
        auto text = kAxolotl;
        if (name == "gradient_checkpointing") text.resize(text.find("gradient_checkpointing"));
        EXPECT_THAT(unmodelled(text + setting + "\n"), HasSubstr(name)) << setting;
    }
    EXPECT_THAT(notes(kAxolotl + "lora_embedding_kernel: true\n"), HasSubstr("than estimated"));
}

const std::string kTorchtune =
    "tokenizer: {_component_: torchtune.models.llama3.llama3_tokenizer, max_seq_len: 2048}\n"
    "batch_size: 2\ndtype: bf16\nenable_activation_checkpointing: true\n"
    "optimizer: {_component_: torch.optim.AdamW, fused: true}\n";

TEST(ReadRun, ReadsTorchtunesConfiguration) {
    const auto run = run_of(kTorchtune +
                            "model:\n  _component_: torchtune.models.llama3_1.lora_llama3_1_8b\n"
                            "  lora_attn_modules: [q_proj, v_proj, output_proj]\n"
                            "  apply_lora_to_mlp: true\n  lora_rank: 8\n  lora_alpha: 16\n");
    EXPECT_EQ(run.model, "llama-3.1-8b");
    EXPECT_EQ(run.training, nlohmann::json::parse(R"({"batch": 2, "sequence_length": 2048,
        "precision": "bf16", "checkpointing": true, "optimizer": "adamw",
        "optimizer_kernel": "fused", "clip": false, "packed": false,
        "lora": {"rank": 8, "dtype": "model", "dropout": 0.0, "modules": ["q_proj", "v_proj",
                 "o_proj", "gate_proj", "up_proj", "down_proj"]}})"));
    EXPECT_TRUE(run.unmodelled.empty() && run.unknown.empty());
    const auto full = "model: {_component_: torchtune.models.llama2.llama2_7b}\n" + kTorchtune;
    EXPECT_EQ(run_of(full).model, "llama-2-7b");
    EXPECT_EQ(run_of(full + "optimizer_in_bwd: true\n").training["optimizer_in_backward"], true);
    EXPECT_THAT(unmodelled(full + "loss: {_component_: torchtune.rlhf.loss.DPOLoss}\n"),
                HasSubstr("reference model"));
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
