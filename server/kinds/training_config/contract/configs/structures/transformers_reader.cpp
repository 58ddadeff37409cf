#include "server/kinds/training_config/contract/configs/structures/planner.hpp"
#include "server/kinds/training_config/contract/configs/structures/reader.hpp"

#include <array>
#include <map>

namespace plimsoll::jobs::training_config {
namespace {

// The same arguments, read into a run.
class ArgumentReader {
  public:
    ArgumentReader(Reader& reader, Path around)
        : in_(reader),
          run_(reader.run),
          around_(std::move(around)),
          factory_(is_llama_factory(reader.root)),
          trl_(is_trl(reader.root, around_)) {}

    void read() {
        run_.structures.emplace_back(structure_of(factory_, trl_));
        in_.batch(in("per_gpu_train_batch_size"));  // of old files
        in_.batch(in("per_device_train_batch_size"), run_.training.value("batch", 8));
        in_.accumulation(in("gradient_accumulation_steps"));
        read_precision();
        read_checkpointing();
        in_.clip(in_.value(in("max_grad_norm"), 1.0) > 0);
        read_attention();
        read_sharding();
        const bool liger = in_.value(in("enable_liger_kernel"), false);
        read_liger(in_.value(in("use_liger_kernel"), false) || liger);
        // Without weights, an example program trains the model of a configuration anew.
        const auto anew = in_.word(in("config_name"));
        run_.model = in_.word(
            of_model({"model_name_or_path", "model_name", "model_id",
                      "pretrained_model_name_or_path", "name_or_path", "base_model_name_or_path"}),
            anew);
        read_method();
        read_packing();
        read_length();
        note_evaluation();
        read_adapted_run(in_, around_, rank());
        keep_frozen_half();
        read_beside_packed();
        read_optimizer();
        read_ray(in_);
        if (factory_ && run_.training.contains("lora") && !run_.places.contains("lora.targets"))
            run_.training["lora"]["targets"] = "all_linear";
        const bool tests = in_.value(in("do_predict"), false) || in_.value(in("do_eval"), false);
        if (factory_ && tests && !in_.value(in("do_train"), false))
            run_.unmodelled.push_back(
                {"",
                 "the file does not set do_train: it predicts or evaluates, and trains nothing"});
        for (const char* mapping : {"model", "model_args", "model_arguments"})
            in_.node(in(mapping));  // a project's own
        if (factory_) read_resized();
        if (factory_)
            in_.name_rest(around_, {"llama_factory", "transformers"});
        else
            in_.name_rest(around_, {"transformers", "trl", "peft"});
    }

  private:
    Path in(const char* name) const { return joined(around_, name); }
    Path of_model(std::initializer_list<const char*> names) {
        return in_.first_of(around_model(around_), names);
    }

    // Of adapters whose rank the file leaves to the library; -1: it has none.
    std::int64_t rank() {
        if (factory_) {
            const auto method = word_at(in_.root, in("finetuning_type"));
            return method.empty() || method == "lora" ? 8 : -1;
        }
        const auto peft = in("use_peft"), lora = in("use_lora");
        if (in_.value(peft, false)) return 16;
        if (in_.value(lora, false)) return 8;  // peft's own
        const bool refuses = !in_.value(lora, true) || (trl_ && !word_at(in_.root, peft).empty());
        return refuses ? -1 : 0;
    }

