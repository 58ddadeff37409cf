#include "server/kinds/training_config/command/configs/configured_run.hpp"

#include "server/kinds/training_config/command/configs/structures/planner.hpp"
#include "server/kinds/training_config/command/configs/unreadable.hpp"

#include <map>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;

class Reader {
  public:
    Reader(const YAML::Node& root, ConfiguredRun& run) : root_(root), run_(run) {}

    bool read() {
        return read_deepspeed() || read_accelerate() || read_transformers() || read_lightning();
    }

  private:
    std::string word(const Path& path, std::string usual = {}) const {
        const auto node = at(root_, path);
        return node.IsDefined() && node.IsScalar() ? node.Scalar() : usual;
    }
    template <class Value>
    Value value(const Path& path, Value usual) const {
        const auto node = at(root_, path);
        Value found = usual;
        const bool read =
            node.IsDefined() && node.IsScalar() && YAML::convert<Value>::decode(node, found);
        return read ? found : usual;
    }
    void structure(const char* name) { run_.structures.emplace_back(name); }
    void batch(const Path& path, std::int64_t usual = 0) {
        if (const auto found = value(path, usual); found > 0) run_.training["batch"] = found;
    }
    void shard(const std::string& sharding, std::int64_t cards) {
        if (run_.cluster.is_null()) run_.cluster = json::object();
        run_.cluster["sharding"] = sharding;
        if (cards > 0) run_.cluster["cards"] = cards;
    }
    // "auto" and omitted settings leave the precision to the other files.
    void mixed(const std::string& name) {
        if (name == "bf16" || name == "fp16") run_.training["precision"] = name + "_autocast";
        if (name == "no") run_.training["precision"] = "fp32";
    }

    bool read_deepspeed() {
        if (!has(root_, {"zero_optimization"}) && !has(root_, {"train_micro_batch_size_per_gpu"}))
            return false;
        structure("DeepSpeed configuration");
        batch({"train_micro_batch_size_per_gpu"});
        run_.accumulation = value({"gradient_accumulation_steps"}, run_.accumulation);
        if (value({"bf16", "enabled"}, false)) mixed("bf16");
        if (value({"fp16", "enabled"}, false)) mixed("fp16");
        // By default it does not clip, whatever the Trainer's arguments say.
        if (word({"gradient_clipping"}) != "auto")
            run_.training["clip"] = value({"gradient_clipping"}, 0.0) > 0;
        if (const int stage = value({"zero_optimization", "stage"}, 0); stage > 0)
            shard("zero" + std::to_string(stage), 0);
        offload(word({"zero_optimization", "offload_optimizer", "device"}, "none"),
                word({"zero_optimization", "offload_param", "device"}, "none"));
        return true;
    }
    void offload(const std::string& optimizer, const std::string& parameters) {
        if (run_.cluster.is_null()) return;
        if (optimizer != "none") run_.cluster["offload"] = "optimizer";
        if (parameters != "none") run_.cluster["offload"] = "parameters";
    }

    bool read_accelerate() {
        if (!has(root_, {"compute_environment"}) && !has(root_, {"distributed_type"})) return false;
        structure("Accelerate configuration");
        mixed(value({"mixed_precision"}, true) ? word({"mixed_precision"}) : "no");
        run_.accumulation = value({"gradient_accumulation_steps"}, run_.accumulation);
        const auto type = word({"distributed_type"});
        const auto cards = value({"num_processes"}, std::int64_t{1});
        const auto zero = [](const char* name) { return Path{"deepspeed_config", name}; };
        if (type == "FSDP") {
            shard("fsdp", cards);
            if (value({"fsdp_config", "fsdp_activation_checkpointing"}, false))
                run_.training["checkpointing"] = true;
        } else if (type == "DEEPSPEED") {
            shard("zero" + word(zero("zero_stage"), "2"), cards);
            run_.accumulation = value(zero("gradient_accumulation_steps"), run_.accumulation);
            if (has(root_, zero("gradient_clipping")))
                run_.training["clip"] = value(zero("gradient_clipping"), 0.0) > 0;
            offload(word(zero("offload_optimizer_device"), "none"),
                    word(zero("offload_param_device"), "none"));
        } else if (cards > 1) {
            shard("ddp", cards);
        }
        return true;
    }

