#pragma once

#include "server/kinds/training_config/contract/configs/configured_run.hpp"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

// Files of runs, and what is read in them, for tests.
namespace plimsoll::jobs::training_config {

using ::testing::HasSubstr;

inline ConfiguredRun run_of(const std::string& text) {
    ConfiguredRun run;
    const auto read = read_run(text, run);
    EXPECT_TRUE(read) << text;
    return run;
}

inline std::string unmodelled(const std::string& text) {
    std::string all;
    for (const auto& one : run_of(text).unmodelled) all += one.text + "\n";
    return all;
}

inline std::string notes(const std::string& text) {
    return fmt::format("{}", fmt::join(run_of(text).notes, "\n"));
}

inline const std::string kTrainer = "per_device_train_batch_size: 2\nnum_train_epochs: 1\n";
inline const std::string kFactory = kTrainer + "template: qwen3\ncutoff_len: 2048\nbf16: true\n";
inline const std::string kTrl = kTrainer + "dataset_text_field: text\n";
inline const std::string kAccelerate = "compute_environment: LOCAL_MACHINE\nnum_processes: 4\n";
inline const std::string kLightning = "data: {batch_size: 4}\ntrainer: {max_epochs: 1, ";
inline const std::string kAxolotl =
    "base_model: meta-llama/Llama-3.1-8B\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\n"
    "sequence_len: 4096\nbf16: auto\ngradient_checkpointing: true\n";

}  // namespace plimsoll::jobs::training_config
