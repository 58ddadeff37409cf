#include "server/kinds/training_config/contract/configs/structures/planner.hpp"
#include "server/kinds/training_config/contract/configs/structures/reader.hpp"

#include <algorithm>
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
constexpr std::int64_t kMaxCards = 100'000;  // as --cards
constexpr double kReduceBucket = 2e8;        // elements: the default of Lightning's strategy
constexpr std::array kBatch = {"batch_size", "train_batch_size"};

// The class that Hydra instantiates for a mapping: "lightning.pytorch.trainer.Trainer".
std::string target_of(const YAML::Node& node) { return word_at(node, {"_target_"}); }

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
std::string whole_name(const std::string& precision) {
    return precision == "16"     ? "16-mixed"
           : precision == "bf16" ? "bf16-mixed"
           : precision == "32"   ? "32-true"
                                 : precision;
}

void plan_precision(Planner& p, const Path& path) {
    const auto value = lightning_precision(p.r);
    if (whole_name(word_at(p.root, path)) == value) return;
    p.settle("precision", path, value, p.r.precision == "fp32", true);
}

// The trainer does not clip by default.
void plan_clipping(Planner& p, const Path& path) {
    if ((scalar_at(p.root, path, 0.0) > 0) == p.r.clip) return;
    if (!p.r.clip || !word_at(p.root, path).empty())
        p.set("clipping", path, p.r.clip ? "1.0" : "0", false);
    else
        p.say(place_of(path) + " is not in the file; the estimate clips gradients");
}

// What the file says, in the terms of the contract, against the estimate's.
void compare_strategy(Planner& p, const Path& trainer) {
    p.compare(joined(trainer, "devices"), p.r.cards, " GPUs");
    const auto said =
        p.run.cluster.is_null() ? "none" : p.run.cluster.at("sharding").get<std::string>();
    const auto meant = is_sharded(p.r) ? p.r.sharding : said == "ddp" ? "ddp" : "none";
    if (said == meant) return;
    const auto name = [](const std::string& sharding) {
        return sharding == "none"             ? std::string("auto")
               : sharding == "fsdp_grad_op"   ? "FSDPStrategy with SHARD_GRAD_OP"
               : sharding.starts_with("zero") ? "deepspeed_stage_" + sharding.substr(4)
                                              : sharding;
    };
    p.say("the trainer's strategy is " + name(said) + "; the estimate is for " + name(meant));
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
        for (const char* name : {"gradient_checkpointing", "use_gradient_checkpointing"})
            p.change("checkpointing", joined(around, name), std::string(yes(p.r.checkpointing)));
    }
}

// -1 and "auto" are all GPUs of a machine, "0,1" and [0, 1] these two, 2 and "2" any two; 0: the
// file does not say how many.
std::int64_t devices_of(Reader& reader, const Path& place) {
    const auto node = reader.node(place);
    if (!node.IsDefined()) return 1;
    if (node.IsSequence()) return static_cast<std::int64_t>(node.size());
    const auto text = node.IsScalar() ? node.Scalar() : std::string();
    if (const auto commas = std::ranges::count(text, ','); commas > 0)
        return commas + (text.back() == ',' ? 0 : 1);
    return std::clamp<std::int64_t>(scalar_at(reader.root, place, std::int64_t{0}), 0, kMaxCards);
}

// By name, or as a class with arguments.
void read_strategy(Reader& reader, const Path& trainer, std::int64_t cards, std::int64_t nodes) {
    const auto place = joined(trainer, "strategy");
    const auto strategy = reader.node(place);
    Path arguments = place;
    std::string name = reader.word(place, "auto");
    if (strategy.IsDefined() && strategy.IsMap()) {
        const bool of_cli = has(reader.root, joined(place, "class_path"));
        name = word_at(reader.root, joined(place, of_cli ? "class_path" : "_target_"));
        name = name.substr(name.rfind('.') + 1);
        if (of_cli) arguments = joined(place, "init_args");
    }
    const auto in = [&](const char* argument) { return joined(arguments, argument); };
    const auto is_given = [&](const char* argument) {
        const auto node = reader.node(in(argument));
        return node.IsDefined() && !node.IsNull();
    };
    const bool fsdp = name.starts_with("fsdp") || name == "FSDPStrategy";
    if (name.starts_with("deepspeed") || name == "DeepSpeedStrategy") {
        const auto stage =
            name.starts_with("deepspeed_stage_") ? name.substr(16, 1) : reader.word(in("stage"));
        reader.shard("zero" + (stage.empty() ? "2" : stage), cards, place);
        const bool all = name.find("offload") != name.npos;
        const bool optimizer = all || reader.value(in("offload_optimizer"), false);
        const bool parameters =
            (all && stage == "3") || reader.value(in("offload_parameters"), false);
        reader.offload(optimizer ? "cpu" : "none", parameters ? "cpu" : "none");
        reader.buckets(reader.value(in("reduce_bucket_size"), kReduceBucket),
                       reader.value(in("overlap_comm"), true));
        if (is_given("config"))
            reader.unmodelled(in("config"), "add DeepSpeed's configuration to the files");
    } else if (fsdp) {
        const auto shards = reader.word(in("sharding_strategy"));
        const bool keeps = has_word("SHARD_GRAD_OP _HYBRID_SHARD_ZERO2", shards);
        reader.shard(shards == "NO_SHARD" ? "ddp" : keeps ? "fsdp_grad_op" : "fsdp", cards, place);
        const auto mesh = reader.node(in("device_mesh"));
        if (has_word("HYBRID_SHARD _HYBRID_SHARD_ZERO2", shards))
            reader.replicas(mesh.IsDefined() && mesh.IsSequence() && mesh.size() == 2
                                ? mesh[0].as<std::int64_t>(1)
                                : nodes);
        else if (!has_word("FULL_SHARD NO_SHARD SHARD_GRAD_OP", shards) && !shards.empty())
            reader.unmodelled(in("sharding_strategy"), "this strategy is not modelled");
        if (name == "fsdp_cpu_offload" || reader.value(in("cpu_offload"), false))
            reader.offload("none", "cpu");
        if (is_given("activation_checkpointing_policy"))
            reader.run.training["checkpointing"] = true;
    } else if (name.starts_with("ddp") || has_word("auto null DDPStrategy", name)) {
        if (cards != 1) reader.shard("ddp", cards, place);
    } else if (name != "SingleDeviceStrategy") {
        reader.unmodelled(place, "this strategy is not modelled");
    }
    reader.name_rest(arguments, {"lightning_strategy"});
}

