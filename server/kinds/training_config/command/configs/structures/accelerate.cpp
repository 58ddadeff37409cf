#include "server/kinds/training_config/command/configs/structures/planner.hpp"

namespace plimsoll::jobs::training_config {
namespace {

std::string word_at(const Planner& p, const Path& path) {
    const auto node = at(p.root, path);
    return node.IsDefined() && node.IsScalar() ? node.Scalar() : std::string();
}

// The sharding that the launcher uses, which determines a whole block of the file.
void compare_type(Planner& p) {
    const auto type = word_at(p, {"distributed_type"});
    const std::string meant = is_zero(p.r)             ? "DEEPSPEED"
                              : p.r.sharding == "fsdp" ? "FSDP"
                              : p.r.cards > 1          ? "MULTI_GPU"
                                                       : "NO";
    // One process of a launcher for several is one card.
    const bool one = meant == "NO" && type == "MULTI_GPU";
    if (type.empty() || type == meant || one) return;
    p.say("distributed_type is " + type + "; the estimate is for " + meant +
          ": change it with `accelerate config`");
}

void plan_fsdp(Planner& p) {
    const auto in = [](const char* name) { return Path{"fsdp_config", name}; };
    if (!has(p.root, {"fsdp_config"}) || p.r.sharding != "fsdp") return;
    p.change("checkpointing", in("fsdp_activation_checkpointing"),
             std::string(yes(p.r.checkpointing)));
    const auto differs = [&](const char* name, const std::string& than, const char* estimate) {
        const auto word = word_at(p, in(name));
        if (word == than)
            p.say("fsdp_config." + std::string(name) + " is " + word + "; the estimate " +
                  estimate);
    };
    const auto version = word_at(p, in("fsdp_version"));
    if (version != "2") {
        p.say("fsdp_config.fsdp_version is " + (version.empty() ? "1" : version) +
              "; the estimate is for FSDP2");
    }
    for (const char* off : {"false", "SHARD_GRAD_OP", "NO_SHARD"}) {
        differs("fsdp_reshard_after_forward", off, "reshards weights after the forward pass");
        differs("fsdp_sharding_strategy", off, "also shards weights");
    }
    differs("fsdp_offload_params", "true", "keeps the weights on the GPU");
    differs("fsdp_auto_wrap_policy", "NO_WRAP", "wraps every layer");
}

void plan_zero(Planner& p) {
    const auto in = [](const char* name) { return Path{"deepspeed_config", name}; };
    if (!has(p.root, {"deepspeed_config"}) || !is_zero(p.r)) return;
    if (const auto file = word_at(p, in("deepspeed_config_file")); !file.empty()) {
        p.say("deepspeed_config.deepspeed_config_file is " + file +
              ": apply the report to it as well");
        return;
    }
    p.set("sharding", in("zero_stage"), std::string(1, p.r.sharding.back()), true);
    p.set("accumulation", in("gradient_accumulation_steps"), p.r.accumulation, true);
    p.change("clipping", in("gradient_clipping"), std::string(p.r.clip ? "1.0" : "0.0"));
    const auto device = [&](const char* name, bool offloads) {
        p.settle("sharding", in(name), offloads ? "cpu" : "none", !offloads, true);
    };
    device("offload_optimizer_device", p.r.offload != "none");
    device("offload_param_device", p.r.offload == "parameters");
}

}  // namespace

bool plan_accelerate(Planner& p) {
    if (!has(p.root, {"compute_environment"}) && !has(p.root, {"distributed_type"})) return false;
    p.recognised("Accelerate configuration");
    const std::string mixed = has_autocast(p.r) ? mixed_precision(p.r) : "no";
    p.set("precision", {"mixed_precision"}, mixed, true, true);
    p.change("accumulation", {"gradient_accumulation_steps"}, p.r.accumulation);
    compare_type(p);
    plan_fsdp(p);
    plan_zero(p);
    p.compare({"num_processes"}, p.r.cards, " GPUs");
    return true;
}

}  // namespace plimsoll::jobs::training_config
