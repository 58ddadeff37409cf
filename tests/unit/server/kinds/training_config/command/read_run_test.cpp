// What `show-config` reads in configurations, and what it names because it does not read it.
#include "tests/unit/server/kinds/training_config/command/read_run.hpp"

namespace plimsoll::jobs::training_config {
namespace {

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
    EXPECT_THAT(unmodelled(kTrl + "loss_type: apo_zero\npadding_free: true\n"),
                HasSubstr("padding_free is true: answers"));
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
    EXPECT_TRUE(run_of(kFactory + "stage: dpo\n").layers_reference);
    EXPECT_FALSE(run_of(kTrl + "ld_alpha: 1\n").layers_reference) << "TRL's own has one unit";
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
    for (const auto* other :
         {"finetuning_type: freeze", "use_galore: true", "use_apollo: true", "use_badam: true",
          "use_adam_mini: true", "use_muon: true", "fp8_backend: te",
          "additional_target: embed_tokens", "use_unsloth: true"})
        EXPECT_THAT(unmodelled(kFactory + other), HasSubstr("modelled")) << other;
    EXPECT_EQ(run_of(kFactory + "fp8: true\n").training["fp8"], true);
}

TEST(ReadRun, KnowsTrlByTheKeysOfItsExamples) {
    for (const auto* key : {"dataset_num_proc: 12", "dataset_mixture: {datasets: []}",
                            "dataset_mixer: {a/b: 1.0}", "dataset_kwargs: {}"})
        EXPECT_EQ(run_of(kTrainer + key + "\n").training["checkpointing"], true) << key;
}

TEST(ReadRun, ReadsAdaptersThatTrlMakesByDefault) {
    EXPECT_EQ(run_of(kTrl + "use_peft: true\n").training["lora"]["rank"], 16);
    EXPECT_EQ(run_of(kTrl + "use_peft: true\nlora_r: 4\n").training["lora"]["rank"], 4);
    EXPECT_FALSE(run_of(kTrl).training.contains("lora"));
    EXPECT_FALSE(run_of(kTrl + "use_peft: false\nlora_r: 4\n").training.contains("lora"));
    EXPECT_THAT(unmodelled(kTrainer + "lora: {r: 8, modules_to_save: [embed_tokens]}\n"),
                HasSubstr("lora.modules_to_save is set"));
}

// Transformers 5 loads the checkpoint's type, and LLaMA-Factory the type that it computes in.
TEST(ReadRun, KeepsFrozenWeightsInSixteenBits) {
    const auto precision = [](const std::string& text) {
        return run_of(text).training["precision"];
    };
    const std::string factory = kTrainer + "template: qwen3\ncutoff_len: 2048\n";
    EXPECT_EQ(precision(factory + "fp16: true\n"), "auto");
    EXPECT_THAT(notes(factory + "fp16: true\n"), HasSubstr("fp16 is estimated as bf16"));
    EXPECT_EQ(precision(factory), "bf16");
    EXPECT_EQ(precision(factory + "fp16: true\nquantization_bit: 4\n"), "fp16_autocast");
    EXPECT_EQ(precision(factory + "fp16: true\nfinetuning_type: full\n"), "fp16_autocast");
    EXPECT_EQ(precision(factory + "finetuning_type: full\n"), "fp32");
    EXPECT_EQ(precision(kTrainer + "fp16: true\nlora_r: 8\n"), "auto");
    EXPECT_EQ(precision(kTrainer + "fp16: true\nlora_r: 8\ntorch_dtype: float32\n"),
              "fp16_autocast");
    EXPECT_EQ(precision(kTrainer + "fp16: true\n"), "fp16_autocast");
}

TEST(ReadRun, NamesWhatIsOffThoughItIsUsuallyOn) {
    EXPECT_EQ(notes(kAxolotl + "peft_autocast_adapter_dtype: true\n"), "");
    EXPECT_THAT(notes(kAxolotl + "peft_autocast_adapter_dtype: false\n"), HasSubstr("is false"));
    EXPECT_EQ(unmodelled(kFactory + "freeze_vision_tower: true\n"), "");
    EXPECT_THAT(unmodelled(kFactory + "freeze_vision_tower: false\n"), HasSubstr("is false"));
}

TEST(ReadRun, NamesWhatLlamaFactoryTrainsBesideAdapters) {
    for (const auto* key : {"resize_vocab: true", "add_tokens: <a>"}) {
        EXPECT_THAT(unmodelled(kFactory + key + "\n"), HasSubstr("the embeddings are trained"));
        EXPECT_EQ(unmodelled(kFactory + "finetuning_type: full\n" + key + "\n"), "");
    }
    EXPECT_EQ(unmodelled(kFactory + "quantization_bit: 4\nquantization_method: bitsandbytes\n"),
              "");
}

TEST(ReadRun, NamesEvaluationInLargerBatches) {
    EXPECT_THAT(notes(kTrainer + "eval_strategy: steps\n"),
                HasSubstr("per_device_eval_batch_size is 8: evaluation is not modelled"));
    EXPECT_EQ(notes(kTrainer + "eval_strategy: steps\nper_device_eval_batch_size: 2\n"), "");
    EXPECT_EQ(notes(kTrainer), "");
}

TEST(ReadRun, NamesTextsOfAnyLength) {
    EXPECT_THAT(notes(kTrl + "max_length: null\n"), HasSubstr("1024 tokens are assumed"));
    EXPECT_EQ(run_of(kTrl).training["sequence_length"], 1024);
}

TEST(ReadRun, ReadsAttentionByTheNamesOfKernels) {
    const auto attention = [](const std::string& kind) {
        return run_of(kTrainer + "attn_implementation: " + kind + "\n")
            .training.value("attention", "");
    };
    for (const auto* flash :
         {"flash_attention_2", "flash_attention_3", "kernels-community/flash-attn2"})
        EXPECT_EQ(attention(flash), "flash_attention_2") << flash;
    EXPECT_EQ(attention("flex_attention"), "");
    EXPECT_THAT(notes(kTrainer + "attn_implementation: flex_attention\n"),
                HasSubstr("flex_attention is estimated as sdpa"));
}

TEST(ReadRun, RefusesWhatTheLibrariesRefuseTogether) {
    EXPECT_THAT(unmodelled(kTrainer + "bf16: true\nfp16: true\n"), HasSubstr("beside bf16"));
    EXPECT_EQ(unmodelled(kTrainer + "fp16: false\n"), "");
    EXPECT_THAT(
        unmodelled(kTrainer +
                   "gradient_checkpointing: true\nfsdp_config: {activation_checkpointing: true}\n"),
        HasSubstr("fsdp_config.activation_checkpointing is true: beside"));
    EXPECT_THAT(unmodelled(kAxolotl + "deepspeed: zero3.json\nfsdp: [full_shard]\n"),
                HasSubstr("axolotl refuses"));
}

TEST(ReadRun, NamesWhatChangesLittleAndWhatIsUnknown) {
    EXPECT_EQ(run_of(kTrainer + "torch_compile: true\n").training["compile"], true);
    EXPECT_FALSE(run_of(kTrainer + "torch_compile: false\n").training.contains("compile"));
    EXPECT_THAT(unmodelled(kTrainer + "optim: lion_8bit\n"), HasSubstr("optim is lion_8bit"));
    EXPECT_EQ(run_of(kTrainer + "activation_checkpointing_kwargs: {every_n_layers: 2}\n")
                  .training["checkpointing_every"],
              2);
    EXPECT_EQ(unmodelled(kTrainer + "gradient_checkpointing_kwargs: {use_reentrant: false}\n"), "");
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

TEST(ReadRun, ReadsPatternsOfLayers) {
    const auto adapted = [](const std::string& pattern) {
        return kAxolotl + "adapter: lora\nlora_target_modules: '" + pattern + "'\n";
    };
    const auto lora = [&](const std::string& pattern) {
        return run_of(adapted(pattern)).training["lora"];
    };
    EXPECT_EQ(lora("model.layers.[\\d]+.(mlp|self_attn).(up|down)_proj")["modules"],
              json::parse(R"(["up_proj", "down_proj"])"));
    EXPECT_EQ(lora("model.language_model.layers.[\\d]+.(_checkpoint_wrapped_module.)?(mlp|"
                   "cross_attn|self_attn).(up|down|gate|q|k|v|o)_proj")["targets"],
              "all_linear");
    EXPECT_EQ(lora(".*\\.(q|v)_proj")["modules"], json::parse(R"(["q_proj", "v_proj"])"));
    EXPECT_THAT(unmodelled(adapted(".*layers.(3|7|11).self_attn.(q|v)_proj")),
                HasSubstr("on some layers only"));
    for (const std::string never : {"*", "vision.*", "(a|b){1,9}", ".*(", "(.*)*\\1"})
        EXPECT_THAT(unmodelled(adapted(never)), HasSubstr("pattern of names")) << never;
    // A name of 40 letters would take years where every way is tried.
    EXPECT_THAT(unmodelled(adapted("((([a-z_.0-9]*)*)*)*!")), HasSubstr("pattern of names"));
}

TEST(ReadRun, ReadsTorchaosOptimizerAndNamesLlamaFactorysNewTrainer) {
    EXPECT_EQ(run_of(kAxolotl + "optimizer: adamw_torch_8bit\n").training["optimizer"],
              "adam_8bit");
    EXPECT_EQ(run_of(kTrl + "optim: adamw_torch_8bit\n").training["optimizer"], "adam_8bit");
    EXPECT_THAT(unmodelled("model: Qwen/Qwen3-4B\ntrain_dataset: d.yaml\nmicro_batch_size: 1\n"),
                HasSubstr("the trainer of LLaMA-Factory v1 is not modelled"));
}

TEST(ReadRun, ReadsAxolotlsShards) {
    EXPECT_EQ(unmodelled(kAxolotl + "val_set_size: 0.1\nfsdp_config: {sharding_strategy: "
                                    "FULL_SHARD, activation_checkpointing: true}\n"),
              "");
}

TEST(ReadRun, NamesWhatOfAxolotlIsNotModelled) {
    for (const auto* setting : {"rl: grpo", "process_reward_model: true", "adapter: llama-adapter",
                                "gradient_checkpointing: offload", "context_parallel_size: 2",
                                "optimizer: muon", "unfrozen_parameters: [lm_head]"}) {
        const std::string name(setting, std::string_view(setting).find(':'));
        auto text = kAxolotl;
        if (name == "gradient_checkpointing") text.resize(text.find("gradient_checkpointing"));
        EXPECT_THAT(unmodelled(text + setting + "\n"), HasSubstr(name)) << setting;
    }
    EXPECT_THAT(notes(kAxolotl + "lora_embedding_kernel: true\n"), HasSubstr("than estimated"));
    EXPECT_EQ(run_of(kAxolotl + "fp8: true\n").training["fp8"], true);
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
    EXPECT_EQ(run.model, "meta-llama/Llama-3.1-8B");
    EXPECT_EQ(run.training, nlohmann::json::parse(R"({"batch": 2, "sequence_length": 2048,
        "precision": "bf16", "checkpointing": true, "optimizer": "adamw",
        "optimizer_kernel": "fused", "clip": false, "packed": false,
        "lora": {"rank": 8, "dtype": "model", "dropout": 0.0, "modules": ["q_proj", "v_proj",
                 "o_proj", "gate_proj", "up_proj", "down_proj"]}})"));
    EXPECT_TRUE(run.unmodelled.empty() && run.unknown.empty());
    const auto full = "model: {_component_: torchtune.models.llama2.llama2_7b}\n" + kTorchtune;
    EXPECT_EQ(run_of(full).model, "meta-llama/Llama-2-7b-hf");
    for (const auto& [builder, model] :
         {std::pair("qwen2_5.qlora_qwen2_5_0_5b", "Qwen/Qwen2.5-0.5B"),
          std::pair("qwen2_5.qwen2_5_7b_instruct", "Qwen/Qwen2.5-7B-Instruct"),
          std::pair("phi3.lora_phi3_mini", "microsoft/Phi-3-mini-4k-instruct"),
          std::pair("gemma2.gemma2_9b", "google/gemma-2-9b")})
        EXPECT_EQ(run_of(std::string("model: {_component_: torchtune.models.") + builder + "}\n" +
                         kTorchtune)
                      .model,
                  model);
    EXPECT_TRUE(run_of(full).cluster.is_null());
    const auto sharded = run_of(full + "custom_sharded_layers: [output]\nfsdp_cpu_offload: true\n");
    EXPECT_EQ(sharded.cluster, (nlohmann::json{{"sharding", "fsdp"}, {"offload", "parameters"}}));
    EXPECT_EQ(run_of(full + "optimizer_in_bwd: true\n").training["optimizer_in_backward"], true);
    EXPECT_THAT(unmodelled(full + "loss: {_component_: torchtune.rlhf.loss.DPOLoss}\n"),
                HasSubstr("reference model"));
}

TEST(ReadRun, ReadsTorchtitansFiles) {
    const std::string before =
        "# torchtitan\n\n[job]\ndump_folder = \"./outputs\"\n\n[model]\nname = \"llama3\"\nflavor "
        "= "
        "\"70B\"\nconverters = [\n    # none\n]\n\n[training]\nlocal_batch_size = 16  # of a copy\n"
        "seq_len = 8_192\nmax_norm = 1.0\n\n";
    const std::string full = "[activation_checkpoint]\nmode = \"full\"\n\n";
    const auto run = run_of(before + full +
                            "[parallelism]\ndata_parallel_shard_degree = 32\n"
                            "tensor_parallel_degree = 8\npipeline_parallel_degree = 1\n");
    EXPECT_EQ(run.model, "meta-llama/Llama-3.1-70B");
    EXPECT_EQ(
        run.cluster,
        (nlohmann::json{
            {"sharding", "fsdp"}, {"cards", 256}, {"tensor_parallel", 8}, {"fp32_reduce", true}}));
    EXPECT_EQ(run.training["batch"], 16);
    EXPECT_EQ(run.training["sequence_length"], 8192);
    EXPECT_EQ(run.training["precision"], "bf16_autocast");
    EXPECT_EQ(run.training["optimizer_kernel"], "fused");
    EXPECT_EQ(run.training["checkpointing"], true);
    EXPECT_TRUE(run.unmodelled.empty() && run.unknown.empty());
    // As many shards as the launcher's GPUs allow.
    EXPECT_FALSE(run_of(before + full).cluster.contains("cards"));
    const auto ring = run_of(before + full +
                             "[parallelism]\ndata_parallel_shard_degree = 4\n"
                             "context_parallel_degree = 8\n");
    EXPECT_EQ(
        ring.cluster,
        (nlohmann::json{
            {"sharding", "fsdp"}, {"cards", 32}, {"context_parallel", 8}, {"fp32_reduce", true}}));
    EXPECT_EQ(ring.training["free_logits"], true);
    const std::string stages = before + full +
                               "[parallelism]\npipeline_parallel_degree = 4\n"
                               "data_parallel_shard_degree = 2\n";
    const auto pipeline = run_of(stages +
                                 "pipeline_parallel_schedule = \"Interleaved1F1B\"\n"
                                 "pipeline_parallel_microbatch_size = 2\n");
    EXPECT_EQ(pipeline.cluster, (nlohmann::json{{"sharding", "fsdp_grad_op"},
                                                {"cards", 8},
                                                {"pipeline_parallel", 4},
                                                {"schedule", "interleaved_1f1b"},
                                                {"microbatches", 8},
                                                {"fp32_reduce", true}}));
    EXPECT_EQ(pipeline.training["batch"], 2);
    EXPECT_FALSE(pipeline.training.contains("free_logits"));
    EXPECT_TRUE(pipeline.unmodelled.empty() && pipeline.unknown.empty());
    EXPECT_EQ(run_of(stages + "fsdp_reshard_after_forward = \"always\"\n").cluster["sharding"],
              "fsdp");
    for (const auto* line :
         {"pipeline_parallel_schedule = \"InterleavedZeroBubble\"\n",
          "pipeline_parallel_microbatch_size = 3\n", "pipeline_parallel_layers_per_stage = 4\n",
          "pipeline_parallel_last_stage_less_layers = 0\n"})
        EXPECT_THAT(unmodelled(stages + line), HasSubstr("parallelism.pipeline_parallel_"));
    EXPECT_THAT(unmodelled(before + full + "[parallelism]\nexpert_parallel_degree = 2\n"),
                HasSubstr("parallelism.expert_parallel_degree is 2"));
    const auto selective =
        run_of(before + "[activation_checkpoint]\nselective_ac_option = \"op\"\n");
    EXPECT_EQ(selective.training["checkpointing"], true);
    EXPECT_EQ(selective.training["selective_checkpointing"], true);
    EXPECT_TRUE(selective.unmodelled.empty());
    EXPECT_EQ(run_of(before).training["checkpointing_every"], 2);
    EXPECT_THAT(unmodelled(before + "[activation_checkpoint]\nselective_ac_option = \"x\"\n"),
                HasSubstr("selective_ac_option"));
    EXPECT_TRUE(
        run_of(before + full + "[float8]\nfilter_fqns = [\"output\"]\n").unmodelled.empty());
    auto converted = before + full;
    converted.replace(converted.find("    # none"), 10, "\"float8\"");
    EXPECT_EQ(run_of(converted).training["fp8"], true);
    EXPECT_TRUE(run_of(converted).unmodelled.empty());
    EXPECT_EQ(run_of(before + full + "[compile]\nenable = true\n").training["compile"], true);
    converted.replace(converted.find("\"float8\""), 8, "\"mx\"");
    EXPECT_THAT(unmodelled(converted), HasSubstr("FP8 alone"));
    EXPECT_THAT(run_of(before + full + "[training]\nnew_key = 3\n").unknown,
                testing::ElementsAre("training.new_key"));
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