    // transformers 5 loads the checkpoint's own type, and bf16=True is autocast over that.
    // LLaMA-Factory converts what it trains to fp32: the whole model, or the adapters.
    void read_precision() {
        const auto launched = run_.training.value("precision", "");  // by Accelerate
        const bool fp16 = in_.value(in("fp16"), launched == "fp16_autocast");
        const bool bf16 = in_.value(in("bf16"), !fp16 && (trl_ || launched == "bf16_autocast"));
        const auto place = of_model({"dtype", "torch_dtype", "model_dtype"});
        const auto dtype = in_.word(place);
        const bool half =
            in_.value(in("pure_bf16"), false) || (!bf16 && !fp16 && dtype.ends_with("bfloat16"));
        // TRL's programs load weights in fp32 unless they are told otherwise.
        const bool by_trl =
            trl_ && !has(in_.root, place) && has(in_.root, of_model({"model_name_or_path"}));
        if (by_trl && (bf16 || fp16))
            run_.notes.emplace_back(
                "the files set no dtype: TRL then loads the weights in float32 (dtype: bfloat16 "
                "loads them in 16 bits)");
        const bool widened = dtype.ends_with("float32") || by_trl ||
                             (factory_ && word_at(in_.root, in("finetuning_type")) == "full");
        run_.training["precision"] = half   ? "bf16"
                                     : bf16 ? widened ? "bf16_autocast" : "auto"
                                     : fp16 ? "fp16_autocast"
                                            : "fp32";
        frozen_half_ = !widened && (fp16 || (factory_ && !bf16));
    }

    // Under adapters, what is frozen keeps the checkpoint's 16 bits, too, if the file asks for fp16
    // or, in LLaMA-Factory, for nothing.
    void keep_frozen_half() {
        auto& training = run_.training;
        if (!frozen_half_ || !training.contains("lora") || training.contains("quantization"))
            return;
        if (training.at("precision") == "fp32") {
            training["precision"] = "bf16";
        } else if (training.at("precision") == "fp16_autocast") {
            training["precision"] = "auto";
            run_.notes.emplace_back("fp16 is estimated as bf16 where the GPU has that");
        }
    }

    // With adapters, LLaMA-Factory trains the embeddings that it resizes, and what is trained whole
    // in fp32.
    void read_resized() {
        Path resizes;
        for (const char* name :
             {"resize_vocab", "add_tokens", "add_special_tokens", "new_special_tokens_config"}) {
            const auto set = in_.node(in(name));
            const bool asks = set.IsDefined() && !set.IsNull() && in_.value(in(name), true);
            if (asks) resizes = in(name);
        }
        if (!run_.training.contains("lora")) return;
        auto& lora = run_.training["lora"];
        if (!resizes.empty() && !lora.contains("modules_to_save")) {
            lora["modules_to_save"] = {"embed_tokens", "lm_head"};
            run_.notes.push_back(place_of(resizes) +
                                 " is set: embeddings and head are trained whole");
        }
        if (!in_.value(in("pure_bf16"), false)) run_.trained_type = "all_fp32";
    }

    // Beside packed weights, LLaMA-Factory loads what it computes in, TRL fp32, and trains in bf16.
    void read_beside_packed() {
        auto& training = run_.training;
        if (!training.contains("quantization") || !training.contains("lora")) return;
        auto& precision = training["precision"];
        if (factory_) precision = precision == "fp16_autocast" ? "fp16" : "bf16";
        if (!trl_ || precision == "fp32" || precision == "fp16_autocast") return;
        const auto dtype = word_at(in_.root, of_model({"dtype", "torch_dtype", "model_dtype"}));
        if (precision == "auto") precision = dtype.empty() ? "bf16_autocast" : "bf16";
        run_.trained_type = "all_bf16";
    }

    void read_checkpointing() {
        const bool forbids = in_.value(in("disable_gradient_checkpointing"), false);
        const bool older = in_.value(in("gradient_checkpointing"), trl_);
        const bool asks = in_.value(in("activation_checkpointing"), older);
        const bool shards = in_.value(joined(in("fsdp_config"), "activation_checkpointing"), false);
        const auto of_peft = in_.first_of(std::array{around_, Path{}, Path{"lora"}, Path{"peft"}},
                                          {"use_gradient_checkpointing"});
        if (in_.word(of_peft) == "unsloth")
            in_.unmodelled(of_peft,
                           "unsloth's is not modelled; --checkpointing gives an upper limit",
                           "--checkpointing");
        run_.training["checkpointing"] =
            factory_ ? !forbids : asks || shards || in_.value(of_peft, false);
    }

