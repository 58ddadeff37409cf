#include "engine/training/tape/layout.hpp"
#include "server/kinds/training_config/contract/configs/structures/planner.hpp"
#include "server/kinds/training_config/contract/configs/structures/reader.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace plimsoll::jobs::training_config {
namespace {

namespace tr = ::plimsoll::training;

bool is_deepspeed(const YAML::Node& root, const Path& around) {
    return has(root, joined(around, "zero_optimization")) ||
           has(root, joined(around, "train_micro_batch_size_per_gpu"));
}

// {"bf16": {"enabled": true}} and its sibling.
void plan_half(Planner& p, const std::string& name) {
    const bool enabled = mixed_precision(p.r) == name;
    if (has(p.root, {name, "enabled"}))
        p.set("precision", {name, "enabled"}, yes(enabled), false);
    else if (enabled && has(p.root, {name}))
        p.set("precision", {name, "enabled"}, "true", true);
    else if (enabled)
        p.set("precision", {name}, R"({"enabled": true})", true);
}

void plan_stage_of_zero(Planner& p) {
    if (!is_zero(p.r)) {
        p.compare({"zero_optimization", "stage"}, 0, ", as nothing is sharded");
        return;
    }
    const std::string stage(1, p.r.sharding.back());
    if (has(p.root, {"zero_optimization"}))
        p.set("sharding", {"zero_optimization", "stage"}, stage, true);
    else
        p.set("sharding", {"zero_optimization"}, R"({"stage": )" + stage + "}", true);
    const auto compare = [&](const char* name, double estimated, double value) {
        if (value > 0 && value != estimated)
            p.say(fmt::format("zero_optimization.{} is {:g}; the estimate is for {:g}", name, value,
                              estimated));
    };
    const auto in_file = [&](const char* name) {
        return scalar_at(p.root, {"zero_optimization", name}, 0.0);
    };
    // The bucket is made whole, however little is trained.
    compare("reduce_bucket_size", static_cast<double>(std::min(tr::kReduceBucket, p.r.trainable)),
            in_file("reduce_bucket_size"));
    if (p.r.sharding != "zero3") return;
    const auto max = static_cast<double>(p.r.trainable), live = double{tr::kMaxLive};
    const auto own = in_file("stage3_max_live_parameters");
    if (std::min(own, max) != std::min(live, max)) compare("stage3_max_live_parameters", live, own);
}

// DeepSpeed's own optimizers; without the block it wraps the one that the program makes.
void plan_optimizer(Planner& p) {
    const auto type = word_at(p.root, {"optimizer", "type"});
    if (type.empty()) return;
    const bool adam = p.r.optimizer == "adamw", sgd = p.r.optimizer.starts_with("sgd");
    if (!adam && !sgd) {
        p.say("optimizer.type is " + type + "; the estimate is for " + p.r.optimizer +
              ", which the program must create: remove the block \"optimizer\"");
    } else if (!adam || (type != "Adam" && type != "auto")) {
        p.set("optimizer", {"optimizer", "type"}, adam ? "AdamW" : "SGD", false, true);
        if (sgd) {
            p.change("optimizer", {"optimizer", "params", "momentum"},
                     std::string(p.r.optimizer == "sgd" ? "0.0" : "0.9"));
        }
    }
}

void plan_offload(Planner& p, const char* block, bool offloads) {
    const Path around = {"zero_optimization", block};
    if (has(p.root, joined(around, "device"))) {
        p.set("sharding", joined(around, "device"), offloads ? "cpu" : "none", false, true);
    } else if (offloads && has(p.root, {"zero_optimization"})) {
        p.set("sharding", around, R"({"device": "cpu"})", true);
    } else if (offloads) {
        p.say(fmt::format(
            "zero_optimization.{} is not in the file; the estimate is for CPU offload", block));
    }
}

}  // namespace

void read_deepspeed_at(Reader& reader, const Path& around) {
    auto& run = reader.run;
    const auto in = [&](std::initializer_list<const char*> names) {
        auto path = around;
        path.insert(path.end(), names.begin(), names.end());
        return path;
    };
    run.structures.emplace_back(kDeepSpeed);
    reader.batch(in({"train_micro_batch_size_per_gpu"}));
    reader.accumulation(in({"gradient_accumulation_steps"}));
    run.all_samples = reader.value(in({"train_batch_size"}), run.all_samples);
    if (reader.value(in({"bf16", "enabled"}), false)) reader.precision("bf16");
    if (reader.value(in({"fp16", "enabled"}), false)) reader.precision("fp16");
    // By default it does not clip, whatever the Trainer's arguments say.
    if (reader.word(in({"gradient_clipping"})) != "auto")
        reader.clip(reader.value(in({"gradient_clipping"}), 0.0) > 0);
    const auto stage = in({"zero_optimization", "stage"});
    const auto all_of_zero = in({"zero_optimization"});
    const bool first =
        !word_at(reader.root, all_of_zero).empty() && reader.value(all_of_zero, false);
    if (const int its = reader.value(stage, first ? 1 : 0); its > 0)
        reader.shard("zero" + std::to_string(its), 0, stage);
    const bool old = reader.value(in({"zero_optimization", "cpu_offload"}), false);
    const bool all = reader.value(in({"zero_optimization", "cpu_offload_param"}), false);
    reader.offload(
        reader.word(in({"zero_optimization", "offload_optimizer", "device"}), old ? "cpu" : "none"),
        reader.word(in({"zero_optimization", "offload_param", "device"}), all ? "cpu" : "none"));
    const auto bucket = in({"zero_optimization", "reduce_bucket_size"});
    const bool overlaps = reader.value(in({"zero_optimization", "overlap_comm"}), false);
    if (reader.word(bucket) != "auto")  // else Transformers sets a few million elements
        reader.buckets(reader.value(bucket, double{tr::kReduceBucket}), overlaps);
    reader.name_rest(around, {"deepspeed"});
}

bool read_deepspeed(Reader& reader) {
    if (!is_deepspeed(reader.root, {})) return false;
    read_deepspeed_at(reader, {});
    return true;
}

bool plan_deepspeed(Planner& p) {
    if (!is_deepspeed(p.root, {})) return false;
    p.recognised("DeepSpeed configuration");
    p.set("batch", {"train_micro_batch_size_per_gpu"}, p.r.batch, true);
    p.set("accumulation", {"gradient_accumulation_steps"}, p.r.accumulation, true);
    // The product of the two and of all cards, which DeepSpeed checks.
    p.change("batch", {"train_batch_size"}, p.r.batch * p.r.accumulation * p.r.cards);
    plan_half(p, "bf16");
    plan_half(p, "fp16");
    plan_stage_of_zero(p);
    plan_optimizer(p);
    plan_offload(p, "offload_optimizer", p.r.offload != "none");
    plan_offload(p, "offload_param", p.r.offload == "parameters");
    p.change("clipping", {"gradient_clipping"}, std::string(p.r.clip ? "1.0" : "0.0"));
    if (p.r.clip && !has(p.root, {"gradient_clipping"}))
        p.say("gradient_clipping is not in the file; the estimate clips gradients");
    p.change_rate({"optimizer", "params", "lr"});
    p.change("warmup_steps", {"scheduler", "params", "warmup_num_steps"}, p.r.warmup_steps);
    return true;
}

}  // namespace plimsoll::jobs::training_config
