#include "server/jobs/training_config/command/configs/config_structure.hpp"

#include "engine/training/advice/snippets.hpp"
#include "server/jobs/training_config/command/configs/config_differences.hpp"
#include "server/jobs/training_config/command/configs/config_node.hpp"

#include <algorithm>
#include <array>

#include <yaml-cpp/yaml.h>

namespace plimsoll::jobs::training_config {
namespace {

constexpr int kDeepest = 4;  // mappings around the one that is looked for

template <class Names>
int count_of(const YAML::Node& node, const Names& names) {
    return static_cast<int>(std::ranges::count_if(
        names, [&](const char* name) { return member(node, name).IsDefined(); }));
}

// The places of all mappings that `fits` takes, the root's first.
template <class Fits>
void find_mappings(const YAML::Node& node, const Path& path, const Fits& fits,
                   std::vector<Path>& found) {
    if (!node.IsMap() || path.size() > kDeepest) return;
    if (fits(node, path)) found.push_back(path);
    for (const auto& one : node) {
        if (one.first.IsScalar() && one.second.IsMap()) {
            find_mappings(one.second, joined(path, one.first.Scalar()), fits, found);
        }
    }
}

// The only such mapping; several are nobody's to choose from.
template <class Fits>
std::optional<Path> only_mapping(const YAML::Node& root, const Fits& fits) {
    std::vector<Path> found;
    find_mappings(root, {}, fits, found);
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

const char* yes(bool value) {
    return value ? "true" : "false";
}

bool is_zero(const Recommended& r) {
    return r.sharding.starts_with("zero");
}

// 16-bit training in the words of Accelerate and DeepSpeed.
const char* mixed(const Recommended& r) {
    return r.precision == "fp32" ? "no" : r.precision == "fp16_autocast" ? "fp16" : "bf16";
}

std::string transformers_optimizer(const Recommended& r) {
    if (r.optimizer == "adamw") return r.fused ? "adamw_torch_fused" : "adamw_torch";
    if (r.optimizer == "adam_8bit") return "adamw_bnb_8bit";
    return r.optimizer == "adafactor" ? "adafactor" : "sgd";
}

std::string lightning_precision(const Recommended& r) {
    if (r.precision == "fp32") return "32-true";
    if (r.precision == "bf16") return "bf16-true";
    return r.precision == "fp16_autocast" ? "16-mixed" : "bf16-mixed";
}

class Planner {
  public:
    Planner(const YAML::Node& root, const Recommended& recommended, const Choice& choice)
        : root_(root), r_(recommended), choice_(choice) {}

    Plan plan() {
        for (const auto recognise : {&Planner::deepspeed, &Planner::accelerate,
                                     &Planner::transformers, &Planner::lightning}) {
            if ((this->*recognise)()) break;
        }
        stage();
        if (r_.batch > r_.largest) {
            plan_.differs.push_back("by the estimate the batch of " + std::to_string(r_.batch) +
                                    " does not fit; the largest is " + std::to_string(r_.largest));
        }
        for (const auto& [name, place] : choice_.places) add_mapped(name, place);
        return std::move(plan_);
    }

  private:
    bool wanted(std::string_view name) const {
        const bool is_rate = name == "learning_rate" || name == "warmup_steps";
        if (is_rate && !choice_.rates && !choice_.only.contains(name)) return false;
        if (!choice_.only.empty() && !choice_.only.contains(name)) return false;
        return !choice_.keep.contains(name);
    }
    void set(std::string_view name, Path path, std::string value, bool adds, bool is_text = false) {
        if (!wanted(name) || choice_.places.contains(std::string(name))) return;
        plan_.settings.push_back({std::move(path), std::move(value), is_text, adds});
    }
    void set(std::string_view name, Path path, std::int64_t value, bool adds) {
        set(name, std::move(path), std::to_string(value), adds);
    }
    // Where it is there.
    template <class Value>
    void change(std::string_view name, const Path& path, Value value, bool is_text = false) {
        if (!has(root_, path)) return;
        if constexpr (std::is_same_v<Value, std::int64_t>)
            set(name, path, value, false);
        else
            set(name, path, std::move(value), false, is_text);
    }
    void rate_at(const Path& path) {
        change("learning_rate", path, ::plimsoll::training::yaml_number(r_.rate));
    }
    void compare(const Path& path, std::int64_t of_estimate, const std::string& unit) {
        if (auto said = differs_from(root_, path, of_estimate, unit))
            plan_.differs.push_back(std::move(*said));
    }
    void compare_run(const Path& around) {
        for (auto& said : differences(root_, around, r_)) plan_.differs.push_back(std::move(said));
    }

    bool deepspeed() {
        if (!has(root_, {"zero_optimization"}) && !has(root_, {"train_micro_batch_size_per_gpu"})) {
            return false;
        }
        plan_.structure = "DeepSpeed configuration";
        set("batch", {"train_micro_batch_size_per_gpu"}, r_.batch, true);
        set("accumulation", {"gradient_accumulation_steps"}, r_.accumulation, true);
        // The product of the two and of all cards, which DeepSpeed checks.
        change("batch", {"train_batch_size"}, r_.batch * r_.accumulation * r_.cards);
        change("precision", {"bf16", "enabled"},
               std::string(yes(std::string(mixed(r_)) == "bf16")));
        change("precision", {"fp16", "enabled"},
               std::string(yes(std::string(mixed(r_)) == "fp16")));
        if (std::string(mixed(r_)) != "no" && !has(root_, {mixed(r_), "enabled"})) {
            plan_.differs.push_back(std::string(mixed(r_)) +
                                    ".enabled is not in the file; the estimate is for " +
                                    mixed(r_));
        }
        if (is_zero(r_)) {
            set("batch", {"zero_optimization", "stage"}, std::string(1, r_.sharding.back()), true);
        } else {
            compare({"zero_optimization", "stage"}, 0, ", as nothing is sharded");
        }
        rate_at({"optimizer", "params", "lr"});
        change("warmup_steps", {"scheduler", "params", "warmup_num_steps"}, r_.warmup_steps);
        return true;
    }

    bool accelerate() {
        if (!has(root_, {"compute_environment"}) && !has(root_, {"distributed_type"})) return false;
        plan_.structure = "Accelerate configuration";
        set("precision", {"mixed_precision"}, mixed(r_), true, true);
        change("accumulation", {"gradient_accumulation_steps"}, r_.accumulation);
        change("accumulation", {"deepspeed_config", "gradient_accumulation_steps"},
               r_.accumulation);
        if (is_zero(r_)) {
            change("batch", {"deepspeed_config", "zero_stage"}, std::string(1, r_.sharding.back()));
        }
        compare({"num_processes"}, r_.cards, " cards");
        return true;
    }

    bool transformers() {
        constexpr std::array kOwn = {"per_device_train_batch_size", "gradient_accumulation_steps",
                                     "num_train_epochs"};
        constexpr std::array kAlso = {"per_device_eval_batch_size",
                                      "gradient_checkpointing",
                                      "lr_scheduler_type",
                                      "warmup_ratio",
                                      "dataloader_num_workers",
                                      "eval_strategy",
                                      "evaluation_strategy",
                                      "save_strategy",
                                      "logging_steps",
                                      "output_dir",
                                      "learning_rate",
                                      "weight_decay",
                                      "bf16",
                                      "fp16",
                                      "optim",
                                      "warmup_steps",
                                      "max_grad_norm",
                                      "max_steps"};
        const auto around = only_mapping(root_, [&](const YAML::Node& node, const Path&) {
            const int own = count_of(node, kOwn);
            return own > 1 || (own == 1 && count_of(node, kAlso) > 0);
        });
        if (!around) return false;
        plan_.structure = "Transformers TrainingArguments";
        const auto in = [&](const char* name) { return joined(*around, name); };
        set("batch", in("per_device_train_batch_size"), r_.batch, true);
        set("accumulation", in("gradient_accumulation_steps"), r_.accumulation,
            r_.accumulation > 1);
        const bool half_weights = r_.precision == "bf16" && !is_zero(r_);
        const bool bf16 = std::string(mixed(r_)) == "bf16" && !half_weights;
        const bool fp16 = std::string(mixed(r_)) == "fp16";
        if (bf16 || has(root_, in("bf16"))) set("precision", in("bf16"), yes(bf16), bf16);
        if (fp16 || has(root_, in("fp16"))) set("precision", in("fp16"), yes(fp16), fp16);
        if (half_weights) {
            plan_.differs.emplace_back(
                "the estimate is for a model loaded in bfloat16: load it so");
        }
        if (r_.checkpointing || has(root_, in("gradient_checkpointing"))) {
            set("checkpointing", in("gradient_checkpointing"), yes(r_.checkpointing),
                r_.checkpointing);
        }
        if (r_.optimizer != "adamw" || has(root_, in("optim"))) {
            set("optimizer", in("optim"), transformers_optimizer(r_), true, true);
        }
        if (r_.optimizer == "sgd_momentum") {
            set("optimizer", in("optim_args"), "momentum=0.9", true, true);
        }
        change("workers", in("dataloader_num_workers"), r_.workers);
        rate_at(in("learning_rate"));
        change("warmup_steps", in("warmup_steps"), r_.warmup_steps);
        compare_run(*around);
        return true;
    }

    bool lightning() {
        constexpr std::array kTrainer = {"accumulate_grad_batches",
                                         "max_epochs",
                                         "max_steps",
                                         "precision",
                                         "accelerator",
                                         "devices",
                                         "strategy",
                                         "gradient_clip_val",
                                         "num_nodes"};
        const auto trainer = only_mapping(root_, [&](const YAML::Node& node, const Path& path) {
            return !path.empty() && path.back() == "trainer" && count_of(node, kTrainer) > 0;
        });
        if (!trainer && !has(root_, {"data_loader", "batch_size"})) return false;
        plan_.structure = "Lightning trainer and data";
        if (trainer) {
            set("accumulation", joined(*trainer, "accumulate_grad_batches"), r_.accumulation,
                r_.accumulation > 1);
            precision_of_trainer(joined(*trainer, "precision"));
        } else if (r_.accumulation > 1) {
            plan_.differs.push_back("there is no trainer for accumulation; the estimate has " +
                                    std::to_string(r_.accumulation) + " accumulated batches");
        }
        data_loader();
        for (const Path& path :
             {Path{"optimizer", "lr"}, Path{"optimizer", "learning_rate"}, Path{"model", "lr"},
              Path{"model", "learning_rate"}, Path{"training", "learning_rate"},
              Path{"model", "init_args", "lr"}, Path{"model", "init_args", "learning_rate"}}) {
            rate_at(path);
        }
        compare_run({});
        return true;
    }

    // 16 and "16-mixed" are the same to Lightning.
    void precision_of_trainer(const Path& path) {
        const auto node = at(root_, path);
        const auto value = lightning_precision(r_);
        if (node.IsDefined() && node.IsScalar()) {
            const auto text = node.Scalar();
            const auto usual = text == "16"     ? "16-mixed"
                               : text == "bf16" ? "bf16-mixed"
                               : text == "32"   ? "32-true"
                                                : text;
            if (usual == value) return;
        }
        set("precision", path, value, r_.precision != "fp32", true);
    }

    // Of the training data: validation and tokenizers have batches of their own.
    void data_loader() {
        const auto around = only_mapping(root_, [&](const YAML::Node& node, const Path& path) {
            if (!member(node, "batch_size").IsDefined()) return false;
            return std::ranges::none_of(path, [](const std::string& name) {
                return name.find("val") != name.npos || name.find("test") != name.npos ||
                       name.find("predict") != name.npos || name.find("token") != name.npos;
            });
        });
        if (around) {
            set("batch", joined(*around, "batch_size"), r_.batch, false);
            change("workers", joined(*around, "num_workers"), r_.workers);
        } else if (wanted("batch") && !choice_.places.contains("batch")) {
            plan_.differs.push_back(
                "ambiguous batch_size: name that of the training data with --map batch=PLACE; it "
                "should be " +
                std::to_string(r_.batch));
        }
    }

    // A stage of the NAICS memory guide's curriculum.
    void stage() {
        if (!r_.negatives) return;
        const auto around = only_mapping(root_, [](const YAML::Node& node, const Path&) {
            return member(node, "n_negatives").IsDefined();
        });
        if (!around) return;
        if (plan_.structure.empty()) plan_.structure = "stage of a curriculum";
        set("negatives", joined(*around, "n_negatives"), *r_.negatives, false);
        if (r_.positives) change("positives", joined(*around, "n_positives"), *r_.positives);
        if (plan_.structure == "stage of a curriculum" &&
            has(root_, joined(*around, "batch_size"))) {
            set("batch", joined(*around, "batch_size"), r_.batch, false);
        }
    }

    void add_mapped(const std::string& name, const std::string& place) {
        Setting setting;
        setting.adds = true;
        std::size_t from = 0;
        for (auto dot = place.find('.'); dot != place.npos; dot = place.find('.', from)) {
            setting.path.push_back(place.substr(from, dot - from));
            from = dot + 1;
        }
        setting.path.push_back(place.substr(from));
        const std::map<std::string, std::string, std::less<>> values = {
            {"batch", std::to_string(r_.batch)},
            {"accumulation", std::to_string(r_.accumulation)},
            {"precision", mixed(r_)},
            {"checkpointing", yes(r_.checkpointing)},
            {"optimizer", r_.optimizer},
            {"workers", std::to_string(r_.workers)},
            {"learning_rate", ::plimsoll::training::yaml_number(r_.rate)},
            {"warmup_steps", std::to_string(r_.warmup_steps)},
            {"positives", std::to_string(r_.positives.value_or(0))},
            {"negatives", std::to_string(r_.negatives.value_or(0))}};
        setting.value = values.at(name);
        setting.is_text = name == "precision" || name == "optimizer";
        plan_.settings.push_back(std::move(setting));
    }

    const YAML::Node& root_;
    const Recommended& r_;
    const Choice& choice_;
    Plan plan_;
};

}  // namespace

Result<Plan> plan_settings(std::string_view text, const Recommended& recommended,
                           const Choice& choice) {
    try {
        const auto root = YAML::Load(std::string(text));
        return Planner(root, recommended, choice).plan();
    } catch (const YAML::Exception& error) {
        return fail(Errc::invalid_input,
                    std::string("The file is neither YAML nor JSON: ") + error.what());
    }
}

}  // namespace plimsoll::jobs::training_config
