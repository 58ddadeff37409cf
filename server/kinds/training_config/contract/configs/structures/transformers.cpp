#include "server/kinds/training_config/contract/configs/structures/planner.hpp"
#include "server/kinds/training_config/contract/configs/structures/reader.hpp"

#include <array>

namespace plimsoll::jobs::training_config {
namespace {

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
constexpr std::array kOthers = {"micro_batch_size", "batch_size", "train_batch_size"};
// TRL's trainers use checkpointing and bf16 unless the file says otherwise.
constexpr std::array kTrl = {"use_peft",
                             "packing",
                             "padding_free",
                             "dataset_text_field",
                             "dataset_num_proc",
                             "dataset_kwargs",
                             "dataset_mixture",
                             "dataset_mixer",
                             "assistant_only_loss",
                             "completion_only_loss",
                             "max_prompt_length",
                             "max_completion_length",
                             "center_rewards_coefficient",
                             "beta",
                             "desirable_weight",
                             "undesirable_weight",
                             "num_generations",
                             "precompute_ref_log_probs",
                             "loss_type"};
// LLaMA-Factory uses checkpointing unless the file disables it.
constexpr std::array kFactory = {"finetuning_type", "template", "cutoff_len"};

class Arguments {
  public:
    Arguments(Planner& planner, Path around) : p_(planner), r_(planner.r), around_(around) {
        factory_ = is_llama_factory(p_.root);
        trl_ = is_trl(p_.root, around_);
    }

    void plan() {
        p_.recognised(structure_of(factory_, trl_));
        p_.set("batch", in("per_device_train_batch_size"), r_.batch, true);
        p_.is_trainer();
        p_.settle("accumulation", in("gradient_accumulation_steps"),
                  std::to_string(r_.accumulation), r_.accumulation == 1);
        plan_precision();
        plan_checkpointing();
        plan_optimizer();
        plan_clipping();
        plan_attention();
        plan_sharding();
        p_.change("workers", in("dataloader_num_workers"), r_.workers);
        p_.change_rate(in("learning_rate"));
        p_.change("warmup_steps", in("warmup_steps"), r_.warmup_steps);
        p_.compare_run();
        plan_packing();
        plan_fused_loss();
        for (const char* name : {"torch_compile", "auto_find_batch_size"})
            if (is_true(in(name)))
                p_.say(place_of(in(name)) + " is true, which the estimate does not model");
    }

  private:
    Path in(const char* name) const { return joined(around_, name); }
    bool is_true(const Path& path) const { return scalar_at(p_.root, path, false); }
    std::string word(const Path& path) const { return word_at(p_.root, path); }
    std::optional<Path> of_model(std::initializer_list<const char*> names) const {
        for (const char* name : names) {
            for (const auto& mapping : around_model(around_))
                if (has(p_.root, joined(mapping, name))) return joined(mapping, name);
        }
        return std::nullopt;
    }

    void plan_precision() {
        const bool half_weights = has_half_weights(r_);
        const std::string weights = !half_weights            ? "float32"
                                    : r_.precision == "fp16" ? "float16"
                                                             : "bfloat16";
        const bool pure = factory_ && half_weights;  // its own argument converts the weights
        const auto mixed = mixed_precision(r_);
        const auto flag = [&](const char* name, bool value) {
            if (value || trl_ || has(p_.root, in(name)))
                p_.set("precision", in(name), yes(value), value || trl_);
        };
        flag("bf16", mixed == "bf16" && has_autocast(r_));
        if (mixed == "fp16" || has(p_.root, in("fp16"))) flag("fp16", mixed == "fp16");
        if (pure || has(p_.root, in("pure_bf16"))) flag("pure_bf16", pure);
        if (pure) return;
        const auto dtype = of_model({"dtype", "torch_dtype", "model_dtype"});
        // For quantized weights it is the type to compute in.
        if (dtype && word(*dtype) != "auto" && r_.quantization == "none")
            p_.set("precision", *dtype, weights, false, true);
        else if (half_weights && !dtype)
            p_.say("the estimate is for weights in " + weights + ": load the model so");
        else if (!half_weights && dtype && r_.quantization == "none")
            p_.say(place_of(*dtype) + " is auto; the estimate is for weights in float32");
    }

