// What an estimate changes in files of axolotl, torchtune and LLaMA-Factory. What it writes is read
// back as estimated.
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

}  // namespace
}  // namespace plimsoll::jobs::training_config