// What a project's own classes take, under the usual names.
void read_project(Reader& reader) {
    const std::vector<Path> mappings = {
        {"model"}, {"model", "init_args"}, {"data"}, {"data", "init_args"}, {"datamodule"}, {}};
    const auto length =
        reader.first_of(mappings, {"max_seq_length", "max_length", "max_seq_len", "seq_length",
                                   "sequence_length", "seq_len", "model_max_length", "block_size"});
    if (const auto tokens = reader.value(length, 0); tokens > 0) {
        reader.run.training["sequence_length"] = tokens;
        reader.run.places["sequence_length"] = place_of(length);
    }
    const auto model = reader.first_of(
        mappings, {"model_name_or_path", "pretrained_model_name_or_path", "model_name"});
    if (reader.run.model.empty()) reader.run.model = reader.word(model);
    for (const Path& around :
         {Path{"optimizer"}, Path{"model", "optimizer"}, Path{"model", "init_args", "optimizer"}}) {
        const auto place = reader.first_of(std::array{around}, {"class_path", "_target_"});
        const auto name = reader.word(place);
        if (name.empty()) continue;
        read_optimizer(reader, place, name);
        const bool of_cli = place.back() == "class_path";
        const auto momentum = joined(of_cli ? joined(around, "init_args") : around, "momentum");
        if (reader.run.training.value("optimizer", "") == "sgd" && reader.value(momentum, 0.0) > 0)
            reader.run.training["optimizer"] = "sgd_momentum";
    }
}

void read_trainer(Reader& reader, const Path& trainer) {
    const auto in = [&](const char* name) { return joined(trainer, name); };
    reader.accumulation(in("accumulate_grad_batches"));
    const auto precision = whole_name(reader.word(in("precision"), "32-true"));
    if (precision == "bf16-true" || precision == "16-true")
        reader.run.training["precision"] = precision == "16-true" ? "fp16" : "bf16";
    else if (precision == "32-true" || precision == "null")
        reader.precision("no");
    else if (precision.ends_with("16-mixed"))
        reader.precision(precision == "16-mixed" ? "fp16" : "bf16");
    else
        reader.unmodelled(in("precision"), "this precision is not modelled");
    reader.clip(reader.value(in("gradient_clip_val"), 0.0) > 0);
    const auto nodes =
        std::clamp<std::int64_t>(reader.value(in("num_nodes"), std::int64_t{1}), 1, kMaxCards);
    const bool older = has(reader.root, in("gpus")) && !has(reader.root, in("devices"));
    read_strategy(reader, trainer, devices_of(reader, in(older ? "gpus" : "devices")) * nodes,
                  nodes);
    reader.name_rest(trainer, {"lightning"});
}

}  // namespace

bool read_lightning(Reader& reader) {
    const auto trainer = lightning_trainer(reader.root);
    const auto place = training_batch(reader.root);
    if (!trainer && !place) return false;
    reader.run.structures.emplace_back(trainer ? "Lightning trainer" : "Lightning data");
    if (place) reader.batch(*place);
    if (!trainer) {
        read_project(reader);
        reader.name_heavy();
        return true;
    }
    for (const Path& around : {Path{"model"}, Path{"model", "init_args"}}) {
        const auto checkpoints = joined(around, "gradient_checkpointing");
        if (has(reader.root, checkpoints))
            reader.run.training["checkpointing"] = reader.value(checkpoints, false);
    }
    read_adapted_run(reader, {}, 0);
    read_project(reader);
    read_trainer(reader, *trainer);
    return true;
}

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
    p.compare_run();
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
