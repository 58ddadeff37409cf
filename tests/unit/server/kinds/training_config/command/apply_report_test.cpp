// Reports applied to configurations of every structure that is known, and of none.
#include "server/kinds/training_config/command/configs/apply.hpp"
#include "tests/unit/server/kinds/training_config/command/applied_report.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
namespace plimsoll::jobs::training_config {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Apply : public ::testing::Test {
  protected:
    Apply() { write("report.json", report().dump()); }
    ~Apply() override { fs::remove_all(folder_); }

    static fs::path make_folder() {
        auto name = (fs::temp_directory_path() / "plm-apply-XXXXXX").string();
        return mkdtemp(name.data());
    }
    fs::path write(const std::string& name, const std::string& text) const {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << text;
        return folder_ / name;
    }
    std::string read(const std::string& name) const {
        std::stringstream text;
        text << std::ifstream(folder_ / name).rdbuf();
        return text.str();
    }
    ApplyRequest request(std::vector<std::string> files) const {
        for (auto& file : files) file = folder_ / file;
        return {.report = folder_ / "report.json",
                .files = std::move(files),
                .gpu = {},
                .stage = {},
                .choice = {}};
    }
    // The file's text afterwards; what was said is in `told_`.
    std::string applied(const std::string& name, const std::string& text, Choice choice = {}) {
        write(name, text);
        auto asked = request({name});
        asked.choice = std::move(choice);
        auto told = apply_report(asked);
        if (!told) return told.error().message;
        told_ = *told;
        return read(name);
    }

    fs::path folder_ = make_folder();
    bool complete() const { return told_.status == terminal::ExitStatus::done; }