    void read_optimizer() {
        const auto name = in_.word(in("optim"), "adamw_torch_fused");
        plimsoll::jobs::training_config::read_optimizer(in_, in("optim"), name);
        if (name == "sgd" && in_.word(in("optim_args")).find("momentum") != std::string::npos)
            run_.training["optimizer"] = "sgd_momentum";
    }

    void read_attention() {
        static const std::map<std::string, const char*> of_factory = {
            {"fa2", "flash_attention_2"}, {"fa3", "flash_attention_2"}, {"disabled", "eager"}};
        auto attention =
            in_.word(of_model({"attn_implementation", "_attn_implementation"}), "sdpa");
        // Of projects' own programs.
        for (const char* name :
             {"use_flash_attn", "use_flash_attention", "use_flash_attention_2", "flash_attention"})
            if (in_.value(of_model({name}), false)) attention = "flash_attention_2";
        if (factory_) {
            const auto its = of_factory.find(in_.word(in("flash_attn"), "auto"));
            attention = its == of_factory.end() ? "sdpa" : its->second;
        }
        in_.attention(attention);
    }

    // The Trainer's default batch is 8, whatever it trains with.
    void note_evaluation() {
        const auto place = in("per_device_eval_batch_size");
        const auto batch = in_.value(place, std::int64_t{8});
        const bool evaluates = has_word("steps epoch", in_.word(in("eval_strategy"))) ||
                               has_word("steps epoch", in_.word(in("evaluation_strategy")));
        if (evaluates && batch > run_.training.value("batch", std::int64_t{8}))
            run_.notes.push_back(place_of(place) + " is " + std::to_string(batch) +
                                 ": evaluation is not modelled, and its larger batches may need "
                                 "more than training");
    }

    void read_packing() {
        for (const char* name : {"packing", "padding_free", "neat_packing"}) {
            if (!in_.value(in(name), false)) continue;
            if (run_.training.contains("method"))
                in_.unmodelled(in(name), "answers are estimated with their padding");
            else
                run_.training["packed"] = true;
        }
    }

    void read_length() {
        if ((!factory_ && !trl_) || run_.training.contains("sequence_length")) return;
        run_.training["sequence_length"] = factory_ ? 2048 : 1024;
        const auto unlimited = in_.node(in("max_length"));
        if (unlimited.IsDefined() && unlimited.IsNull())
            run_.notes.push_back(place_of(in("max_length")) +
                                 " is null, so texts have any length: 1024 tokens are assumed "
                                 "(change it with --sequence-length)");
    }