    void plan_checkpointing() {
        if (factory_) {
            const auto forbids = in("disable_gradient_checkpointing");
            if (!r_.checkpointing || has(p_.root, forbids))
                p_.set("checkpointing", forbids, yes(!r_.checkpointing), !r_.checkpointing);
            return;
        }
        const bool adds = r_.checkpointing || trl_;
        if (adds || has(p_.root, in("gradient_checkpointing")))
            p_.set("checkpointing", in("gradient_checkpointing"), yes(r_.checkpointing), adds);
    }

    void plan_optimizer() {
        const auto meant = transformers_optimizer(r_);
        const auto present = word(in("optim"));
        const auto usual = present == "adamw_8bit" ? "adamw_bnb_8bit"  // the same to it
                           : present == "adamw_torch_8bit" && meant == "adamw_bnb_8bit" ? present
                           : present == "paged_adamw" ? "paged_adamw_32bit"
                                                      : present;
        // The default is fused AdamW.
        if ((meant != "adamw_torch_fused" || !present.empty()) && usual != meant)
            p_.set("optimizer", in("optim"), meant, true, true);
        if (r_.optimizer == "sgd_momentum")
            p_.set("optimizer", in("optim_args"), "momentum=0.9", true, true);
    }

    // The trainer clips at 1 by default.
    void plan_clipping() {
        const auto norm = in("max_grad_norm");
        if ((scalar_at(p_.root, norm, 1.0) > 0) == r_.clip) return;
        p_.set("clipping", norm, r_.clip ? "1.0" : "0", word(norm).empty());
    }

    void plan_attention() {
        if (factory_) {
            const char* its = r_.attention == "flash_attention_2" ? "fa2"
                              : r_.attention == "eager"           ? "disabled"
                                                                  : "sdpa";
            if (p_.run.training.value("attention", "sdpa") != r_.attention)
                p_.set("attention", in("flash_attn"), its, true, true);
            return;
        }
        const auto implementation = of_model({"attn_implementation", "_attn_implementation"});
        if (!implementation) {
            if (r_.attention != "sdpa")
                p_.say(
                    "the estimate is for a different attention implementation: load the model with "
                    "attn_implementation=\"" +
                    r_.attention + "\"");
            return;
        }
        p_.set("attention", *implementation, r_.attention, false, true);
    }

    // TRL packs by its own argument; otherwise the Trainer's collator does.
    void plan_packing() {
        const bool packed = r_.uses("packed");
        const bool packs = p_.run.training.value("packed", false);
        if (packs == packed) return;
        if (factory_ && p_.run.training.contains("method")) return;
        if (factory_) return p_.set("packing", in("neat_packing"), yes(packed), true);
        if (trl_ || has(p_.root, in("packing"))) {
            p_.set("packing", in("packing"), yes(packed), packed);
            if (!packed && is_true(in("padding_free")))
                p_.set("packing", in("padding_free"), "false", false);
        } else {
            p_.say("the estimate packs texts: give the Trainer DataCollatorWithFlattening");
        }
    }

    // Liger's other kernels need less memory than estimated.
    void plan_fused_loss() {
        const bool fused = r_.uses("fused_loss");
        const auto liger = in("use_liger_kernel");
        const auto of = [&](const char* name) { return joined(in("liger_kernel_config"), name); };
        if (is_true(liger) != fused) p_.set("fused_loss", liger, yes(fused), fused);
        if (!fused) return;
        if (has(p_.root, of("fused_linear_cross_entropy")))
            p_.set("fused_loss", of("fused_linear_cross_entropy"), "true", false);
        for (const char* name : {"rms_norm", "rope", "swiglu", "geglu"})
            if (is_true(of(name)))
                p_.say(place_of(of(name)) +
                       " is true; the estimate models only Liger's fused loss");
        if (!has(p_.root, in("liger_kernel_config")))
            p_.say(
                "without liger_kernel_config, Liger's other kernels are on, too; the estimate "
                "models only the fused loss");
    }

