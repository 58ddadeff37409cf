// What `show-config` reads of how several GPUs share a run.
#include "server/kinds/training_config/contract/configs/config_structure.hpp"
#include "tests/unit/server/kinds/training_config/command/read_run.hpp"

namespace plimsoll::jobs::training_config {
namespace {

TEST(ReadClusters, ReadsFsdpsVariants) {
    const auto sharding = [](const std::string& text) { return run_of(text).cluster["sharding"]; };
    EXPECT_EQ(sharding(kTrainer + "fsdp: [full_shard, auto_wrap]\n"), "fsdp");
    EXPECT_EQ(sharding(kTrainer + "fsdp: no_shard\n"), "ddp");
    EXPECT_THAT(unmodelled(kTrainer + "fsdp: hybrid_shard\n"), HasSubstr("is not modelled"));
    EXPECT_EQ(run_of(kTrainer + "fsdp: true\nfsdp_config: {activation_checkpointing: true}\n")
                  .training["checkpointing"],
              true);
    const auto with = [](const std::string& setting) {
        return kAccelerate + "distributed_type: FSDP\nfsdp_config: {" + setting + "}\n";
    };
    EXPECT_EQ(sharding(with("fsdp_sharding_strategy: FULL_SHARD")), "fsdp");
    EXPECT_EQ(sharding(with("fsdp_sharding_strategy: NO_SHARD")), "ddp");
    EXPECT_EQ(sharding(with("fsdp_sharding_strategy: 3")), "ddp");
    for (const auto& keeps :
         {with("fsdp_sharding_strategy: SHARD_GRAD_OP"), with("fsdp_sharding_strategy: 2"),
          with("fsdp_reshard_after_forward: false"), kTrainer + "fsdp: shard_grad_op auto_wrap\n",
          kTrainer + "fsdp: true\nfsdp_config: {reshard_after_forward: false}\n",
          kAxolotl + "fsdp: [shard_grad_op]\n",
          kAxolotl + "fsdp_config: {reshard_after_forward: false}\n",
          kLightning + "devices: 2, strategy: {class_path: FSDPStrategy, init_args: "
                       "{sharding_strategy: SHARD_GRAD_OP}}}\n"}) {
        EXPECT_EQ(sharding(keeps), "fsdp_grad_op") << keeps;
        EXPECT_EQ(unmodelled(keeps), "") << keeps;
    }
    for (const auto* other : {"fsdp_sharding_strategy: OTHER", "fsdp_auto_wrap_policy: NO_WRAP"})
        EXPECT_THAT(unmodelled(with(other)), HasSubstr("modelled")) << other;
    for (const auto& offloads :
         {with("fsdp_offload_params: true"), kTrainer + "fsdp: full_shard offload\n",
          kTrainer + "fsdp: true\nfsdp_config: {cpu_offload: true}\n",
          kAxolotl + "fsdp_config: {offload_params: true}\n",
          kLightning + "devices: 2, strategy: fsdp_cpu_offload}\n"})
        EXPECT_EQ(run_of(offloads).cluster["offload"], "parameters") << offloads;
    EXPECT_THAT(unmodelled(kAccelerate + "distributed_type: MEGATRON_LM\n"),
                HasSubstr("distributed_type is MEGATRON_LM"));
    EXPECT_THAT(unmodelled(with("") + "parallelism_config: {parallelism_config_tp_size: 2}\n"),
                HasSubstr("parallelism"));
    const std::string hybrid = "fsdp_sharding_strategy: HYBRID_SHARD";
    EXPECT_EQ(run_of(with(hybrid) + "num_machines: 2\n").cluster["replicas"], 2);
    EXPECT_FALSE(run_of(with(hybrid)).cluster.contains("replicas"));
    const auto meshes = run_of(with("") +
                               "parallelism_config: {parallelism_config_dp_replicate_size: "
                               "2, parallelism_config_dp_shard_size: 2}\n");
    EXPECT_EQ(meshes.cluster["replicas"], 2);
    EXPECT_TRUE(meshes.unmodelled.empty() && meshes.unknown.empty());
    const std::string ring = "parallelism_config: {parallelism_config_cp_size: 2}\n";
    const auto texts = run_of(with("fsdp_version: 2") + ring);
    EXPECT_EQ(texts.cluster["context_parallel"], 2);
    EXPECT_TRUE(texts.unmodelled.empty() && texts.unknown.empty());
    EXPECT_THAT(unmodelled(with("fsdp_version: 1") + ring), HasSubstr("fsdp_version: 2"));
    EXPECT_THAT(unmodelled(kAccelerate + "distributed_type: MULTI_GPU\n" + ring),
                HasSubstr("cp_size"));
    EXPECT_THAT(unmodelled(kAxolotl + "context_parallel_size: 2\n"), HasSubstr("ring-flash-attn"));
    const auto sharded = run_of(kAxolotl + "dp_shard_size: 4\ndp_replicate_size: 2\n").cluster;
    EXPECT_EQ(sharded, (nlohmann::json{{"sharding", "fsdp"}, {"cards", 8}, {"replicas", 2}}));
}

TEST(ReadClusters, ReadsDeepSpeedWithinAnotherFileAndByItsName) {
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
    EXPECT_THAT(unmodelled(zero(R"("zero_hpz_partition_size": 8)")), HasSubstr("second division"));
    EXPECT_THAT(unmodelled(R"({"train_micro_batch_size_per_gpu": 1,
                               "optimizer": {"type": "OneBitAdam"}})"),
                HasSubstr("optimizer.type is OneBitAdam"));
}

TEST(ReadClusters, ReadsDeepSpeedsBuckets) {
    const auto buckets = [](const std::string& text) {
        const auto run = run_of(text);
        EXPECT_TRUE(run.unmodelled.empty()) << text;
        return run.cluster.value("reduce_bucket_size", std::int64_t{0});
    };
    const auto zero = [](const std::string& settings) {
        return "{train_micro_batch_size_per_gpu: 1, zero_optimization: {" + settings + "}}";
    };
    EXPECT_EQ(buckets(zero("stage: 2")), 500'000'000);
    EXPECT_EQ(buckets(zero("stage: 2, reduce_bucket_size: 2e8")), 200'000'000);
    EXPECT_EQ(buckets(zero("stage: 2, reduce_bucket_size: 5e8, overlap_comm: true")),
              1'000'000'000);
    EXPECT_EQ(buckets(zero("stage: 3, reduce_bucket_size: 5e8, overlap_comm: true")), 500'000'000);
    EXPECT_EQ(buckets(zero("stage: 2, reduce_bucket_size: auto")), 0);
    EXPECT_TRUE(run_of(zero("stage: 0")).cluster.is_null());
    EXPECT_EQ(buckets(kAccelerate + "distributed_type: DEEPSPEED\n"), 500'000'000);
    EXPECT_EQ(buckets(kLightning + "devices: 2, strategy: deepspeed_stage_2}\n"), 400'000'000);
    EXPECT_EQ(buckets(kLightning + "devices: 2, strategy: {class_path: DeepSpeedStrategy, "
                                   "init_args: {stage: 2, overlap_comm: false}}}\n"),
              200'000'000);
}

TEST(ReadClusters, JoinsALaunchersPrecisionWithTheTrainers) {
    const auto precision = [](std::initializer_list<std::string> texts) {
        ConfiguredRun run;
        for (const auto& text : texts) EXPECT_TRUE(read_run(text, run)) << text;
        return run.training["precision"];
    };
    const auto launched = kAccelerate + "mixed_precision: bf16\n";
    EXPECT_EQ(precision({launched}), "bf16_autocast");
    for (const auto& trainer : {kTrainer, kTrainer + "bf16: true\n"}) {
        EXPECT_EQ(precision({launched, trainer}), "auto");
        EXPECT_EQ(precision({trainer, launched}), "auto");
    }
    const auto plain = kAccelerate + "mixed_precision: no\n";
    EXPECT_EQ(precision({plain, kTrainer + "bf16: true\n"}), "auto");
    EXPECT_EQ(precision({kTrainer + "bf16: true\n", plain}), "auto");
    EXPECT_EQ(precision({kTrainer, plain}), "fp32");
}

TEST(ReadClusters, ReadsLightningsDevicesAndStrategies) {
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
         {"precision: transformer-engine", "accelerator: cpu", "strategy: model_parallel",
          "plugins: [bnb]", "accumulate_grad_batches: {0: 8}"})
        EXPECT_THAT(unmodelled(kLightning + other + "}\n"), HasSubstr(":")) << other;
    EXPECT_EQ(unmodelled(kLightning + "precision: bf16-mixed, accelerator: gpu}\n"), "");
    const auto fsdp = [](const std::string& arguments) {
        return kLightning + "devices: 2, strategy: {class_path: a.FSDPStrategy, init_args: {" +
               arguments + "}}}\n";
    };
    EXPECT_EQ(unmodelled(fsdp("state_dict_type: full, device_mesh: null")), "");
    EXPECT_EQ(
        run_of(fsdp("sharding_strategy: HYBRID_SHARD, device_mesh: [2, 4]")).cluster["replicas"],
        2);
    EXPECT_THAT(notes(fsdp("mixed_precision: {a: b}")), HasSubstr("the trainer's precision"));
    EXPECT_EQ(run_of(fsdp("strange: 1")).unknown,
              std::vector<std::string>{"trainer.strategy.init_args.strange"});
    EXPECT_FALSE(
        run_of(fsdp("activation_checkpointing_policy: null")).training.contains("checkpointing"));
}

TEST(ReadClusters, ChangesNoToml) {
    const auto refused = plan_settings("[model]\nname = \"llama3\"\n", Recommended{}, {});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("Only YAML and JSON are changed"));
}