    bool read_transformers() {
        const auto around = trainer_arguments(root_);
        if (!around) return false;
        const auto in = [&](const char* name) { return joined(*around, name); };
        const bool factory = is_llama_factory(root_), trl = is_trl(root_, *around);
        structure(factory ? "LLaMA-Factory configuration"
                  : trl   ? "TRL configuration"
                          : "Transformers TrainingArguments");
        batch(in("per_device_train_batch_size"), 8);
        run_.accumulation = value(in("gradient_accumulation_steps"), run_.accumulation);
        read_precision(*around, factory, trl);
        const bool forbids = value(in("disable_gradient_checkpointing"), false);
        run_.training["checkpointing"] =
            factory ? !forbids : value(in("gradient_checkpointing"), trl);
        read_optimizer(word(in("optim"), "adamw_torch_fused"), word(in("optim_args")));
        run_.training["clip"] = value(in("max_grad_norm"), 1.0) > 0;
        if (const auto attention = word(of_model(*around, "attn_implementation"), "sdpa");
            attention == "eager" || attention == "flash_attention_2")
            run_.training["attention"] = attention;
        else if (attention != "sdpa")
            run_.notes.push_back("attention " + attention + " is estimated as sdpa");
        if (const auto fsdp = word(in("fsdp")); !fsdp.empty() && fsdp != "false") shard("fsdp", 0);
        if (value(in("packing"), false) || value(in("padding_free"), false))
            run_.training["packed"] = true;
        if (value(in("use_liger_kernel"), false)) read_liger(in("liger_kernel_config"));
        if (value(in("torch_compile"), false))
            run_.notes.emplace_back("torch_compile is not modelled");
        run_.model = word(of_model(*around, "model_name_or_path"));
        read_length(*around);
        read_adapters(*around);
        return true;
    }

    void read_liger(const Path& kernels) {
        if (value(joined(kernels, "fused_linear_cross_entropy"), true))
            run_.training["fused_loss"] = true;
        for (const char* name : {"rms_norm", "rope", "swiglu", "geglu"}) {
            if (!value(joined(kernels, name), true)) continue;
            run_.notes.emplace_back("Liger's other kernels are not modelled; its fused loss is");
            return;
        }
    }