    void plan_sharding() {
        const auto fsdp = word(in("fsdp"));
        const bool file_has_fsdp = !fsdp.empty() && fsdp != "false";
        const bool file_has_zero = has(p_.root, in("deepspeed")) && word(in("deepspeed")) != "null";
        if (is_fsdp(r_)) {
            const bool reshards = r_.sharding == "fsdp";
            p_.set("sharding", in("fsdp"), "true", true);
            p_.compare({"fsdp_config", "version"}, 2, ", FSDP2");
            if (has(p_.root, in("fsdp_config")))
                p_.settle("sharding", joined(in("fsdp_config"), "reshard_after_forward"),
                          yes(reshards), reshards);
            else if (!reshards)
                p_.set("sharding", in("fsdp_config"), R"({"reshard_after_forward": false})", true);
        } else if (file_has_fsdp) {
            p_.say(place_of(in("fsdp")) + " is " + fsdp +
                   "; the estimate does not shard with FSDP");
        }
        if (is_zero(r_) && !file_has_zero) {
            p_.say("the estimate shards with DeepSpeed (" + r_.sharding + "): set " +
                   place_of(in("deepspeed")) + " to its configuration file");
        } else if (!is_zero(r_) && file_has_zero) {
            p_.say(place_of(in("deepspeed")) + " is " + word(in("deepspeed")) +
                   "; the estimate does not use DeepSpeed");
        }
    }

    Planner& p_;
    const Recommended& r_;
    Path around_;
    bool factory_ = false, trl_ = false;
};

}  // namespace

std::vector<Path> around_model(const Path& around) {
    return {around,
            {},
            {"model"},
            {"model_args"},
            {"model_init_kwargs"},
            joined(around, "model_init_kwargs"),
            {"model_arguments"}};
}

const char* structure_of(bool llama_factory, bool trl) {
    return llama_factory ? "LLaMA-Factory configuration"
           : trl         ? "TRL configuration"
                         : "Transformers TrainingArguments";
}

bool is_llama_factory(const YAML::Node& root) { return count_of(root, kFactory) > 1; }

bool is_trl(const YAML::Node& root, const Path& arguments) {
    return !is_llama_factory(root) &&
           (count_of(at(root, arguments), kTrl) > 0 || count_of(root, kTrl) > 0);
}

std::optional<Path> trainer_arguments(const YAML::Node& root) {
    return only_mapping(root, [&](const YAML::Node& node, const Path& path) {
        // DeepSpeed's own configuration may stand within, under names of its own.
        if (!path.empty() && path.back().starts_with("deepspeed")) return false;
        const int own = count_of(node, kOwn);
        // A batch by another name is another library's, such as axolotl's.
        const bool other = !member(node, kOwn[0]).IsDefined() && count_of(node, kOthers) > 0;
        if (other) return false;
        return own > 1 || (own == 1 && count_of(node, kAlso) > 0);
    });
}

bool plan_transformers(Planner& p) {
    const auto around = trainer_arguments(p.root);
    if (!around) return false;
    Arguments(p, *around).plan();
    return true;
}

// LLaMA-Factory's other commands: chat, api, export.
bool read_llama_factory_other(Reader& in) {
    const bool other = has(in.root, {"infer_backend"}) || has(in.root, {"export_dir"});
    if (!other || !has(in.root, {"model_name_or_path"}) ||
        has(in.root, {"per_device_train_batch_size"}))
        return false;
    in.run.structures.emplace_back("LLaMA-Factory configuration");
    in.run.unmodelled.push_back(
        {"",
         "the file infers or exports, and trains nothing; give the configuration of the "
         "training"});
    return true;
}

// The structure of LLaMA-Factory's new trainer, which holds logits and types of its own.
bool read_llama_factory_1(Reader& in) {
    if (word_at(in.root, {"model"}).empty() || !has(in.root, {"train_dataset"}) ||
        !has(in.root, {"micro_batch_size"}))
        return false;
    in.run.structures.emplace_back("LLaMA-Factory v1 configuration");
    in.run.model = in.word({"model"});
    in.run.unmodelled.push_back(
        {"",
         "the trainer of LLaMA-Factory v1 is not modelled; the nearest that is: estimate --model " +
             in.run.model + " --checkpointing, with --lora RANK, --cards N --sharding fsdp"});
    return true;
}

}  // namespace plimsoll::jobs::training_config
