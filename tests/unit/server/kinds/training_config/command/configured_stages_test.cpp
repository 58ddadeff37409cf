// A folder of training configuration, read and judged.
#include "server/kinds/training_config/command/configs/configured_stages.hpp"

#include "engine/training/gpus/catalogue.hpp"
#include "server/kinds/training_config/command/configs/show_config.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace plimsoll::jobs::training_config {
namespace {

namespace fs = std::filesystem;

class ShowConfig : public ::testing::Test {
  protected:
    ShowConfig() { fs::create_directory(folder_ / "curriculum"); }
    ~ShowConfig() override { fs::remove_all(folder_); }

    static fs::path make_folder() {
        auto name = (fs::temp_directory_path() / "plm-show-XXXXXX").string();
        return mkdtemp(name.data());
    }
    void write(const std::string& file, const std::string& text) {
        std::ofstream(folder_ / file) << text;
    }

    fs::path folder_ = make_folder();
};

constexpr auto kConfig =
    "data_loader:\n  batch_size: 4\ntraining:\n  trainer:\n    accumulate_grad_batches: 16\n";

TEST_F(ShowConfig, ReadsBatchAndStages) {
    write("config.yaml", kConfig);
    write("curriculum/01_stage.yaml", "n_positives: 32\nn_negatives: 24\n");
    write("curriculum/02_stage.yaml", "sampling: {n_positives: 16, n_negatives: 8}\n");
    write("logging.yaml", "level: info\n");
    const auto stages = read_stages(folder_).value();
    ASSERT_EQ(stages.size(), 2u);
    EXPECT_EQ(stages[0].name, "curriculum/01_stage.yaml");
    EXPECT_EQ(stages[0].batch, 4);
    EXPECT_EQ(stages[0].accumulation, 16);
    EXPECT_EQ(stages[1].negatives, 8);
    EXPECT_EQ(stages[1].positives, 16);
}

TEST_F(ShowConfig, TheGuidesExampleTakesItsSeventeenPercent) {
    write("config.yaml", kConfig);
    const auto stages = read_stages(folder_).value();
    const auto gpu = training::GpuCatalogue().find("rtx_6000").value();
    const auto text = show_stages(stages, gpu).value().text;
    // The guide publishes 4.2 GB and 17 % of 24.
    EXPECT_NE(text.find("guide's formula: 4.2 GiB, 18 % (underused)"), std::string::npos) << text;
    EXPECT_NE(text.find("a batch of"), std::string::npos) << text;
}

TEST_F(ShowConfig, NamesTheFileAndWhatIsWrongWithIt) {
    EXPECT_NE(read_stages(folder_).error().where.find("config.yaml"), std::string::npos);
    write("config.yaml", "epochs: 3\n");
    EXPECT_NE(read_stages(folder_).error().message.find("batch_size"), std::string::npos);
    write("config.yaml", "batch_size: -3\n");
    EXPECT_NE(read_stages(folder_).error().message.find("between 1 and"), std::string::npos);
    write("config.yaml", "a: [\n");
    EXPECT_NE(read_stages(folder_).error().message.find("not YAML"), std::string::npos);
}

TEST_F(ShowConfig, ReadsARunOfTwoFiles) {
    write("train.yaml",
          "model_name_or_path: google-bert/bert-base-uncased\nper_device_train_batch_size: 16\n"
          "num_train_epochs: 3\nmax_seq_length: 128\noptim: adafactor\nfp16: true\n");
    write("zero.json",
          R"({"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": 4,
              "zero_optimization": {"stage": 2}})");
    ShowRunRequest request;
    request.paths = {folder_ / "train.yaml", folder_ / "zero.json"};
    request.given.give("--gpu", {"rtx_4090"});
    request.given.give("--cards", {"2"});
    const auto told = show_run(request).value();
    EXPECT_EQ(told.value["effective_batch"], 16 * 4 * 2);
    EXPECT_EQ(told.value["cluster"]["sharding"], "zero2");
    EXPECT_EQ(told.value["training"]["optimizer"], "adafactor");
    EXPECT_EQ(told.value["training"]["precision"], "fp16_autocast");
    EXPECT_GT(told.value["device_used_bytes"], 0);
    EXPECT_NE(told.text.find("bert-base: batch 16 x 4 on 2 GPUs, effective 128; 128 tokens"),
              std::string::npos)
        << told.text;
    request.paths = {folder_};  // and what is no configuration is passed over
    write("notes.yaml", "epochs: 3\n");
    EXPECT_EQ(show_run(request).value().value["effective_batch"], 128);
}