TEST(ReadClusters, AsksForTheGpusOfALauncherThatDoesNotSay) {
    for (const auto* type : {"FSDP", "MULTI_GPU", "DEEPSPEED"})
        EXPECT_FALSE(
            run_of(std::string("distributed_type: ") + type + "\n").cluster.contains("cards"));
    EXPECT_TRUE(run_of("distributed_type: 'NO'\n").cluster.is_null());
}

TEST(ReadRun, NamesShardsOfTwoLibraries) {
    ConfiguredRun run;
    ASSERT_TRUE(read_run(kAccelerate + "distributed_type: FSDP\n", run));
    ASSERT_TRUE(read_run("zero_optimization: {stage: 3}\n", run));
    ASSERT_EQ(run.unmodelled.size(), 1);
    EXPECT_THAT(run.unmodelled[0].text, HasSubstr("beside distributed_type (fsdp)"));
    // Two files of the same library say it twice.
    ConfiguredRun same;
    ASSERT_TRUE(read_run(kAccelerate + "distributed_type: DEEPSPEED\n", same));
    ASSERT_TRUE(read_run("zero_optimization: {stage: 3, max_live_parameters: 1e9}\n", same));
    EXPECT_TRUE(same.unmodelled.empty() && same.unknown.empty());
    EXPECT_EQ(same.cluster["sharding"], "zero3");
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
    const std::string experts = before + full + "[parallelism]\nexpert_parallel_degree = 2\n";
    EXPECT_EQ(run_of(experts).cluster["expert_parallel"], 2);
    EXPECT_THAT(unmodelled(experts + "expert_parallel_comm_backend = \"deepep\"\n"),
                HasSubstr("expert_parallel_comm_backend"));
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
    EXPECT_THAT(unmodelled("[model]\nname = \"flux\"\nflavor = \"dev\"\n[training]\nsteps = 1\n"),
                HasSubstr("models of images"));
    const auto model = [](const std::string& name, const std::string& flavor) {
        return run_of("[model]\nname = \"" + name + "\"\nflavor = \"" + flavor +
                      "\"\n[training]\nsteps = 1\n")
            .model;
    };
    EXPECT_EQ(model("llama2", "13B"), "meta-llama/Llama-2-13b-hf");
    EXPECT_EQ(model("simple_fsdp.llama3", "8B"), "meta-llama/Llama-3.1-8B");
    EXPECT_EQ(model("deepseek_v3", "671B"), "deepseek-ai/DeepSeek-V3");
    EXPECT_EQ(model("llama3", "debugmodel"), "llama3 debugmodel") << "nothing on the hub";
    EXPECT_THAT(run_of(before + full + "[training]\nnew_key = 3\n").unknown,
                testing::ElementsAre("training.new_key"));
}