    // Keys and losses of one trainer of TRL alone; LLaMA-Factory names its stage, and holds all
    // logits.
    void read_method() {
        struct Sign {
            const char* method;
            std::string_view keys, losses;
        };
        static constexpr Sign kSigns[] = {
            {"ppo", "vf_coef cliprange_value", ""},
            {"grpo", "num_generations epsilon_high scale_rewards num_iterations",
             "grpo bnpo dr_grpo dapo cispo sapo luspo vespo"},
            {"kto", "desirable_weight undesirable_weight", "kto apo_zero_unpaired"},
            {"reward", "center_rewards_coefficient", ""},
            {"dpo",
             "f_divergence_type f_alpha_divergence_coef ld_alpha use_weighting discopop_tau "
             "loss_weights rpo_alpha reference_free use_logits_to_keep model_adapter_name "
             "ref_adapter_name",
             "sigmoid hinge ipo exo_pair nca_pair robust bco_pair sppo_hard aot aot_pair "
             "aot_unpaired apo_zero apo_down discopop sft sigmoid_norm"}};
        auto& training = run_.training;
        if (factory_) {
            const auto stage = word_at(in_.root, in("stage"));
            if (stage != "dpo" && stage != "kto") return;
            training["method"] = stage;
            training["whole_logits"] = true;
            run_.layers_reference = true;
            if (has_word("orpo simpo", in_.word(in("pref_loss")))) training["reference"] = "none";
            return;
        }
        const auto arguments = at(in_.root, around_);
        const auto loss = at(in_.root, in("loss_type"));
        const auto first =
            loss.IsDefined() && loss.IsSequence() && loss.size() > 0 ? loss[0] : loss;
        const auto own = first.IsDefined() && first.IsScalar() ? first.Scalar() : std::string();
        if (has_word("nll dft chunked_nll", own)) in_.node(in("loss_type"));
        for (const auto& sign : kSigns) {
            bool shows = has_word(sign.losses, own);
            for (const auto& one : arguments)
                shows = shows || (one.first.IsScalar() && has_word(sign.keys, one.first.Scalar()));
            if (shows && !training.contains("method")) training["method"] = sign.method;
        }
        if (in_.value(in("precompute_ref_log_probs"), false)) training["reference"] = "none";
        const auto method = training.value("method", "");
        if (method == "grpo") read_answers(in_, around_);
        if (method == "ppo") read_rollouts();
    }

    // TRL's PPOTrainer runs a loop of its own, which neither clips nor turns recomputation on.
    void read_rollouts() {
        auto& training = run_.training;
        for (const char* name :
             {"num_ppo_epochs", "num_mini_batches", "whiten_rewards", "kl_coef", "kl_estimator",
              "cliprange", "vf_coef", "cliprange_value", "gamma", "lam", "missing_eos_penalty",
              "total_episodes", "num_sample_generations", "stop_token", "stop_token_id",
              "exp_name"})
            in_.node(in(name));
        const auto answer = in_.value(in("response_length"), std::int64_t{53});
        training["target_length"] = answer;
        training["sequence_length"] = 512 + answer;
        run_.notes.emplace_back(
            "prompts of 512 tokens are assumed (change it with --sequence-length, prompt and "
            "answer)");
        if (in_.value(in("gradient_checkpointing"), false))
            run_.notes.push_back(place_of(in("gradient_checkpointing")) +
                                 " has no effect in TRL's PPOTrainer");
        training["checkpointing"] = false;
        in_.clip(false);
        const auto policy = in_.word(in("sft_model_path"));
        if (run_.model.empty()) run_.model = policy;
        const auto reward = in_.word(in("reward_model_path"));
        if (!reward.empty() && reward != run_.model && reward != policy)
            in_.unmodelled(in("reward_model_path"),
                           "value and reward models are estimated as large as the policy; if they "
                           "are, say so with --method ppo",
                           "--method");
        if (in_.value(in("local_rollout_forward_batch_size"), std::int64_t{64}) > 64)
            in_.unmodelled(in("local_rollout_forward_batch_size"),
                           "PPO's rollouts are modelled for 64 answers at once");
    }