    Answer told_;
};

TEST_F(Apply, KnowsTransformersArguments) {
    EXPECT_EQ(applied("train.yaml", R"(model: meta-llama/Meta-Llama-3-8B
tokenizer_map:
  batch_size: 1000
per_device_train_batch_size: 8   # old
per_device_eval_batch_size: 128
learning_rate: 2.0e-4
gradient_checkpointing: false
fp16: true
optim: adamw_torch
dataloader_num_workers: 0
max_seq_length: 4096
lora: {r: 64}
)"),
              R"(model: meta-llama/Meta-Llama-3-8B
tokenizer_map:
  batch_size: 1000
gradient_accumulation_steps: 64
bf16: true
per_device_train_batch_size: 4   # old
per_device_eval_batch_size: 128
learning_rate: 2.0e-4
gradient_checkpointing: true
fp16: false
optim: adamw_torch_fused
dataloader_num_workers: 6
max_seq_length: 4096
lora: {r: 64}
)");
    EXPECT_FALSE(complete());
    EXPECT_THAT(told_.text, HasSubstr("max_seq_length is 4096; the estimate is for 1024 tokens"));
    EXPECT_THAT(told_.text, HasSubstr("lora.r is 64; the estimate is for 16"));
}

TEST_F(Apply, KnowsDeepSpeed) {
    auto sharded = report();
    sharded["gpus"][0]["shard"] = {{"cards", 8}, {"sharding", "zero2"}, {"offload", "none"}};
    write("report.json", sharded.dump());
    const auto now = json::parse(applied("ds.json", R"({
  "train_batch_size": 32, "train_micro_batch_size_per_gpu": 4,
  "bf16": {"enabled": false}, "fp16": {"enabled": "auto"},
  "optimizer": {"type": "AdamW", "params": {"lr": 3e-4}},
  "zero_optimization": {"stage": 0}
})"));
    EXPECT_EQ(now["train_batch_size"], 4 * 64 * 8);
    EXPECT_EQ(now["gradient_accumulation_steps"], 64);
    EXPECT_EQ(now["bf16"]["enabled"], true);
    EXPECT_EQ(now["fp16"]["enabled"], "auto");
    EXPECT_EQ(now["zero_optimization"]["stage"], 2);
    EXPECT_EQ(now["optimizer"]["params"]["lr"], 3e-4) << "nobody asked for the rate";
    EXPECT_THAT(told_.text, HasSubstr("follows the Trainer"));
}

TEST_F(Apply, KnowsAccelerate) {
    const auto now = applied("accelerate.yaml",
                             "compute_environment: LOCAL_MACHINE\ndistributed_type: NO\n"
                             "mixed_precision: 'no'\nnum_processes: 1\n");
    EXPECT_THAT(now, HasSubstr("mixed_precision: 'bf16'"));
    EXPECT_TRUE(complete()) << told_.text;
}

TEST_F(Apply, KnowsLightningAndTheDataOfTraining) {
    const auto now = applied("config.yaml", R"(trainer:
  max_epochs: 20
  precision: 16
data:
  train: {batch_size: 8, num_workers: 0}
  val: {batch_size: 512}
optimizer:
  lr: 3.0e-4
model:
  generator: {lr: 1e-3}
)");
    EXPECT_THAT(now, HasSubstr("accumulate_grad_batches: 64"));
    EXPECT_THAT(now, HasSubstr("precision: bf16-mixed"));
    EXPECT_THAT(now, HasSubstr("train: {batch_size: 4, num_workers: 6}"));
    EXPECT_THAT(now, HasSubstr("val: {batch_size: 512}"));
    EXPECT_THAT(now, HasSubstr("lr: 3.0e-4"));
    EXPECT_THAT(now, HasSubstr("lr: 1e-3"));
    const auto rated = applied("config.yaml", now, {.rates = true});
    EXPECT_THAT(rated, HasSubstr("lr: 5.5e-05"));
    EXPECT_THAT(rated, HasSubstr("lr: 1e-3")) << "the generator's own rate";
}

TEST_F(Apply, AsksForAnAmbiguousBatch) {
    const std::string text =
        "trainer: {max_epochs: 3}\nleft: {batch_size: 1}\nright: {batch_size: 2}\n";
    EXPECT_THAT(applied("config.yaml", text), HasSubstr("right: {batch_size: 2}"));
    EXPECT_THAT(told_.text, HasSubstr("--map batch=PLACE"));
    EXPECT_FALSE(complete());
    EXPECT_THAT(applied("config.yaml", text, {.places = {{"batch", "right.batch_size"}}}),
                HasSubstr("right: {batch_size: 4}"));
}

TEST_F(Apply, GivesEveryStageItsOwnValues) {
    const std::string text = "n_positives: 1\nn_negatives: 1\n";
    write("curriculum/01_stage.yaml", text);
    write("curriculum/03_stage.yaml", text);
    write("curriculum/07_stage.yaml", text);
    const auto told = apply_report(request(
        {"curriculum/01_stage.yaml", "curriculum/03_stage.yaml", "curriculum/07_stage.yaml"}));
    EXPECT_EQ(read("curriculum/01_stage.yaml"), "n_positives: 32\nn_negatives: 24\n");
    EXPECT_EQ(read("curriculum/03_stage.yaml"), "n_positives: 16\nn_negatives: 8\n");
    EXPECT_EQ(read("curriculum/07_stage.yaml"), text);
    EXPECT_THAT(told->text, HasSubstr("07_stage.yaml: its structure is not recognized"));
}

TEST_F(Apply, ChangesOnlyMappedPlacesOfUnknownStructures) {
    const std::string text = "train: {bs: 8, lr: 2e-5}\nvalidation: {batch_size: 512}\n";
    EXPECT_EQ(applied("own.yaml", text), text);
    EXPECT_THAT(told_.text, HasSubstr("its structure is not recognized"));
    EXPECT_FALSE(complete());
    EXPECT_EQ(applied("own.yaml", text, {.places = {{"batch", "train.bs"}}}),
              "train: {bs: 4, lr: 2e-5}\nvalidation: {batch_size: 512}\n");
    EXPECT_TRUE(complete()) << told_.text;
}

TEST_F(Apply, WritesOnlyWhatIsChosen) {
    const std::string text =
        "per_device_train_batch_size: 8\nnum_train_epochs: 3\noptim: adafactor\n";
    EXPECT_EQ(applied("a.yaml", text, {.only = {"batch"}}),
              "per_device_train_batch_size: 4\nnum_train_epochs: 3\noptim: adafactor\n");
    EXPECT_THAT(applied("b.yaml", text, {.keep = {"optimizer", "batch"}}),
                HasSubstr("per_device_train_batch_size: 8"));
    EXPECT_THAT(read("b.yaml"), HasSubstr("optim: adafactor"));
    EXPECT_THAT(read("b.yaml"), HasSubstr("gradient_accumulation_steps: 64"));
}

TEST_F(Apply, ADryRunShowsChangesAndWritesNothing) {
    const std::string text = "a: 1\nper_device_train_batch_size: 8\nnum_train_epochs: 3\n";
    write("a.yaml", text);
    auto asked = request({"a.yaml"});
    asked.dry_run = true;
    const auto told = apply_report(asked);
    ASSERT_TRUE(told) << told.error().message;
    EXPECT_EQ(read("a.yaml"), text);
    EXPECT_FALSE(fs::exists(folder_ / "a.yaml.before-1"));
    EXPECT_EQ(told->value["files"][0]["backup"], nullptr);
    // The diff is what an apply does.
    write("told.diff", told->text);
    const auto patch = "patch -s -p0 -d / < " + (folder_ / "told.diff").string();
    ASSERT_EQ(std::system(patch.c_str()), 0) << told->text;
    const auto patched = read("a.yaml");
    write("a.yaml", text);
    ASSERT_TRUE(apply_report(request({"a.yaml"})));
    EXPECT_EQ(patched, read("a.yaml"));
}

TEST_F(Apply, NeverLosesTheContentOfAFile) {
    const std::string original = "per_device_train_batch_size: 8\nnum_train_epochs: 3\n";
    const auto config = write("a.yaml", original);
    write("a.yaml.backup", "somebody else's");
    fs::permissions(config, fs::perms::owner_read | fs::perms::owner_write);
    ASSERT_TRUE(apply_report(request({"a.yaml"})));
    const auto first = read("a.yaml");
    EXPECT_EQ(read("a.yaml.before-1"), original);
    EXPECT_EQ(fs::status(config).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    const auto by_hand = first + "seed: 7\n";
    write("a.yaml", by_hand);
    auto other = report();
    other["gpus"][0]["batch"] = 24;
    write("report.json", other.dump());
    ASSERT_TRUE(apply_report(request({"a.yaml"})));
    const auto second = read("a.yaml");
    EXPECT_THAT(second, HasSubstr("seed: 7"));
    auto back = request({"a.yaml"});
    back.restore = true;
    ASSERT_TRUE(apply_report(back));
    EXPECT_EQ(read("a.yaml"), by_hand) << "the edit in between";
    ASSERT_TRUE(apply_report(back));
    EXPECT_EQ(read("a.yaml"), original);
    EXPECT_EQ(read("a.yaml.undone-1"), second);
    EXPECT_EQ(read("a.yaml.undone-2"), by_hand);
    EXPECT_EQ(read("a.yaml.backup"), "somebody else's");
    EXPECT_THAT(apply_report(back).error().message, HasSubstr("nothing to restore"));
}

TEST_F(Apply, ReadsEveryFileBeforeItWritesOne) {
    const std::string text = "per_device_train_batch_size: 8\nnum_train_epochs: 3\n";
    write("a.yaml", text);
    write("list.yaml", "- 1\n");
    fs::create_directory(folder_ / "folder.yaml");
    for (const auto* wrong : {"missing.yaml", "list.yaml", "folder.yaml"}) {
        const auto told = apply_report(request({"a.yaml", wrong}));
        ASSERT_FALSE(told) << wrong;
        EXPECT_THAT(told.error().where, HasSubstr(wrong));
        EXPECT_EQ(read("a.yaml"), text);
    }
}

TEST_F(Apply, NamesLinesThatFollowByAnAlias) {
    write("a.yaml",
          "per_device_train_batch_size: &size 8\nper_device_eval_batch_size: *size\n"
          "num_train_epochs: 3\n");
    const auto told = apply_report(request({"a.yaml"}));
    ASSERT_TRUE(told) << told.error().message;
    EXPECT_THAT(told->text, HasSubstr(":2: changes too: an alias repeats per_device_train_batch"));
}

TEST_F(Apply, RefusesInvalidReports) {
    write("a.yaml", "per_device_train_batch_size: 8\nnum_train_epochs: 3\n");
    for (const auto* text : {"a: 1", "[1]", "null", R"({"gpus": [3]})", R"({"summary": 3})"}) {
        write("report.json", text);
        EXPECT_THAT(apply_report(request({"a.yaml"})).error().message, HasSubstr("report")) << text;
    }
}

TEST_F(Apply, RefusesFilesItMayNotWrite) {
    const auto config = write("a.yaml", "per_device_train_batch_size: 8\nnum_train_epochs: 3\n");
    fs::permissions(config, fs::perms::owner_read);
    EXPECT_THAT(apply_report(request({"a.yaml"})).error().message, HasSubstr("read-only"));
    write("large.yaml", std::string(10'000'001, '#'));
    EXPECT_THAT(apply_report(request({"large.yaml"})).error().message, HasSubstr("10 MB"));
}

// Chosen by the user in the same file, and not what was estimated.
TEST_F(Apply, ComparesAdaptersAndQuantization) {
    applied("lora.yaml",
            "per_device_train_batch_size: 4\ngradient_accumulation_steps: 64\n"
            "lora_r: 16\nlora_target_modules: [q_proj, k_proj]\nload_in_4bit: true\n");
    EXPECT_THAT(told_.text, HasSubstr("lora_target_modules is k_proj, q_proj; the estimate is for "
                                      "adapters on q_proj, v_proj"));
    EXPECT_THAT(told_.text, HasSubstr("load_in_4bit quantizes the weights to 4 bits; the estimate "
                                      "is for weights that are not quantized"));
    EXPECT_FALSE(complete());
    applied("same.yaml",
            "per_device_train_batch_size: 4\ngradient_accumulation_steps: 64\n"
            "lora_rank: 16\nlora_target: q_proj,v_proj\n");
    EXPECT_TRUE(complete()) << told_.text;
    EXPECT_THAT(told_.text, Not(HasSubstr("no adapters")));
    applied("none.yaml", "per_device_train_batch_size: 4\ngradient_accumulation_steps: 64\n");
    EXPECT_THAT(told_.text, HasSubstr("none.yaml: the file has no adapters; the estimate is for "
                                      "adapters of rank 16"));
    EXPECT_TRUE(complete()) << "a program may add them";
    applied("rank.yaml", "per_device_train_batch_size: 4\nlogging_steps: 1\npeft: {r: 8}\n");
    EXPECT_THAT(told_.text, HasSubstr("peft.r is 8; the estimate is for 16"));
}

// Another library's batch stands under another name: nothing is added to its file.
TEST_F(Apply, ProposesPlacesOfAnUnknownStructure) {
    const std::string text =
        "micro_batch_size: 2\ngradient_accumulation_steps: 4\nbf16: false\nlearning_rate: 2e-4\n"
        "optimizer: adamw_torch\ngradient_checkpointing: true\nval_set: {batch_size: 8}\n";
    EXPECT_EQ(applied("axolotl.yaml", text), text);
    EXPECT_FALSE(complete());
    EXPECT_THAT(told_.text, AllOf(HasSubstr("micro_batch_size: 2 -> 4"),
                                  HasSubstr("gradient_checkpointing: true, as estimated")));
    EXPECT_THAT(told_.text, HasSubstr("add --map batch=micro_batch_size --map "
                                      "accumulation=gradient_accumulation_steps --map "
                                      "precision=bf16 --map optimizer=optimizer\n"));
    EXPECT_EQ(applied("axolotl.yaml", text,
                      {.places = {{"batch", "micro_batch_size"},
                                  {"accumulation", "gradient_accumulation_steps"},
                                  {"precision", "bf16"},
                                  {"optimizer", "optimizer"}}}),
              "micro_batch_size: 4\ngradient_accumulation_steps: 64\nbf16: true\n"
              "learning_rate: 2e-4\noptimizer: adamw_torch_fused\ngradient_checkpointing: true\n"
              "val_set: {batch_size: 8}\n");
    EXPECT_TRUE(complete()) << told_.text;
}

TEST_F(Apply, RefusesAPlaceThatCannotExpressThePrecision) {
    EXPECT_THAT(
        applied("tune.yaml", "batch_size: 2\ndtype: fp32\n", {.places = {{"precision", "dtype"}}}),
        HasSubstr("--map precision=dtype: no value of this setting matches"));
    EXPECT_EQ(read("tune.yaml"), "batch_size: 2\ndtype: fp32\n");
}

TEST_F(Apply, KnowsHydraGroups) {
    write("trainer.yaml", "_target_: lightning.pytorch.trainer.Trainer\nmax_epochs: 3\n");
    const auto alone = apply_report(request({"trainer.yaml"}));
    EXPECT_FALSE(alone->status == terminal::ExitStatus::done);
    EXPECT_THAT(alone->text, HasSubstr("none of these files has a place for batch"));
    write("data.yaml", "_target_: src.data.TextDataModule\nbatch_size: 128\n");
    ASSERT_TRUE(apply_report(request({"trainer.yaml", "data.yaml"})));
    EXPECT_THAT(read("trainer.yaml"), HasSubstr("accumulate_grad_batches: 64"));
    EXPECT_THAT(read("data.yaml"), HasSubstr("batch_size: 4"));
}

TEST_F(Apply, KnowsTheDefaultsOfTrlAndLlamaFactory) {
    auto plain = report();
    plain["training"]["checkpointing"] = false;
    write("report.json", plain.dump());
    EXPECT_THAT(
        applied("sft.yaml", "per_device_train_batch_size: 8\nnum_train_epochs: 1\npacking: true\n"),
        HasSubstr("gradient_checkpointing: false"));
    EXPECT_THAT(read("sft.yaml"), HasSubstr("packing: false"));
    EXPECT_THAT(applied("factory.yaml",
                        "per_device_train_batch_size: 8\nnum_train_epochs: 1\n"
                        "finetuning_type: lora\ntemplate: qwen\n"),
                HasSubstr("disable_gradient_checkpointing: true"));
}

TEST_F(Apply, WritesPagedOptimizersByTheirNames) {
    auto paged = report();
    paged["training"]["optimizer"] = "paged_adamw_8bit";
    write("report.json", paged.dump());
    EXPECT_THAT(applied("a.yaml", "per_device_train_batch_size: 8\nnum_train_epochs: 1\n"),
                HasSubstr("optim: paged_adamw_8bit"));
}

// A guide's batch is applied where that was the goal, and it is said that it does not fit.
TEST_F(Apply, ReportsABatchThatDoesNotFit) {
    auto guided = report();
    guided["gpus"][0]["batch"] = 45;
    guided["gpus"][0]["accumulation"]["nearest"]["steps"] = 5;
    write("report.json", guided.dump());
    const auto text = applied("train.yaml",
                              "data_loader:\n  batch_size: 4\ntraining:\n  trainer:\n"
                              "    accumulate_grad_batches: 16\n    max_epochs: 1\n");
    EXPECT_THAT(text, AllOf(HasSubstr("batch_size: 45"), HasSubstr("accumulate_grad_batches: 5")));
    EXPECT_THAT(told_.text, HasSubstr("batch of 45 does not fit; the largest is 5"));
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
