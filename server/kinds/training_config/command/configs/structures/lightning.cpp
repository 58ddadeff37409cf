#include "server/kinds/training_config/command/configs/structures/planner.hpp"

#include <array>

namespace plimsoll::jobs::training_config {
namespace {

constexpr std::array kTrainer = {"accumulate_grad_batches",
                                 "max_epochs",
                                 "max_steps",
                                 "precision",
                                 "accelerator",
                                 "devices",
                                 "strategy",
                                 "gradient_clip_val",
                                 "num_nodes"};
constexpr std::array kBatch = {"batch_size", "train_batch_size"};

// The class that Hydra instantiates for a mapping: "lightning.pytorch.trainer.Trainer".
std::string target_of(const YAML::Node& node) {
    const auto target = member(node, "_target_");
    return target.IsDefined() && target.IsScalar() ? target.Scalar() : std::string();
}

// A file of Hydra's group "trainer" or "data", which other files are composed with.
bool is_trainer_group(const YAML::Node& root) {
    if (target_of(root).ends_with(".Trainer")) return true;
    return has(root, {"defaults"}) && !has(root, {"trainer"}) && count_of(root, kTrainer) > 1;
}
bool is_data_group(const YAML::Node& root) {
    const auto target = target_of(root);
    return (target.find("Data") != target.npos || target.find(".data") != target.npos) &&
           count_of(root, kBatch) > 0;
}

// 16 and "16-mixed" are the same to Lightning.
void plan_precision(Planner& p, const Path& path) {
    const auto node = at(p.root, path);
    const auto value = lightning_precision(p.r);
    if (node.IsDefined() && node.IsScalar()) {
        const auto text = node.Scalar();
        const auto usual = text == "16"     ? "16-mixed"
                           : text == "bf16" ? "bf16-mixed"
                           : text == "32"   ? "32-true"
                                            : text;
        if (usual == value) return;
    }
    p.settle("precision", path, value, p.r.precision == "fp32", true);
}

// The trainer does not clip by default.
void plan_clipping(Planner& p, const Path& path) {
    double norm = 0;
    const auto node = at(p.root, path);
    if (node.IsDefined() && node.IsScalar()) YAML::convert<double>::decode(node, norm);
    if ((norm > 0) == p.r.clip) return;
    if (!p.r.clip || (node.IsDefined() && node.IsScalar())) {
        p.set("clipping", path, p.r.clip ? "1.0" : "0", false);
    } else {
        p.say(Setting{path, {}, false, false}.place() +
              " is not in the file; the estimate clips gradients");
    }
}

void compare_strategy(Planner& p, const Path& trainer) {
    p.compare(joined(trainer, "devices"), p.r.cards, " GPUs");
    const auto node = at(p.root, joined(trainer, "strategy"));
    const auto strategy = node.IsDefined() && node.IsScalar() ? node.Scalar() : std::string("auto");
    const auto meant = is_zero(p.r) ? "deepspeed_stage_" + std::string(1, p.r.sharding.back())
                       : p.r.sharding == "fsdp" ? "fsdp"
                       : p.r.cards > 1          ? "ddp"
                                                : "auto";
    const bool same = strategy == meant || (strategy == "auto" && !is_sharded(p.r)) ||
                      (strategy.starts_with("ddp") && !is_sharded(p.r)) ||
                      (strategy == "null" && meant == "auto");
    if (!same) {
        p.say("the trainer's strategy is " + strategy + "; the estimate is for " + meant);
    }
}

void plan_trainer(Planner& p, const Path& trainer) {
    p.settle("accumulation", joined(trainer, "accumulate_grad_batches"),
             std::to_string(p.r.accumulation), p.r.accumulation == 1);
    plan_precision(p, joined(trainer, "precision"));
    plan_clipping(p, joined(trainer, "gradient_clip_val"));
    compare_strategy(p, trainer);
}

// Of the training data: validation and tokenizers have batches of their own.
void plan_data(Planner& p) {
    if (const auto place = training_batch(p.root)) {
        p.change("batch", *place, p.r.batch);
        p.change("workers", joined({place->begin(), place->end() - 1}, "num_workers"), p.r.workers);
    } else if (p.wanted("batch")) {
        p.say(
            "it is unclear which batch_size belongs to the training data: name it with --map "
            "batch=PLACE; it should be " +
            std::to_string(p.r.batch));
    }
}

// Arguments of the model's own class, under their usual names.
void plan_model(Planner& p) {
    for (const Path& around : {Path{"model"}, Path{"model", "init_args"}, Path{"optimizer"},
                               Path{"training"}, Path{"model", "optimizer"}}) {
        p.change_rate(joined(around, "lr"));
        p.change_rate(joined(around, "learning_rate"));
        p.change("warmup_steps", joined(around, "warmup_steps"), p.r.warmup_steps);
        for (const char* name : {"gradient_checkpointing", "use_gradient_checkpointing"}) {
            p.change("checkpointing", joined(around, name), std::string(yes(p.r.checkpointing)));
        }
    }
}

}  // namespace

std::optional<Path> lightning_trainer(const YAML::Node& root) {
    auto trainer = only_mapping(root, [&](const YAML::Node& node, const Path& path) {
        return !path.empty() && path.back() == "trainer" && count_of(node, kTrainer) > 0;
    });
    if (!trainer && is_trainer_group(root)) trainer = Path{};
    return trainer;
}

std::optional<Path> training_batch(const YAML::Node& root) {
    const auto around = only_mapping(root, [&](const YAML::Node& node, const Path& path) {
        return count_of(node, kBatch) == 1 && !is_beside_training(path);
    });
    if (!around) return std::nullopt;
    const auto mapping = at(root, *around);
    return joined(*around, member(mapping, kBatch[0]).IsDefined() ? kBatch[0] : kBatch[1]);
}

bool plan_lightning(Planner& p) {
    const auto trainer = lightning_trainer(p.root);
    if (trainer && trainer->empty()) {
        p.recognised("Hydra group of a Lightning trainer");
        p.is_part();
        plan_trainer(p, {});
        return true;
    }
    if (!trainer && is_data_group(p.root)) {
        p.recognised("Hydra group of Lightning data");
        p.is_part();
        plan_data(p);
        return true;
    }
    if (!trainer && !has(p.root, {"data_loader", "batch_size"})) return false;
    p.recognised("Lightning trainer and data");
    if (trainer) {
        plan_trainer(p, *trainer);
    } else if (p.r.accumulation > 1) {
        p.say("there is no trainer in which to set accumulation; the estimate accumulates " +
              std::to_string(p.r.accumulation) + " micro-batches");
    }
    plan_data(p);
    plan_model(p);
    p.compare_run({});
    return true;
}

// A stage of the NAICS memory guide's curriculum.
bool plan_stage(Planner& p) {
    if (!p.r.negatives) return false;
    const auto around = only_mapping(p.root, [](const YAML::Node& node, const Path&) {
        return member(node, "n_negatives").IsDefined();
    });
    if (!around) return false;
    const bool alone = !p.is_recognised();
    if (alone) p.recognised("stage of a curriculum");
    p.set("negatives", joined(*around, "n_negatives"), *p.r.negatives, false);
    if (p.r.positives) p.change("positives", joined(*around, "n_positives"), *p.r.positives);
    if (alone) p.change("batch", joined(*around, "batch_size"), p.r.batch);
    return true;
}

}  // namespace plimsoll::jobs::training_config