TEST_F(ShowConfig, ReadsTheDeepSpeedFileThatAFileNames) {
    write("train.yaml",
          "model_name_or_path: google-bert/bert-base-uncased\nper_device_train_batch_size: 16\n"
          "num_train_epochs: 3\nmax_seq_length: 128\nlearning_rate: 5.0e-7\n"
          "deepspeed: somewhere/zero.json\n");
    ShowRunRequest request;
    request.paths = {folder_ / "train.yaml"};
    request.given.give("--gpu", {"rtx_4090"});
    request.given.give("--cards", {"2"});
    EXPECT_NE(show_run(request).error().message.find("somewhere/zero.json is not there"),
              std::string::npos);
    write("zero.json", R"({"zero_optimization": {"stage": 3}})");
    const auto told = show_run(request).value();
    EXPECT_EQ(told.value["cluster"]["sharding"], "zero3");
    EXPECT_EQ(told.value["cluster"]["cards"], 2);
    EXPECT_EQ(told.text.find("learning_rate"), std::string::npos) << told.text;
}

TEST_F(ShowConfig, DerivesWhatATotalBatchLeavesOut) {
    ShowRunRequest request;
    request.paths = {folder_ / "zero.json"};
    request.given.give("--preset", {"gpt2"});
    const auto shown = [&](const std::string& keys, const std::string& gpu) {
        write("zero.json", "{\"zero_optimization\": {\"stage\": 2}, " + keys + "}");
        request.given.give("--gpu", {gpu});
        return show_run(request).value();
    };
    const std::string micro = R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 4)";
    auto told = shown(micro, "4 x RTX 4090").value;
    EXPECT_EQ(told["accumulation"], 4);
    EXPECT_EQ(told["effective_batch"], 64);
    told = shown(micro + R"(, "gradient_accumulation_steps": 2)", "rtx_4090").value;
    EXPECT_EQ(told["cluster"]["cards"], 8);
    told =
        shown(R"("train_batch_size": 64, "gradient_accumulation_steps": 2)", "RTX 4090 x8").value;
    EXPECT_EQ(told["batch"], 4);
    EXPECT_NE(shown(R"("train_batch_size": 30, "train_micro_batch_size_per_gpu": 4)", "2x4090")
                  .text.find("train_batch_size is 30, but"),
              std::string::npos);
}

TEST_F(ShowConfig, FindsTheDeepSpeedFileBesideTheFileThatNamesIt) {
    write("curriculum/train.yaml",
          "model_name_or_path: gpt2\nper_device_train_batch_size: 1\nnum_train_epochs: 1\n"
          "deepspeed: zero.json\n");
    write("curriculum/zero.json", R"({"zero_optimization": {"stage": 3}})");
    write("two.yaml", "distributed_type: MULTI_GPU\nnum_processes: 2\n");
    ShowRunRequest request;
    request.paths = {folder_ / "two.yaml", folder_ / "curriculum/train.yaml"};
    request.given.give("--gpu", {"rtx_4090"});
    EXPECT_EQ(show_run(request).value().value["cluster"]["sharding"], "zero3");
    write("two.yaml", "distributed_type: FSDP\nnum_processes: 2\n");
    EXPECT_NE(show_run(request).error().message.find("no library uses both"), std::string::npos);
}

TEST_F(ShowConfig, ComputesDividedWeightsWithoutShardsInFp32) {
    write("titan.toml",
          "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\n"
          "seq_len = 512\n[parallelism]\ntensor_parallel_degree = 2\n");
    ShowRunRequest request;
    request.paths = {folder_ / "titan.toml"};
    request.given.give("--gpu", {"h200"});
    request.given.give("--preset", {"llama-8b"});
    for (const auto& [cards, precision] :
         {std::pair("2", "fp32"), std::pair("4", "bf16_autocast")}) {
        request.given.give("--cards", {cards});
        const auto told = show_run(request);
        ASSERT_TRUE(told) << told.error().message;
        EXPECT_EQ(told->value["training"]["precision"], precision);
    }
}

TEST_F(ShowConfig, RefusesWhatIsNotModelled) {
    write("reward.yaml",
          "model_name_or_path: Qwen/Qwen3-4B\nstage: rm\ntemplate: qwen3\ncutoff_len: 2048\n"
          "finetuning_type: lora\nper_device_train_batch_size: 1\nnum_train_epochs: 3\n");
    ShowRunRequest request;
    request.paths = {folder_ / "reward.yaml"};
    request.given.give("--gpu", {"rtx_4090"});
    const auto refused = show_run(request).error();
    EXPECT_NE(refused.message.find("There is no estimate"), std::string::npos) << refused.message;
    EXPECT_NE(refused.message.find("\n  stage is rm: "), std::string::npos) << refused.message;
}