    Path of_model(const Path& around, const char* name) const {
        for (const Path& mapping : {around, Path{}, Path{"model"}, Path{"model_args"}}) {
            if (has(root_, joined(mapping, name))) return joined(mapping, name);
        }
        return joined(around, name);
    }
    // transformers 5 loads the checkpoint's own type, and bf16=True is autocast over that.
    // LLaMA-Factory converts what it trains to fp32: the whole model, or the adapters.
    void read_precision(const Path& around, bool factory, bool trl) {
        const bool fp16 = value(joined(around, "fp16"), false);
        const bool bf16 = value(joined(around, "bf16"), trl && !fp16);
        const auto dtype = word(of_model(around, "dtype"), word(of_model(around, "torch_dtype")));
        const bool half = value(joined(around, "pure_bf16"), false) ||
                          (!bf16 && !fp16 && dtype.ends_with("bfloat16"));
        const bool widened = dtype.ends_with("float32") ||
                             (factory && word(joined(around, "finetuning_type")) == "full");
        run_.training["precision"] = half   ? "bf16"
                                     : bf16 ? widened ? "bf16_autocast" : "auto"
                                     : fp16 ? "fp16_autocast"
                                            : "fp32";
    }
    void read_optimizer(const std::string& name, const std::string& arguments) {
        static const std::map<std::string, const char*> known = {
            {"adamw_torch_fused", "adamw"},
            {"adamw_torch", "adamw"},
            {"sgd", "sgd"},
            {"adafactor", "adafactor"},
            {"adamw_bnb_8bit", "adam_8bit"},
            {"adamw_8bit", "adam_8bit"},
            {"paged_adamw", "paged_adamw"},
            {"paged_adamw_32bit", "paged_adamw"},
            {"paged_adamw_8bit", "paged_adamw_8bit"}};
        const auto found = known.find(name);
        if (found == known.end()) {
            run_.notes.push_back("optim " + name + " is not modelled; AdamW is estimated");
            return;
        }
        run_.training["optimizer"] = name == "sgd" && arguments.find("momentum") != arguments.npos
                                         ? "sgd_momentum"
                                         : found->second;
        if (name == "adamw_torch") run_.training["optimizer_kernel"] = "foreach";
    }
    void read_length(const Path& around) {
        for (const char* name :
             {"max_seq_length", "max_length", "model_max_length", "cutoff_len", "block_size"}) {
            for (const Path& mapping : {around, Path{}}) {
                if (const auto length = value(joined(mapping, name), 0); length > 0)
                    run_.training["sequence_length"] = length;
            }
        }
    }
    void read_adapters(const Path& around) {
        for (const Path& mapping :
             {around, Path{}, Path{"lora"}, Path{"peft"}, Path{"lora_config"}}) {
            const bool own = !mapping.empty() && mapping != around;
            for (const char* name : {"lora_r", "lora_rank", "r"}) {
                const auto rank = value(joined(mapping, name), 0);
                if (rank < 1 || (std::string_view(name) == "r" && !own)) continue;
                auto& lora = run_.training["lora"];
                lora = {{"rank", rank}};
                if (value(joined(mapping, "use_dora"), false)) lora["dora"] = true;
                lora["dropout"] = value(joined(mapping, "lora_dropout"), 0.0);
                for (const char* targets :
                     {"target_modules", "lora_target_modules", "lora_target"}) {
                    read_targets(at(root_, joined(mapping, targets)), lora);
                }
            }
            if (value(joined(mapping, "load_in_8bit"), false))
                run_.training["quantization"] = "int8";
        }
        for (const Path& mapping : {around, Path{}, Path{"quantization"}, Path{"bnb_config"},
                                    Path{"quantization_config"}}) {
            if (!value(joined(mapping, "load_in_4bit"), false)) continue;
            const bool twice = value(joined(mapping, "bnb_4bit_use_double_quant"), false) ||
                               value(joined(mapping, "use_bnb_nested_quant"), false);
            run_.training["quantization"] = twice ? "nf4_double" : "nf4";
        }
    }
    static void read_targets(const YAML::Node& node, json& lora) {
        if (!node.IsDefined()) return;
        if (node.IsScalar() && (node.Scalar() == "all" || node.Scalar() == "all-linear")) {
            lora["targets"] = "all_linear";
        } else if (node.IsSequence()) {
            lora["modules"] = json::array();
            for (const auto& one : node) lora["modules"].push_back(one.as<std::string>());
        }
    }

    bool read_lightning() {
        const auto trainer = lightning_trainer(root_);
        const auto place = training_batch(root_);
        if (!trainer && !place) return false;
        structure(trainer ? "Lightning trainer" : "Lightning data");
        if (place) batch(*place);
        if (!trainer) return true;
        const auto in = [&](const char* name) { return joined(*trainer, name); };
        run_.accumulation = value(in("accumulate_grad_batches"), run_.accumulation);
        const auto precision = word(in("precision"), "32-true");
        if (precision == "bf16-true")
            run_.training["precision"] = "bf16";
        else
            mixed(precision.starts_with("bf16") ? "bf16"
                  : precision.starts_with("16") ? "fp16"
                                                : "no");
        run_.training["clip"] = value(in("gradient_clip_val"), 0.0) > 0;
        for (const Path& around : {Path{"model"}, Path{"model", "init_args"}}) {
            const auto checkpoints = joined(around, "gradient_checkpointing");
            if (has(root_, checkpoints)) run_.training["checkpointing"] = value(checkpoints, false);
        }
        const auto strategy = word(in("strategy"), "auto");
        const auto cards = value(in("devices"), std::int64_t{1});
        if (strategy.starts_with("fsdp"))
            shard("fsdp", cards);
        else if (strategy.starts_with("deepspeed_stage_"))
            shard("zero" + strategy.substr(16, 1), cards);
        else if (cards > 1)
            shard("ddp", cards);
        return true;
    }

    const YAML::Node& root_;
    ConfiguredRun& run_;
};

}  // namespace

Result<void> read_run(std::string_view text, ConfiguredRun& run) {
    try {
        const auto root = YAML::Load(std::string(text));
        if (Reader(root, run).read()) return {};
        return fail(Errc::invalid_input,
                    "The structure is not recognized: neither Transformers arguments nor a "
                    "configuration of Accelerate, DeepSpeed or Lightning.");
    } catch (const YAML::Exception& error) {
        return fail(unreadable(text, error));
    }
}

}  // namespace plimsoll::jobs::training_config
