// What files of axolotl and torchtune say, and what an estimate changes in them and in those of
// LLaMA-Factory. What it writes is read back as estimated.
#include "server/kinds/training_config/contract/configs/config_edit.hpp"
#include "server/kinds/training_config/contract/configs/config_structure.hpp"
#include "tests/unit/server/kinds/training_config/command/read_run.hpp"

namespace plimsoll::jobs::training_config {
namespace {

Recommended estimate() {
    Recommended r;
    r.batch = 4;
    r.accumulation = 2;
    r.largest = 8;
    r.precision = "bf16";
    r.optimizer = "paged_adamw_8bit";
    r.checkpointing = true;
    r.attention = "flash_attention_2";
    r.sequence = 4096;
    r.training = {{"packed", true}};
    return r;
}

struct Planned {
    std::string text, said;
};

Planned planned(const std::string& text, const Recommended& recommended) {
    const auto plan = plan_settings(text, recommended, {});
    EXPECT_TRUE(plan) << text;
    if (!plan) return {};
    EXPECT_NE(plan->structure, "") << text;
    const auto edit = edit_config(text, plan->settings);
    EXPECT_TRUE(edit) << text;
    return {edit ? edit->text : "", fmt::format("{}", fmt::join(plan->differs, "\n"))};
}

TEST(RecipePlans, WriteAxolotlsSettingsAndLeaveWhatMeansTheSame) {
    const std::string file =
        "base_model: x/y\nmicro_batch_size: 1  # old\noptimizer: adamw_bnb_8bit\nsequence_len: "
        "4096\nbf16: auto\nflash_attention: true\ngradient_checkpointing: false\n";
    const auto told = planned(file, estimate());
    EXPECT_THAT(told.text, HasSubstr("micro_batch_size: 4  # old\n"));
    EXPECT_THAT(told.text, HasSubstr("bf16: auto\nflash_attention: true\n"));
    EXPECT_EQ(told.said, "");
    const auto run = run_of(told.text);
    EXPECT_EQ(run.accumulation, 2);
    EXPECT_EQ(run.training["batch"], 4);
    EXPECT_EQ(run.training["optimizer"], "paged_adamw_8bit");
    EXPECT_EQ(run.training["checkpointing"], true);
    EXPECT_EQ(run.training["packed"], true);
    EXPECT_EQ(run.training["attention"], "flash_attention_2");
}

TEST(RecipePlans, SayWhatAxolotlsFileMeansOtherwise) {
    auto r = estimate();
    r.precision = "bf16_autocast";
    r.sequence = 2048;
    const auto told = planned(kAxolotl + "cut_cross_entropy: true\nrl: dpo\n", r);
    for (const auto* words : {"sequence_len is 4096; the estimate is for 2048 tokens",
                              "axolotl trains weights in bf16", "computes the loss in a fused"})
        EXPECT_THAT(told.said, HasSubstr(words));
    EXPECT_THAT(told.text, ::testing::Not(HasSubstr("sample_packing")));
    r.training = {{"fused_loss", true}};
    EXPECT_THAT(planned(kAxolotl, r).said, HasSubstr("LigerPlugin among the plugins"));
}

TEST(RecipePlans, WriteTorchtunesSettings) {
    const std::string file =
        "model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\nbatch_size: 2\n"
        "optimizer:\n  _component_: torch.optim.AdamW\n  lr: 2e-5\noptimizer_in_bwd: True\n"
        "dataset:\n  packed: False\ndtype: fp32\n";
    const auto told = planned(file, estimate());
    const auto run = run_of(told.text);
    EXPECT_EQ(run.training["batch"], 4);
    EXPECT_EQ(run.training["precision"], "bf16");
    EXPECT_EQ(run.training["optimizer"], "paged_adamw_8bit");
    EXPECT_EQ(run.training["checkpointing"], true);
    EXPECT_EQ(run.training["packed"], true);
    EXPECT_FALSE(run.training.contains("optimizer_in_backward"));
    EXPECT_EQ(run.accumulation, 2);
    EXPECT_THAT(told.said, HasSubstr("torchtune computes attention with sdpa"));
}

TEST(RecipePlans, WriteLlamaFactorysAttentionAndPackingByItsNames) {
    const auto run = run_of(planned(kFactory + "finetuning_type: full\n", estimate()).text);
    EXPECT_EQ(run.training["attention"], "flash_attention_2");
    EXPECT_EQ(run.training["packed"], true);
    EXPECT_THAT(planned(kFactory + "finetuning_type: full\nstage: dpo\n", estimate()).text,
                ::testing::Not(HasSubstr("packing")));
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

TEST(ReadRun, ReadsAxolotlsShards) {
    EXPECT_EQ(unmodelled(kAxolotl + "val_set_size: 0.1\nfsdp_config: {sharding_strategy: "
                                    "FULL_SHARD, activation_checkpointing: true}\n"),
              "");
}

TEST(ReadRun, NamesWhatOfAxolotlIsNotModelled) {
    for (const auto* setting : {"rl: simpo", "process_reward_model: true", "adapter: llama-adapter",
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

TEST(ReadRun, KnowsEveryOptimizerOfTheLibraries) {
    const auto full = [](const std::string& name) {
        return run_of(kAxolotl + "optimizer: " + name + "\n");
    };
    EXPECT_EQ(full("ao_adamw_8bit").training["optimizer"], "adam_8bit");
    EXPECT_EQ(full("optimi_adamw").training["optimizer"], "adamw");
    EXPECT_THAT(full("optimi_adamw").notes, testing::Contains(HasSubstr("state is as large")));
    // Refused where the whole model is trained, unless one is named; of adapters, an upper limit.
    for (const auto& [name, limit] : {std::pair("adamw_torch_4bit", "--optimizer adam_8bit"),
                                      std::pair("muon", "at most that of --optimizer adamw"),
                                      std::pair("ademamix", "larger than that of --optimizer")}) {
        ASSERT_EQ(full(name).unmodelled.size(), 1) << name;
        EXPECT_THAT(full(name).unmodelled[0].text, HasSubstr(limit));
        EXPECT_EQ(full(name).unmodelled[0].flag, "--optimizer");
    }
    const auto adapters = run_of(kAxolotl + "adapter: lora\noptimizer: adamw_torch_4bit\n");
    EXPECT_TRUE(adapters.unmodelled.empty());
    EXPECT_EQ(adapters.training["optimizer"], "adam_8bit");
    EXPECT_EQ(unmodelled(kTrl + "optim: lion_8bit\nuse_peft: true\n"), "");
    EXPECT_THAT(unmodelled(kAxolotl + "adapter: lora\noptimizer: ademamix\n"),
                HasSubstr("lower limit"));
}

TEST(ReadRun, ReadsAxolotlsTypesOfWeights) {
    EXPECT_EQ(run_of("base_model: a\nsequence_len: 512\n").training["batch"], 1);
    const std::string bare = "base_model: a\nmicro_batch_size: 4\n";
    const auto precision = [&](const std::string& more) {
        return run_of(bare + more).training["precision"];
    };
    EXPECT_EQ(precision(""), "bf16");
    EXPECT_EQ(precision("bf16: false\nbfloat16: true\n"), "bf16");
    EXPECT_EQ(precision("bf16: false\nfloat16: true\n"), "bf16");
    EXPECT_THAT(notes(bare + "bf16: false\nfloat16: true\n"), HasSubstr("fp16 are estimated"));
    EXPECT_EQ(precision("bf16: false\nfloat16: true\nadapter: lora\n"), "fp16");
    EXPECT_EQ(precision("bf16: false\n"), "fp32");
    // Accelerate widens FSDP1's shards; axolotl keeps those of FSDP2 as they are.
    EXPECT_EQ(precision("fsdp: [full_shard]\n"), "bf16_autocast");
    EXPECT_EQ(precision("fsdp: [full_shard]\nbf16: full\n"), "bf16");
    EXPECT_EQ(precision("fsdp: [full_shard]\nadapter: lora\n"), "bf16");
    EXPECT_EQ(precision("fsdp_version: 2\nfsdp_config: {reshard_after_forward: true}\n"), "bf16");
    EXPECT_EQ(precision("fsdp_config: {fsdp_version: 2}\n"), "bf16");
    EXPECT_EQ(run_of(bare + "batch_size: 64\n").accumulation, 16);
    EXPECT_EQ(run_of(bare + "batch_size: 64\ngradient_accumulation_steps: 2\n").accumulation, 2);
    const auto both = run_of(bare +
                             "adapter: lora\nlora_target_linear: true\n"
                             "lora_target_modules: [q_proj]\n")
                          .training["lora"];
    EXPECT_EQ(both["targets"], "all_linear");
    EXPECT_FALSE(both.contains("modules"));
    EXPECT_EQ(run_of(bare + "use_ray: true\nray_num_workers: 4\nfsdp: [full_shard]\n").cluster,
              (nlohmann::json{{"sharding", "fsdp"}, {"cards", 4}}));
}

TEST(ReadRun, ReadsWhatOfAModelOfImagesIsTrained) {
    const auto unfrozen = [](const std::string& patterns) {
        return unmodelled(kAxolotl + "unfrozen_parameters: " + patterns + "\n");
    };
    EXPECT_EQ(unfrozen("['model.language_model.*', lm_head]"), "");
    for (const auto* some : {"[lm_head]", "['model.language_model.layers.1.*']"})
        EXPECT_THAT(unfrozen(some), HasSubstr("more without it")) << some;
    EXPECT_EQ(unmodelled(kAxolotl + "experts_implementation: grouped_mm\n"), "") << "the default";
    EXPECT_EQ(unmodelled(kAxolotl + "freeze_mm_modules: true\nreinit_weights: true\n"), "");
}

TEST(ReadRun, ReadsAxolotlsGrpo) {
    const auto run = run_of(kAxolotl +
                            "rl: grpo\ntrl: {beta: 0.001, max_completion_length: 256, use_vllm: "
                            "true, vllm_mode: server, num_generations: 8, reward_funcs: [r.f]}\n");
    EXPECT_TRUE(run.unmodelled.empty() && run.unknown.empty());
    EXPECT_EQ(run.training["method"], "grpo");
    EXPECT_EQ(run.training["target_length"], 256);
    EXPECT_EQ(run.training["reference"], "model");
    EXPECT_EQ(run.training["generation"], "vllm");
    EXPECT_THAT(unmodelled(kAxolotl + "rl: grpo\ntrl: {use_vllm: true, async_prefetch: true}\n"),
                HasSubstr("own trainer"));
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
          std::pair("gemma2.gemma2_9b", "google/gemma-2-9b"),
          std::pair("qwen3.lora_qwen3_0_6b_instruct", "Qwen/Qwen3-0.6B"),
          std::pair("qwen3.lora_qwen3_8b_base", "Qwen/Qwen3-8B-Base"),
          std::pair("llama4.llama4_scout_17b_16e", "meta-llama/Llama-4-Scout-17B-16E-Instruct")})
        EXPECT_EQ(run_of(std::string("model: {_component_: torchtune.models.") + builder + "}\n" +
                         kTorchtune)
                      .model,
                  model);
    EXPECT_TRUE(run_of(full).cluster.is_null());
    const auto sharded = run_of(full + "custom_sharded_layers: [output]\nfsdp_cpu_offload: true\n");
    EXPECT_EQ(sharded.cluster, (nlohmann::json{{"sharding", "fsdp"}, {"offload", "parameters"}}));
    EXPECT_EQ(run_of(full + "optimizer_in_bwd: true\n").training["optimizer_in_backward"], true);
    EXPECT_THAT(unmodelled(full + "loss: {_component_: torchtune.rlhf.loss.DPOLoss}\n"),
                HasSubstr("--method dpo --whole-logits"));
    auto recomputes = full;
    recomputes.replace(recomputes.find("enable_activation_checkpointing: true"), 37, "");
    EXPECT_EQ(run_of(recomputes + "ac_mode: full\n").training["checkpointing"], true);
    EXPECT_EQ(
        run_of(recomputes + "ac_mode: selective\nac_option: 2\n").training["checkpointing_every"],
        2);
    EXPECT_EQ(run_of(recomputes + "ac_mode: selective\nac_option: op\n")
                  .training["selective_checkpointing"],
              true);
    EXPECT_EQ(run_of(full + "ac_mode: full\n").training["checkpointing"], false);
    EXPECT_EQ(run_of(full).shards_by, "fsdp");
    const auto phi = run_of(kTorchtune +
                            "model: {_component_: torchtune.models.phi3.lora_phi3_mini, "
                            "lora_attn_modules: [q_proj, v_proj, output_proj]}\n");
    EXPECT_EQ(phi.training["lora"]["modules"], nlohmann::json({"qkv_proj", "o_proj"}));
    EXPECT_THAT(unmodelled("model: {_component_: torchtune.models.gemma.gemma_2b}\ntasks: [a]\n"),
                HasSubstr("trains nothing"));
    EXPECT_THAT(unmodelled(full + "loss: {_component_: torchtune.rlhf.loss.PPOLoss}\n"),
                HasSubstr("--method ppo"));
    EXPECT_EQ(unmodelled(full + "tensor_parallel_dim: 1\ntensor_parallel_plan: {a: b}\n"), "");
    EXPECT_THAT(unmodelled(full + "tensor_parallel_dim: 2\ntensor_parallel_plan: {a: b}\n"),
                HasSubstr("tensor_parallel_dim is 2"));
    EXPECT_THAT(unmodelled(full + "reward_functions: [a]\n"), HasSubstr("--method dpo, grpo"));
    const auto kernel = [](const std::string& optimizer) {
        return run_of(
                   "model: {_component_: torchtune.models.llama2.llama2_7b}\nbatch_size: 1\n"
                   "optimizer: {_component_: " +
                   optimizer + "}\n")
            .training.value("optimizer_kernel", "");
    };
    EXPECT_EQ(kernel("torch.optim.AdamW"), "foreach") << "PyTorch's own default";
    EXPECT_EQ(kernel("torch.optim.AdamW, foreach: false"), "single");
    EXPECT_EQ(kernel("bitsandbytes.optim.AdamW8bit"), "");
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
