#pragma once

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// A report with all that `apply` reads, for a card that carries the run and one that does not.
inline nlohmann::json report() {
    return nlohmann::json::parse(R"json({
      "training": {"optimizer": "adamw", "optimizer_kernel": "fused", "checkpointing": true, "clip": true, "attention": "sdpa",
                   "sequence_length": 1024, "lora_rank": 16, "lora_targets": ["q_proj", "v_proj"],
                   "lora_dora": false, "packed": false, "fused_loss": false, "quantization": "none"},
      "gpus": [
        {"gpu": {"id": "a100_80gb"}, "precision": "bf16_autocast", "batch": 4,
         "max_batch": 5, "trainable_parameters": 3407872,
         "accumulation": {"nearest": {"steps": 64}}, "shard": null,
         "learning_rate": {"recommended": 5.5e-5, "warmup_steps": 300}, "loader": {"workers": 6},
         "stages": [
           {"name": "01_stage (early)", "batch": 16, "max_batch": 18, "accumulation": {"nearest": {"steps": 16}},
            "positives": 32, "negatives": 24, "sequence_length": 512},
           {"name": "02-05_stage (later)", "batch": 40, "max_batch": 44, "accumulation": {"nearest": {"steps": 6}},
            "positives": 16, "negatives": 8, "sequence_length": 512}]},
        {"gpu": {"id": "t4"}, "accumulation": null}]})json");
}

}  // namespace plimsoll::jobs::training_config
