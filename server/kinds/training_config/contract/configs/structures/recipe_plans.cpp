#include "server/kinds/training_config/contract/configs/structures/planner.hpp"

#include <map>

// What an estimate changes in the files of axolotl and torchtune. A setting that the file already
// means is left as the file writes it.
namespace plimsoll::jobs::training_config {
namespace {

bool means(const Planner& p, const char* setting, const std::string& otherwise,
           const std::string& meant) {
    return p.run.training.value(setting, otherwise) == meant;
}

void plan_steps(Planner& p, Path batch, Path clip, double default_clip) {
    const auto& r = p.r;
    p.set("batch", std::move(batch), r.batch, true);
    p.settle("accumulation", {"gradient_accumulation_steps"}, std::to_string(r.accumulation),
             r.accumulation == 1);
    if ((scalar_at(p.root, clip, default_clip) > 0) != r.clip)
        p.set("clipping", std::move(clip), r.clip ? "1.0" : "null", true);
}

// Both load what is trained in 16 bits, and have no weights in fp32 beside them, unless FSDP1 or
// DeepSpeed do.
void compare_precision(Planner& p, const char* library) {
    const bool widens = is_zero(p.r) || means(p, "precision", "", "bf16_autocast");
    if (p.r.precision == "bf16_autocast" && p.r.lora_rank == 0 && !widens)
        p.say(std::string(library) +
              " trains weights in bf16; the estimate is for weights in fp32");
}

void compare_sharding(Planner& p) {
    const auto of_file =
        p.run.cluster.is_object() ? p.run.cluster.value("sharding", "none") : std::string("none");
    const auto meant = is_sharded(p.r) ? p.r.sharding : "none";
    const auto said = of_file == "ddp" ? std::string("none") : of_file;
    if (said != meant && p.run.deepspeed.empty())
        p.say("the file shards by " + said + "; the estimate by " + meant);
}

}  // namespace

bool plan_axolotl(Planner& p) {
    if (!is_axolotl(p.root)) return false;
    const auto& r = p.r;
    p.recognised("axolotl configuration");
    plan_steps(p, {"micro_batch_size"}, {"max_grad_norm"}, 1.0);
    const auto mixed = mixed_precision(r);
    const auto own = p.run.training.value("precision", "fp32");
    if (!own.starts_with(mixed == "no" ? "fp32" : mixed)) {
        p.set("precision", {"bf16"}, yes(mixed == "bf16"), true);
        if (mixed == "fp16" || has(p.root, {"fp16"}))
            p.set("precision", {"fp16"}, yes(mixed == "fp16"), true);
    }
    compare_precision(p, "axolotl");
    if (p.run.training.value("checkpointing", false) != r.checkpointing)
        p.set("checkpointing", {"gradient_checkpointing"}, yes(r.checkpointing), true);
    if (!means(p, "optimizer", "", r.optimizer))
        p.set("optimizer", {"optimizer"}, transformers_optimizer(r), true, true);
    if (!means(p, "attention", "sdpa", r.attention)) {
        const bool flag = has(p.root, {"flash_attention"});
        if (flag) p.set("attention", {"flash_attention"}, yes(r.attention != "sdpa"), false);
        if (!flag || r.attention == "eager")
            p.set("attention", {"attn_implementation"}, r.attention, true, true);
    }
    const bool packed = r.uses("packed"), fused = r.uses("fused_loss");
    const bool fuses = p.run.training.value("fused_loss", false);
    if (p.run.training.value("packed", false) != packed && !p.run.training.contains("method"))
        p.set("packing", {"sample_packing"}, yes(packed), true);
    if (fused && !fuses) {
        p.set("fused_loss", {"liger_fused_linear_cross_entropy"}, "true", true);
        p.say("Liger's loss needs axolotl.integrations.liger.LigerPlugin among the plugins");
    } else if (fuses && !fused) {
        p.say("the file computes the loss in a fused kernel and needs less; the estimate does not");
    }
    compare_sharding(p);
    p.change("workers", {"dataloader_num_workers"}, r.workers);
    p.change_rate({"learning_rate"});
    p.change("warmup_steps", {"warmup_steps"}, r.warmup_steps);
    p.compare_run();
    return true;
}

bool plan_torchtune(Planner& p) {
    static const std::map<std::string, const char*> optimizers = {
        {"adamw", "torch.optim.AdamW"},
        {"sgd", "torch.optim.SGD"},
        {"adam_8bit", "bitsandbytes.optim.AdamW8bit"},
        {"paged_adamw", "bitsandbytes.optim.PagedAdamW"},
        {"paged_adamw_8bit", "bitsandbytes.optim.PagedAdamW8bit"}};
    if (!is_torchtune(p.root)) return false;
    const auto& r = p.r;
    p.recognised("torchtune configuration");
    plan_steps(p, {"batch_size"}, {"clip_grad_norm"}, 0.0);
    const bool half = r.precision.starts_with("bf16");
    if (half != means(p, "precision", "fp32", "bf16"))
        p.set("precision", {"dtype"}, half ? "bf16" : "fp32", true, true);
    if (r.precision.starts_with("fp16")) p.say("torchtune does not train in fp16");
    compare_precision(p, "torchtune");
    if (p.run.training.value("checkpointing", false) != r.checkpointing)
        p.set("checkpointing", {"enable_activation_checkpointing"}, yes(r.checkpointing), true);
    const auto optimizer = optimizers.find(r.optimizer);
    if (!means(p, "optimizer", "", r.optimizer)) {
        if (optimizer == optimizers.end())
            p.say("torchtune has no optimizer for " + r.optimizer);
        else
            p.set("optimizer", {"optimizer", "_component_"}, optimizer->second, true, true);
    }
    const bool packed = r.uses("packed"), backward = r.uses("optimizer_in_backward");
    if (p.run.training.value("packed", false) != packed)
        p.set("packing", {"dataset", "packed"}, yes(packed), true);
    if (p.run.training.value("optimizer_in_backward", false) != backward)
        p.set("optimizer", {"optimizer_in_bwd"}, yes(backward), true);
    if (r.attention != "sdpa")
        p.say("torchtune computes attention with sdpa; the estimate is for " + r.attention);
    compare_sharding(p);
    p.change_rate({"optimizer", "lr"});
    p.change("warmup_steps", {"lr_scheduler", "num_warmup_steps"}, r.warmup_steps);
    p.compare_run();
    return true;
}

}  // namespace plimsoll::jobs::training_config