TEST_F(ShowConfig, ShowsAWayOutOfWhatIsNotModelled) {
    write("offload.yaml",
          "base_model: gpt2\nmicro_batch_size: 2\nactivation_offloading: true\n"
          "optimizer: muon\nsequence_len: 128\n");
    ShowRunRequest request;
    request.paths = {folder_ / "offload.yaml"};
    request.given.give("--gpu", {"rtx_4090"});
    const auto refused = show_run(request).error();
    EXPECT_NE(refused.message.find("--without activation_offloading"), std::string::npos)
        << refused.message;
    request.without = {"activation_offloading"};
    EXPECT_NE(show_run(request).error().message.find("optimizer is muon"), std::string::npos);
    request.given.give("--optimizer", {"adamw"});
    const auto told = show_run(request).value();
    EXPECT_NE(told.text.find("left out, as asked: activation_offloading"), std::string::npos);
    EXPECT_EQ(told.value["training"]["optimizer"], "adamw");
    request.without.emplace_back("fsdp_config.version");
    EXPECT_NE(show_run(request).error().message.find("no file has this key"), std::string::npos);
}

TEST_F(ShowConfig, AdaptsTheLayersThatTheModelHas) {
    const std::string run = "base_model: llama-8b\nmicro_batch_size: 1\nadapter: lora\n";
    ShowRunRequest request;
    request.given.give("--gpu", {"rtx_4090"});
    request.paths = {folder_ / "lora.yaml"};
    write("lora.yaml", run + "lora_target_modules: [self_attn.q_proj, v_proj, in_proj, w1]\n");
    const auto told = show_run(request).value();
    EXPECT_EQ(told.value["training"]["lora_targets"], nlohmann::json({"q_proj", "v_proj"}));
    EXPECT_NE(told.text.find("adapters on in_proj, w1: the model has no such"), std::string::npos);
    // peft has adapters for these, which are not modelled; and refuses where no name matches.
    for (const auto* names : {"[q_proj, lm_head]", "[in_proj]"}) {
        write("lora.yaml", run + "lora_target_modules: " + names + "\n");
        EXPECT_NE(show_run(request).error().message.find("no linear layer"), std::string::npos);
    }
}

TEST_F(ShowConfig, KeepsWeightsThatTheCheckpointHasPacked) {
    const std::string config =
        R"({"model_type": "llama", "hidden_size": 512, "num_hidden_layers": 2, "vocab_size": 1000,
            "num_attention_heads": 8, "intermediate_size": 1024, "quantization_config": )";
    ShowRunRequest request;
    request.paths = {folder_ / "lora.yaml"};
    request.given.give("--gpu", {"rtx_4090"});
    request.given.give("--config", {folder_ / "config.json"});
    write("lora.yaml", "base_model: x\nmicro_batch_size: 1\nadapter: lora\nsequence_len: 128\n");
    const auto quantization = [&](const std::string& packed) {
        write("config.json", config + packed + "}");
        return show_run(request).value().value["training"]["quantization"];
    };
    EXPECT_EQ(quantization(R"({"load_in_4bit": true})"), "nf4");
    EXPECT_EQ(quantization(R"({"load_in_4bit": true, "bnb_4bit_use_double_quant": true})"),
              "nf4_double");
    EXPECT_EQ(quantization(R"({"load_in_8bit": true})"), "int8");
    EXPECT_EQ(quantization(R"({"quant_method": "fp8"})"), "none");
    write("config.json", config + R"({"quant_method": "gptq", "bits": 4}})");
    EXPECT_NE(show_run(request).error().message.find("packed by gptq"), std::string::npos);
    request.given.give("--quantization", {"nf4"});
    EXPECT_EQ(quantization(R"({"quant_method": "gptq", "bits": 4})"), "nf4");
}

