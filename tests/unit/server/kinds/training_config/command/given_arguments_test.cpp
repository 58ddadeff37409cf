// The flags of the contract's options: what they make of the arguments, and where an error is.
#include "server/kinds/training_config/command/given_arguments.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;

struct Line {
    explicit Line(const std::string& words) {
        given.add_flags(app);
        given.add_set(app);
        app.parse(words);
    }
    json args(json from = json::object()) const { return given.on_top_of(from).value(); }

    CLI::App app;
    GivenArguments given;
};

TEST(GivenArguments, FlagsOfEveryTypeSetTheirMember) {
    EXPECT_EQ(Line("--preset gpt2 --batch 4 --safety-margin 0.5 --fused-loss --gpu t4 --gpu h200 "
                   "--lora-modules query,key --sharding fsdp --cards 8 --gpu-memory 24 "
                   "--set workload.epochs=5")
                  .args(),
              json::parse(R"({"model": {"preset": "gpt2"}, "gpus": ["t4", "h200"],
                  "training": {"batch": 4, "fused_loss": true,
                               "lora": {"modules": ["query", "key"]}},
                  "custom_gpus": [{"memory_gib": 24.0}],
                  "safety_margin": 0.5, "workload": {"epochs": 5},
                  "cluster": {"cards": 8, "sharding": "fsdp"}})"));
}

TEST(GivenArguments, AreKnownByTheNamesOfOtherTools) {
    EXPECT_EQ(
        Line("--zero 3 --num-gpus 8 --seq-len 512 --batch-size 4 --gradient-checkpointing").args(),
        Line("--sharding zero3 --cards 8 --sequence-length 512 --batch 4 --checkpointing").args());
    EXPECT_EQ(Line("--qlora 16").args(), Line("--lora 16 --quantization nf4_double").args());
    EXPECT_EQ(Line("--fsdp --load-in-4bit").args(),
              Line("--sharding fsdp --quantization nf4").args());
    EXPECT_EQ(
        Line("--gpus 2 --dpo --optim adam_8bit --bf16 --flash-attn --cpu-offload --margin 0.9 "
             "--target-modules all-linear --memory 24 --max-seq-len 64")
            .args(),
        Line("--cards 2 --method dpo --optimizer adam_8bit --precision auto --attention "
             "flash_attention_2 --offload parameters --safety-margin 0.9 --lora-modules "
             "all-linear --gpu-memory 24 --sequence-length 64")
            .args());
    EXPECT_EQ(
        Line("--precision bfloat16 --optim adamw_8bit --sharding full_shard --quantization 4bit "
             "--method sft --attention fa2")
            .args(),
        Line("--precision bf16 --optimizer adam_8bit --sharding fsdp --quantization nf4 --method "
             "supervised --attention flash_attention_2")
            .args());
    for (const auto* words : {"--batch 4 --batch-size 8", "--seq-len 8 --max-length 9", "--zero",
                              "--qlora 16 --lora 8", "--fsdp full_shard"})
        EXPECT_THROW(Line{words}, CLI::ParseError) << words;
}

TEST(GivenArguments, NameAModelByPresetFolderFileOrCachedRepository) {
    namespace fs = std::filesystem;
    const auto home = fs::path(::testing::TempDir()) / "named-model";
    const auto snapshot = home / "hub/models--desk--tiny/snapshots/abc";
    fs::create_directories(snapshot);
    fs::create_directories(home / "hub/models--desk--tiny/refs");
    std::ofstream(home / "hub/models--desk--tiny/refs/main") << "abc";
    std::ofstream(snapshot / "config.json") << R"({"model_type": "gpt2"})";
    ::setenv("HF_HOME", home.c_str(), 1);
    const json config = {{"model_type", "gpt2"}};
    EXPECT_EQ(Line("--model gpt2").args()["model"], (json{{"preset", "gpt2"}}));
    EXPECT_EQ(Line("--model desk/tiny").args()["model"],
              (json{{"config", config}, {"name", "desk/tiny"}}));
    for (const auto& place : {snapshot, snapshot / "config.json"})
        EXPECT_EQ(Line("--model " + place.string()).args()["model"],
                  (json{{"config", config}, {"name", "abc"}}));
    const Line nothing("--model nothing-here");
    EXPECT_NE(nothing.given.on_top_of(json::object()).error().message.find("OWNER/NAME"),
              std::string::npos);
    ::unsetenv("HF_HOME");
}

TEST(GivenArguments, OverrideAFile) {
    const json file = {{"model", {{"config", json::object()}}}, {"training", {{"batch", 3}}}};
    EXPECT_EQ(Line("--preset gpt2 --batch 4").args(file),
              (json{{"model", {{"preset", "gpt2"}}}, {"training", {{"batch", 4}}}}));
    const auto wrong = Line("--batch 4").given.on_top_of({{"training", 5}});
    EXPECT_TRUE(wrong.error().message.starts_with("--batch: ")) << wrong.error().message;
}

TEST(GivenArguments, RefuseWhatIsNoValue) {
    for (const auto* words : {"--batch x", "--batch 1.5", "--safety-margin nan", "--goal most",
                              "--precision fp8", "--preset gpt2 --config a.json"})
        EXPECT_THROW(Line{words}, CLI::ParseError) << words;
    const Line twice("--batch 8 --set training.batch=4");
    EXPECT_FALSE(twice.given.on_top_of(json::object()));
}

TEST(GivenArguments, NameTheSourceOfAValue) {
    const Line line("--batch 8 --set training.padded=true --gpu-memory 24");
    const auto of = [&](const char* pointer, const char* file) {
        return line.given.source_of(pointer, file);
    };
    EXPECT_EQ(of("/training/batch", "a.json"), "--batch");
    EXPECT_EQ(of("/training/precision", "a.json"), "a.json (training.precision)");
    EXPECT_EQ(of("/training/precision", ""), "--precision");
    EXPECT_EQ(of("/training/padded", "a.json"), "--set training.padded");
    EXPECT_EQ(of("/model/config/num_heads", ""), "--config (num_heads)");
    EXPECT_EQ(of("/gpus/2", ""), "--gpu");
    EXPECT_EQ(of("/custom_gpus/0", ""), "--gpu-memory");
    EXPECT_EQ(of("/workload/epochs", ""), "--set workload.epochs");
}

TEST(GivenArguments, ReadsJsonAsPythonWritesIt) {
    const auto read = parse_python_json(
        R"({"limit": [0.0, Infinity], "low": -Infinity, "nan": NaN, "text": "Infinity \" NaN"})");
    EXPECT_EQ(read, nlohmann::json::parse(
                        R"({"limit": [0.0, null], "low": null, "nan": null,
                            "text": "Infinity \" NaN"})"));
    EXPECT_TRUE(parse_python_json("{Infinit}").is_discarded());
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
