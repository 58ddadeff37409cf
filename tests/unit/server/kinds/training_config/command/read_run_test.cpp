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
    EXPECT_THAT(unmodelled(kTrl + "cpo_alpha: 1\n"), HasSubstr("CPO"));
    EXPECT_THAT(unmodelled(kTrl + "loss_type: apo_zero\npadding_free: true\n"),
                HasSubstr("padding_free is true: answers"));
    for (const auto* rl : {"ebft", "simpo"})
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
    EXPECT_FALSE(grpo.training.contains("vllm"));
    EXPECT_TRUE(grpo.unmodelled.empty());
    // The same keys are those of several trainers.
    EXPECT_EQ(run_of(kTrl + "beta: 0.1\nmax_prompt_length: 512\n").preference, "beta is 0.1");
}

TEST(ReadRun, ReadsVllmBesideTheTrainer) {
    const auto beside = [](const std::string& more) {
        const auto run = run_of(kTrl + "num_generations: 8\nuse_vllm: true\n" + more);
        EXPECT_TRUE(run.unmodelled.empty());
        return run.training;
    };
    EXPECT_EQ(beside("")["vllm"], nlohmann::json::parse(R"({"memory_share": 0.3, "sleep": false,
        "tensor_parallel": 1})"));
    const auto short_texts = beside(
        "vllm_mode: colocate\nvllm_gpu_memory_utilization: 0.5\nvllm_enable_sleep_mode: true\n"
        "vllm_tensor_parallel_size: 2\nvllm_max_model_length: 800\n");
    EXPECT_EQ(short_texts["vllm"], nlohmann::json::parse(R"({"memory_share": 0.5, "sleep": true,
        "tensor_parallel": 2, "max_length": 800})"));
    EXPECT_EQ(short_texts["sequence_length"], 800) << "a prompt and its answer of 512 tokens";
    // Only with this word axolotl passes on what its section of vLLM has.
    const std::string grpo = kAxolotl + "rl: grpo\nvllm: {tensor_parallel_size: 2}\n";
    EXPECT_EQ(run_of(grpo + "trl: {use_vllm: true}\n").training["vllm"]["memory_share"], 0.3);
    const auto passed = run_of(grpo + "trl: {use_vllm: true, vllm_mode: colocate}\n");
    EXPECT_EQ(passed.training["vllm"]["memory_share"], 0.9);
    EXPECT_EQ(passed.training["vllm"]["tensor_parallel"], 2);
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

TEST(ReadRun, ReadsModelsThatAreTrainedAnew) {
    EXPECT_EQ(run_of(kTrainer + "config_name: gpt2\n").model, "gpt2");
    EXPECT_EQ(run_of(kTrainer + "config_name: gpt2\nmodel_name_or_path: a/b\n").model, "a/b");
    EXPECT_THAT(unmodelled(kTrainer + "config_name: gpt2\nconfig_overrides: n_embd=8\n"),
                HasSubstr("describe it by --config"));
}

TEST(ReadRun, NamesFilesThatTrainNothing) {
    for (const auto* other : {"infer_backend: huggingface", "export_dir: out"})
        EXPECT_THAT(
            unmodelled("model_name_or_path: a/b\ntemplate: qwen3\n" + std::string(other) + "\n"),
            HasSubstr("trains nothing"));
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
    for (const auto* its : {"fa2", "fa3"})
        EXPECT_EQ(run_of(kFactory + "flash_attn: " + its + "\n").training["attention"],
                  "flash_attention_2");
    EXPECT_EQ(run_of(kFactory + "enable_liger_kernel: true\n").training["fused_loss"], true);
    for (const auto* other :
         {"finetuning_type: freeze", "use_galore: true", "use_apollo: true", "use_badam: true",
          "use_adam_mini: true", "use_muon: true", "fp8_backend: te", "use_unsloth: true"})
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
    EXPECT_FALSE(run_of(kTrainer + "use_lora: false\nlora_r: 4\n").training.contains("lora"));
    EXPECT_EQ(run_of(kTrainer + "use_lora: true\nlora_r: 4\n").training["lora"]["rank"], 4);
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
    EXPECT_EQ(precision(factory + "fp16: true\nquantization_bit: 4\n"), "fp16");
    EXPECT_EQ(precision(factory + "bf16: true\nquantization_bit: 4\n"), "bf16");
    const std::string packed = kTrl + "use_peft: true\nload_in_4bit: true\n";
    EXPECT_EQ(precision(packed), "bf16_autocast");
    EXPECT_EQ(precision(packed + "dtype: bfloat16\n"), "bf16");
    EXPECT_EQ(run_of(packed).trained_type, "all_bf16");
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

TEST(ReadRun, ReadsPpoAsTrlRunsIt) {
    const auto ppo = kTrl + "vf_coef: 0.1\nresponse_length: 100\n";
    const auto run = run_of(ppo + "gradient_checkpointing: true\nsft_model_path: a/b\n");
    EXPECT_EQ(run.training["method"], "ppo");
    EXPECT_EQ(run.training["target_length"], 100);
    EXPECT_EQ(run.training["sequence_length"], 612);
    EXPECT_EQ(run.training["checkpointing"], false);
    EXPECT_EQ(run.training["clip"], false);
    EXPECT_EQ(run.model, "a/b");
    EXPECT_TRUE(run.unmodelled.empty());
    EXPECT_THAT(notes(ppo + "gradient_checkpointing: true\n"), HasSubstr("has no effect"));
    EXPECT_THAT(unmodelled(ppo + "reward_model_path: c/d\n"), HasSubstr("as large as the policy"));
    EXPECT_THAT(unmodelled(ppo + "local_rollout_forward_batch_size: 128\n"),
                HasSubstr("64 answers"));
}

TEST(ReadRun, ReadsWhatIsTrainedWholeBesideAdapters) {
    using nlohmann::json;
    const json both = {"embed_tokens", "lm_head"};
    const auto whole = [](const std::string& text) {
        const auto run = run_of(text);
        return run.training.contains("lora") ? run.training["lora"].value("modules_to_save", json())
                                             : json("no adapters");
    };
    for (const auto& text :
         {kTrl + "use_peft: true\nlora_modules_to_save: [embed_tokens, lm_head]\n",
          kTrainer + "lora: {r: 8, modules_to_save: [model.embed_tokens, lm_head]}\n",
          kAxolotl + "adapter: lora\nlora_modules_to_save: [embed_tokens, lm_head]\n",
          kFactory + "additional_target: embed_tokens,lm_head\n"})
        EXPECT_EQ(whole(text), both) << text;
    EXPECT_EQ(whole(kFactory + "additional_target: null\n"), json());
    for (const auto* key : {"resize_vocab: true", "add_tokens: <a>"}) {
        EXPECT_EQ(whole(kFactory + key + "\n"), both);
        EXPECT_THAT(notes(kFactory + key + "\n"), HasSubstr("head are trained whole"));
        EXPECT_EQ(whole(kFactory + "additional_target: lm_head\n" + key + "\n"), json({"lm_head"}));
        EXPECT_EQ(whole(kFactory + "finetuning_type: full\n" + key + "\n"), "no adapters");
    }
    EXPECT_EQ(whole(kFactory + "resize_vocab: false\n"), json());
    EXPECT_EQ(run_of(kFactory).trained_type, "all_fp32");
    EXPECT_EQ(run_of(kFactory + "pure_bf16: true\n").trained_type, "");
}

TEST(ReadRun, ReadsWhoQuantizesForLlamaFactory) {
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
    EXPECT_EQ(run_of(kTrainer + "use_flash_attention_2: true\n").training["attention"],
              "flash_attention_2");
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
    EXPECT_THAT(unmodelled(kTrainer + "optim: mine\n"), HasSubstr("name one with --optimizer"));
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

TEST(ReadRun, ReadsTorchaosOptimizerAndNamesLlamaFactorysNewTrainer) {
    EXPECT_EQ(run_of(kAxolotl + "optimizer: adamw_torch_8bit\n").training["optimizer"],
              "adam_8bit");
    EXPECT_EQ(run_of(kTrl + "optim: adamw_torch_8bit\n").training["optimizer"], "adam_8bit");
    EXPECT_THAT(unmodelled("model: Qwen/Qwen3-4B\ntrain_dataset: d.yaml\nmicro_batch_size: 1\n"),
                HasSubstr("the trainer of LLaMA-Factory v1 is not modelled"));
}

TEST(ReadRun, NamesMegatronsKeysAndHeavyNamesThatAreUnknown) {
    EXPECT_THAT(unmodelled(kFactory + "pipeline_model_parallel_size: 4\n"),
                HasSubstr("--pipeline-parallel P"));
    EXPECT_THAT(
        unmodelled(kFactory + "tensor_model_parallel_size: 1\nrecompute_granularity: full\n"),
        HasSubstr("Megatron's trainer"));
    EXPECT_THAT(unmodelled(kTrainer + "my_offload: true\n"), HasSubstr("its name says"));
    EXPECT_EQ(unmodelled(kTrainer + "my_offload: false\nwarp_parallel_size: 1\n"), "");
}

TEST(ReadRun, LeavesKeysOutWhenAsked) {
    ConfiguredRun run;
    ASSERT_TRUE(read_run(kAxolotl + "activation_offloading: true\nfsdp_config: {a: 1}\n", run,
                         {"activation_offloading", "fsdp_config.a", "missing"}));
    EXPECT_TRUE(run.unmodelled.empty() && run.unknown.empty());
    EXPECT_THAT(run.left_out, testing::ElementsAre("activation_offloading", "fsdp_config.a"));
}

TEST(ReadRun, LoadsWeightsAsTrlsProgramsDo) {
    const std::string model = "model_name_or_path: a/b\nbf16: true\n";
    const auto precision = [](const std::string& text) {
        return run_of(text).training["precision"];
    };
    EXPECT_EQ(precision(kTrl + model), "bf16_autocast");  // dtype: float32 is their default
    EXPECT_THAT(notes(kTrl + model), HasSubstr("TRL then loads the weights in float32"));
    for (const auto* dtype : {"dtype: auto\n", "torch_dtype: null\n", "dtype: bfloat16\n"})
        EXPECT_EQ(precision(kTrl + model + dtype), "auto") << dtype;
    EXPECT_EQ(precision(kTrainer + model), "auto");  // transformers' own arguments
    EXPECT_EQ(run_of(kTrainer + "desirable_weight: 1.0\n").training["checkpointing"], true);
}

TEST(ReadRun, ResolvesInterpolationsOrNamesThem) {
    const std::string trainer = kLightning + "devices: '${gpus}', strategy: ddp}\n";
    EXPECT_EQ(run_of(trainer + "gpus: ${machine.gpus}\nmachine: {gpus: 4}\n").cluster["cards"], 4);
    EXPECT_EQ(run_of("data: {batch_size: '${batch}'}\ntrainer: {max_epochs: 1}\nbatch: 16\n")
                  .training["batch"],
              16);
    EXPECT_THAT(unmodelled("data: {batch_size: '${oc.env:BATCH}'}\ntrainer: {max_epochs: 1}\n"),
                HasSubstr("data.batch_size is ${oc.env:BATCH}: its value is not in the file"));
    EXPECT_EQ(unmodelled("data: {batch_size: 4}\ntrainer: {max_epochs: 1}\nname: ${now:%Y}\n"), "");
}

TEST(ReadRun, ReadsWhatLightningsProjectsGiveTheirClasses) {
    const auto run = run_of(
        "trainer: {max_epochs: 1, precision: 16-true}\nmodel: {model_name: bert-base-uncased}\n"
        "data: {class_path: D, init_args: {batch_size: 8, max_length: 256}}\n"
        "optimizer: {class_path: torch.optim.SGD, init_args: {lr: 0.1, momentum: 0.9}}\n");
    EXPECT_EQ(run.training["sequence_length"], 256);
    EXPECT_EQ(run.training["optimizer"], "sgd_momentum");
    EXPECT_EQ(run.training["precision"], "fp16");
    EXPECT_EQ(run.model, "bert-base-uncased");
}

TEST(ReadRun, ReadsJsonWithComments) {
    const auto run = run_of(
        "{\n  // of a project\n  \"train_micro_batch_size_per_gpu\": 2, /* \"a\": 1 */\n"
        "  \"zero_optimization\": {\"stage\": 3, \"url\": \"a//b\"}\n}\n");
    EXPECT_EQ(run.training["batch"], 2);
    EXPECT_EQ(run.cluster["sharding"], "zero3");
    ConfiguredRun broken;
    EXPECT_THAT(read_run("{\n// one\n\"a\": ]}", broken).error().message, HasSubstr("line 3"));
}

TEST(ReadRun, ReadsYamlAsPythonDoes) {
    const auto run = run_of(
        "x: &base {bf16: 1, max_seq_length: 256, seed: 1}\n"
        "args:\n  <<: *base\n  per_device_train_batch_size: 2\n  num_train_epochs: 1\n");
    EXPECT_EQ(run.training["sequence_length"], 256);
    EXPECT_EQ(run.training["precision"], "auto");
    EXPECT_TRUE(run.unknown.empty());
}

TEST(ReadRun, RefusesWhatReadersWouldTakeForAnotherRun) {
    ConfiguredRun run;
    EXPECT_THAT(
        read_run(kTrainer + "bf16: true\nper_device_train_batch_size: 64\n", run).error().message,
        HasSubstr("per_device_train_batch_size stands twice, again in line 4"));
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 9; ++i)
        bomb += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i,
                            i - 1);
    EXPECT_THAT(read_run(kTrainer + bomb, run).error().message, HasSubstr("too large"));
    EXPECT_THAT(unmodelled("per_device_train_batch_size: auto\nnum_train_epochs: 1\n"),
                HasSubstr("is auto: it is no number"));
    EXPECT_EQ(unmodelled("per_device_train_batch_size: null\nnum_train_epochs: 1\n"), "");
    EXPECT_THAT(unmodelled(kFactory + "do_predict: true\n"), HasSubstr("trains nothing"));
    EXPECT_EQ(unmodelled(kFactory + "do_predict: true\ndo_train: true\n"), "");
}

TEST(ReadRun, ReadsProjectsOwnNames) {
    EXPECT_FALSE(run_of(kTrainer + "lora: {enabled: false, r: 8}\n").training.contains("lora"));
    EXPECT_TRUE(run_of(kTrainer + "lora: {enabled: true, r: 8}\n").training.contains("lora"));
    for (const auto* name :
         {"model_id: a/b\n", "model: {name_or_path: a/b}\n", "model_name: a/b\n"})
        EXPECT_EQ(run_of(kTrainer + name).model, "a/b") << name;
    EXPECT_EQ(run_of(kTrainer + "use_gradient_checkpointing: true\n").training["checkpointing"],
              true);
    EXPECT_THAT(unmodelled(kTrainer + "use_gradient_checkpointing: unsloth\n"),
                HasSubstr("upper limit"));
    EXPECT_EQ(run_of(kLightning + "gpus: 2, strategy: ddp}\n").cluster["cards"], 2);
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