// peft's preparation, which axolotl runs, widens experts; TRL trains in bf16, and LLaMA-Factory in
// fp32 beside what it loads in bf16.
TEST_F(ShowConfig, KnowsWhatLibrariesDoBesidePackedWeights) {
    write("config.json",
          R"({"model_type": "mixtral", "hidden_size": 512, "num_hidden_layers": 2,
              "vocab_size": 1000, "num_attention_heads": 8, "intermediate_size": 1024})");
    ShowRunRequest request;
    request.paths = {folder_ / "run.yaml"};
    request.given.give("--gpu", {"rtx_4090"});
    request.given.give("--config", {folder_ / "config.json"});
    const auto trained = [&](const std::string& text, const char* packs = "load_in_4bit: true\n") {
        write("run.yaml", text + packs);
        const auto training = show_run(request).value().value["training"];
        return training["precision"].get<std::string>() + " " +
               training["lora_dtype"].get<std::string>();
    };
    EXPECT_EQ(trained("base_model: x\nmicro_batch_size: 1\nadapter: qlora\nsequence_len: 128\n"),
              "bf16_autocast fp32");
    const std::string trl =
        "max_length: 128\npacking: false\nuse_peft: true\n"
        "per_device_train_batch_size: 1\nnum_train_epochs: 1\n";
    EXPECT_EQ(trained(trl), "bf16_autocast all_bf16");
    EXPECT_EQ(trained(trl + "dtype: bfloat16\n"), "bf16 all_bf16");
    EXPECT_EQ(trained("per_device_train_batch_size: 1\nnum_train_epochs: 1\ntemplate: x\n"
                      "finetuning_type: lora\ncutoff_len: 128\nbf16: true\n"
                      "additional_target: lm_head\n",
                      "quantization_bit: 4\n"),
              "bf16 all_fp32");
}

TEST_F(ShowConfig, ShardsAsTheLibraryDoesOverGpusOfTheCommandLine) {
    write("tune.yaml",
          "model: {_component_: torchtune.models.llama3.llama3_8b}\nbatch_size: 1\ndtype: bf16\n"
          "optimizer: {_component_: torch.optim.AdamW}\n");
    ShowRunRequest request;
    request.paths = {folder_ / "tune.yaml"};
    request.given.give("--gpu", {"rtx_4090"});
    EXPECT_TRUE(show_run(request).value().value["cluster"].is_null());
    request.given.give("--cards", {"8"});
    EXPECT_EQ(show_run(request).value().value["cluster"]["sharding"], "fsdp");
}

TEST_F(ShowConfig, SaysWhereAModelWithoutANameOnTheHubComesFrom) {
    write("titan.toml",
          "[model]\nname = \"llama3\"\nflavor = \"debugmodel\"\n[training]\nsteps = 1\n");
    ShowRunRequest request;
    request.paths = {folder_ / "titan.toml"};
    request.given.give("--gpu", {"rtx_4090"});
    EXPECT_NE(show_run(request).error().message.find("--set 'model.dimensions"), std::string::npos);
}

TEST_F(ShowConfig, AsksWhichTrainerOfPreferencesRuns) {
    write("preferences.yaml",
          "beta: 0.1\nmax_length: 256\nper_device_train_batch_size: 1\nnum_train_epochs: 3\n");
    ShowRunRequest request;
    request.paths = {folder_ / "preferences.yaml"};
    request.given.give("--gpu", {"rtx_4090"});
    request.given.give("--preset", {"gpt2"});
    EXPECT_NE(show_run(request).error().message.find("--method dpo"), std::string::npos);
    request.given.give("--method", {"dpo"});
    const auto told = show_run(request).value();
    EXPECT_NE(told.text.find(", dpo\n"), std::string::npos) << told.text;
}

TEST_F(ShowConfig, NamesWhatARunLacks) {
    write("train.yaml", "per_device_train_batch_size: 16\nnum_train_epochs: 3\n");
    ShowRunRequest request;
    request.paths = {folder_ / "train.yaml"};
    EXPECT_NE(show_run(request).error().message.find("name it with --model"), std::string::npos);
    request.given.give("--preset", {"bert-base"});
    request.given.give("--gpu", {"rtx_4090"});
    const auto told = show_run(request).value();
    EXPECT_NE(told.text.find("sequence_length is not in the files"), std::string::npos);
    write("other.yaml", "epochs: 3\n");
    request.paths = {folder_ / "other.yaml"};
    write("run.sh", "#!/bin/bash\ntorchrun train.py \\\n  --learning_rate 2e-5\n");
    request.paths = {folder_ / "run.sh"};
    EXPECT_NE(show_run(request).error().message.find("learning_rate: 2e-5"), std::string::npos);
    request.paths = {folder_ / "other.yaml"};
    EXPECT_NE(show_run(request).error().message.find("structure is not recognized"),
              std::string::npos);
    write("accelerate.yaml", "compute_environment: LOCAL_MACHINE\nmixed_precision: no\n");
    request.paths = {folder_ / "accelerate.yaml"};
    EXPECT_NE(show_run(request).error().message.find("do not set a batch size"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