    // "full_shard auto_wrap", a list of such words, or true; FSDP's own settings are beside it.
    void read_sharding() {
        const auto fsdp = in_.node(in("fsdp"));
        std::vector<std::string> words;
        if (fsdp.IsDefined() && fsdp.IsSequence()) {
            for (const auto& one : fsdp)
                if (one.IsScalar()) words.push_back(one.Scalar());
        } else if (fsdp.IsDefined() && fsdp.IsScalar()) {
            words = {fsdp.Scalar()};
        }
        std::string all;
        for (const auto& word : words) all += " " + word;
        const bool keeps = has_word(all, "shard_grad_op") ||
                           !in_.value(joined(in("fsdp_config"), "reshard_after_forward"), true);
        if (has_word(all, "no_shard"))
            in_.shard("ddp", 0, in("fsdp"));
        else if (!all.empty() && all != " " && all != " false" && all != " null")
            in_.shard(keeps ? "fsdp_grad_op" : "fsdp", 0, in("fsdp"));
        bool offloads = has_word(all, "offload");
        for (const char* name : {"cpu_offload", "offload_params"})
            offloads = in_.value(joined(in("fsdp_config"), name), false) || offloads;
        if (offloads) in_.offload("none", "cpu");
        for (const char* word : {"hybrid_shard", "hybrid_shard_zero2"})
            if (has_word(all, word))
                in_.unmodelled(in("fsdp"), std::string(word) + " is not modelled");
        if (in_.value(joined(in("fsdp_config"), "version"), 2) != 2) {
            run_.layers_reference = true;
            run_.notes.emplace_back("FSDP1 is estimated as FSDP2");
        }
        const auto zero = in_.node(in("deepspeed"));
        if (!zero.IsDefined() || zero.IsNull()) return;
        if (zero.IsMap()) return read_deepspeed_at(in_, in("deepspeed"));
        run_.deepspeed = zero.IsScalar() ? zero.Scalar() : std::string();
    }

    // Liger's other kernels need less memory than estimated.
    void read_liger(bool used) {
        const auto kernel = [&](const char* name) {
            return in_.value(joined(in("liger_kernel_config"), name), true);
        };
        bool others = false;
        for (const char* name : {"rms_norm", "rope", "swiglu", "geglu", "cross_entropy"})
            others = kernel(name) || others;
        if (kernel("fused_linear_cross_entropy") && used) run_.training["fused_loss"] = true;
        if (others && used)
            run_.notes.emplace_back("Liger's other kernels are not modelled; its fused loss is");
    }

    Reader& in_;
    ConfiguredRun& run_;
    Path around_;
    bool factory_, trl_;
    bool frozen_half_ = false;
};

}  // namespace

// Prompts have no limit of their own since TRL 0.24.
void read_answers(Reader& reader, const Path& around) {
    constexpr std::int64_t kDefaultTokens = 512;
    const auto in = [&](const char* name) { return joined(around, name); };
    auto& training = reader.run.training;
    const auto answer = reader.value(in("max_completion_length"), kDefaultTokens);
    // vLLM takes no longer text, also of a prompt and its answer.
    const auto longest = reader.value(in("vllm_max_model_length"), std::int64_t{0});
    const auto assumed =
        longest > answer ? std::min(longest - answer, kDefaultTokens) : kDefaultTokens;
    const auto prompt = reader.value(in("max_prompt_length"), assumed);
    training["target_length"] = answer;
    training["sequence_length"] = prompt + answer;
    if (!reader.node(in("max_prompt_length")).IsDefined())
        reader.run.notes.push_back(
            "prompts of " + std::to_string(prompt) +
            " tokens are assumed (change it with --sequence-length, prompt and answer)");
    training["reference"] = reader.value(in("beta"), 0.0) > 0 ? "model" : "none";
    if (!reader.value(in("use_vllm"), false)) return;
    training["generation"] = "vllm";
    if (reader.word(in("vllm_mode"), "colocate") == "server") return;
    auto& vllm = training["vllm"];
    vllm["memory_share"] = reader.value(in("vllm_gpu_memory_utilization"), 0.3);
    vllm["sleep"] = reader.value(in("vllm_enable_sleep_mode"), false);
    vllm["tensor_parallel"] = reader.value(in("vllm_tensor_parallel_size"), std::int64_t{1});
    if (longest > 0) vllm["max_length"] = longest;
}

void read_ray(Reader& reader) {
    const auto workers = reader.value({"ray_num_workers"}, std::int64_t{0});
    if (workers > 1) reader.shard("ddp", workers, {"ray_num_workers"});
}

bool read_transformers(Reader& reader) {
    const auto around = trainer_arguments(reader.root);
    if (around) ArgumentReader(reader, *around).read();
    return around.has_value();
}

}  // namespace plimsoll::jobs::training_config