TEST(ReadClusters, StartsOneProcessWhereNothingIsDistributed) {
    const auto alone = kAccelerate + "distributed_type: 'NO'\n";
    EXPECT_TRUE(run_of(alone).cluster.is_null());
    EXPECT_THAT(notes(alone), HasSubstr("num_processes is 4, without effect"));
    EXPECT_EQ(run_of(kAccelerate + "distributed_type: FSDP\nfsdp_config: "
                                   "{fsdp_sharding_strategy: hybrid_shard}\nnum_machines: 2\n")
                  .cluster["replicas"],
              2);
}

TEST(ReadClusters, ReadsDeepspeedsOldSwitch) {
    const std::string batch = "train_micro_batch_size_per_gpu: 2\nzero_optimization: ";
    EXPECT_EQ(run_of(batch + "true\n").cluster["sharding"], "zero1");
    EXPECT_TRUE(run_of(batch + "false\n").cluster.is_null());
}

// A batch alone is no structure: what other trainers call the rest is named, not dropped.
TEST(ReadRun, NamesWhatAFileOfAnotherTrainerSays) {
    const auto data =
        run_of("_target_: src.Data\nbatch_size: 64\nmax_length: 512\nnum_workers: 4\n");
    EXPECT_EQ(data.training["batch"], 64);
    EXPECT_EQ(data.training["sequence_length"], 512);
    EXPECT_TRUE(data.unmodelled.empty());
    for (const auto* key : {"training.max_seq_length", "training.optim", "lora.lora_r"})
        EXPECT_THAT(
            unmodelled("training: {batch_size: 4, max_seq_length: 4096, optim: adamw_8bit}\n"
                       "lora: {lora_r: 16}\n"),
            HasSubstr(key));
    EXPECT_THAT(unmodelled("train_batch_size: 128\nmicro_train_batch_size: 2\nzero_stage: 2\n"),
                HasSubstr("zero_stage is 2: no structure"));
    EXPECT_EQ(unmodelled("batch_size: 4\nbf16: false\nzero_stage: 0\n"), "");
    EXPECT_THAT(unmodelled(kTrl + "enable_gradient_checkpointing: true\n"),
                HasSubstr("enable_gradient_checkpointing is true: it is not known"));
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
