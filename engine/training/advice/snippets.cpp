#include "engine/training/advice/snippets.hpp"

#include "engine/training/advice/sharded_snippets.hpp"
#include "engine/training/tape/layout.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plimsoll::training {
namespace {

const char* python(bool value) { return value ? "True" : "False"; }
const char* lower(bool value) { return value ? "true" : "false"; }

bool fp16(const RecommendedSettings& s) { return s.training.scaled(); }
bool bf16(const RecommendedSettings& s) {
    return s.training.precision != Precision::fp32 && !fp16(s);
}
// DeepSpeed converts the weights itself.
bool half_weights(const TrainingSettings& t) { return t.half_weights() && !layout_of(t).is_zero(); }
const char* half_type(const RecommendedSettings& s) { return fp16(s) ? "float16" : "bfloat16"; }

std::string optimizer_name(const TrainingSettings& t) {
    const bool fused = t.optimizer == Optimizer::adamw && t.kernel == OptimizerKernel::fused;
    return names_of(t.optimizer).transformers + std::string(fused ? "_fused" : "");
}

// The name of TRL's trainer; null: none is needed.
const char* trainer_of(Method method) {
    constexpr const char* kTrainers[] = {nullptr, "DPO", "ORPO", "KTO", "Reward", "GRPO", "PPO"};
    return kTrainers[static_cast<std::size_t>(method)];
}

// Other trainers have no such step.
std::string left_to_trl(const RecommendedSettings& s) {
    return fmt::format(
        "# The step is that of TRL's {}Trainer: see the settings for Transformers.\n",
        trainer_of(s.training.method));
}

const char* lightning_precision(const TrainingSettings& t) {
    switch (t.precision) {
        case Precision::fp32: return "32-true";
        case Precision::bf16_autocast: return "bf16-mixed";
        case Precision::fp16_autocast: return "16-mixed";
        case Precision::bf16:
            // bf16-true would convert the adapters, too.
            return layout_of(t).wide_adapters ? "32-true  # for a model that is loaded in bfloat16"
                                              : "bf16-true";
        case Precision::fp16: return "16-mixed  # for a model that is loaded in float16";
    }
    return "";
}

constexpr const char* kYourRate = "yours, since SGD's depends on the task";

std::string optimizer_call(const RecommendedSettings& s) {
    const auto& names = names_of(s.training.optimizer);
    const bool fused =
        s.training.optimizer == Optimizer::adamw && s.training.kernel == OptimizerKernel::fused;
    return fmt::format("{}(model.parameters(), lr={}{}{}){}", names.type,
                       s.learning_rate ? fmt::format("{:g}", *s.learning_rate) : "learning_rate",
                       names.arguments, fused ? ", fused=True" : "",
                       s.learning_rate ? "" : std::string("  # ") + kYourRate);
}

// How to load and wrap the model before training.
std::string model_setup(const RecommendedSettings& s) {
    const auto& t = s.training;
    std::string out;
    if (!s.allocator.empty()) out += "# PYTORCH_ALLOC_CONF=" + s.allocator + "\n";
    if (t.attention != Attention::sdpa)
        out += fmt::format("model.set_attn_implementation(\"{}\")\n",
                           t.attention == Attention::eager ? "eager" : "flash_attention_2");
    out += elsewhere(t);
    if (t.frozen_embeddings) out += "model.get_input_embeddings().requires_grad_(False)\n";
    if (t.frozen_layers > 0)
        out += kFindLayers +
               fmt::format("for layer in layers[:{}]:\n    layer.requires_grad_(False)\n",
                           t.frozen_layers);
    if (t.quantization != Quantization::none) {
        out += "quantization = BitsAndBytesConfig(";
        if (t.quantization == Quantization::int8) {
            out += "load_in_8bit=True)\n";
        } else {
            out += fmt::format(
                "load_in_4bit=True, bnb_4bit_quant_type=\"nf4\",\n"
                "                                  bnb_4bit_use_double_quant={}, "
                "bnb_4bit_compute_dtype=torch.{}{})\n",
                python(t.quantization == Quantization::nf4_double), half_type(s),
                packed_storage(t));
        }
        // prepare_model_for_kbit_training converts everything that is not quantized to fp32.
        if (half_weights(t) || layout_of(t).is_zero())
            out += fmt::format(
                "# load the model with from_pretrained(name, quantization_config=quantization, "
                "dtype=torch.{})\n{}",
                half_type(s), t.checkpointing ? "model.enable_input_require_grads()\n" : "");
        else
            out += fmt::format(
                "# load the model with from_pretrained(name, quantization_config=quantization)\n"
                "model = prepare_model_for_kbit_training(model, use_gradient_checkpointing={})\n",
                python(t.checkpointing));
    }
    // transformers loads the checkpoint's own type, which may differ from what was estimated.
    if (t.quantization == Quantization::none && half_weights(t))
        out += fmt::format(
            "model = model.to(torch.{0})  # as from_pretrained(name, dtype=torch.{0}): {1}\n",
            half_type(s), t.lora.rank > 0 ? "weights" : "weights, gradients and optimizer");
    else if (t.quantization == Quantization::none && s.of_transformers && !layout_of(t).is_zero())
        out += "# load the model with from_pretrained(name, dtype=torch.float32)\n";
    if (t.lora.rank == 0 || s.lora_targets.empty()) return out;
    return out + fmt::format(
                     "model = get_peft_model(model, LoraConfig(r={}, lora_dropout={:g}, "
                     "target_modules={}{}){})\n{}",
                     t.lora.rank, t.lora.dropout, s.lora_targets,
                     t.lora.dora ? ", use_dora=True" : "",
                     t.lora.wide == Lora::Wide::none ? ", autocast_adapter_dtype=False" : "",
                     type_of_trained(t));
}

// target_modules as peft takes them; empty if the model is not one of transformers.
std::string python_targets(const ModelShape& shape, const Lora& lora) {
    if (lora.rank == 0 || !shape.is_text_or_features()) return "";
    const auto list = [](const std::vector<std::string>& names) {
        return fmt::format("[\"{}\"]", fmt::join(names, "\", \""));
    };
    const auto targets = lora.targets == Lora::Targets::all_linear ? "\"all-linear\""
                         : lora.targets == Lora::Targets::modules  ? list(lora.modules)
                                                                  : list(query_value_layers(shape));
    return lora.whole.empty() ? targets : targets + ", modules_to_save=" + list(lora.whole);
}

}  // namespace

const OptimizerNames& names_of(Optimizer optimizer) {
    static constexpr OptimizerNames kNames[] = {
        {Optimizer::adamw, "adamw_torch", "torch.optim.AdamW", ""},
        {Optimizer::sgd, "sgd", "torch.optim.SGD", ""},
        {Optimizer::sgd_momentum, "sgd", "torch.optim.SGD", ", momentum=0.9"},
        {Optimizer::adafactor, "adafactor", "torch.optim.Adafactor", ""},
        {Optimizer::adam_8bit, "adamw_bnb_8bit", "bitsandbytes.optim.AdamW8bit", ""},
        {Optimizer::paged_adamw, "paged_adamw_32bit", "bitsandbytes.optim.PagedAdamW32bit", ""},
        {Optimizer::paged_adamw_8bit, "paged_adamw_8bit", "bitsandbytes.optim.PagedAdamW8bit", ""},
    };
    return *std::ranges::find(kNames, optimizer, &OptimizerNames::optimizer);
}

RecommendedSettings settings_for(const GpuReport& report, const ReportRequest& request) {
    RecommendedSettings s;
    s.training = request.settings;
    s.training.precision = report.precision;
    s.epochs = request.workload.epochs;
    s.loader = report.loader;
    s.learning_rate = report.rate.recommended_rate;
    s.has_decoder = request.shape.has_decoder();
    s.of_transformers = request.shape.is_text_or_features();
    s.warmup_steps = report.rate.warmup_steps;
    s.batch = report.batch;
    if (report.accumulation) {
        s.batch = report.accumulation->nearest.batch;
        s.accumulation = report.accumulation->nearest.steps;
    }
    s.training.batch = s.batch;
    s.allocator = text_of(request.search.estimate.allocator);
    s.lora_targets = python_targets(request.shape, s.training.lora);
    s.trainable_parameters = report.at_batch.trainable_parameters;
    return s;
}

namespace {

// Once, before training.
std::string tokenizing(const RecommendedSettings& s) {
    const int processes = s.loader.tokenizer_processes;
    if (processes == 0) return {};
    if (!s.has_decoder)
        return fmt::format(
            "dataset = dataset.map(lambda rows: tokenizer(rows[\"text\"], truncation=True, "
            "max_length={}),\n"
            "                      batched=True, num_proc={})  # once, before training\n",
            s.training.sequence, processes);
    return fmt::format(
        "def tokenize(rows):\n"
        "    inputs = tokenizer(rows[\"text\"], truncation=True, max_length={})\n"
        "    targets = tokenizer(text_target=rows[\"target\"], truncation=True, max_length={})\n"
        "    return {{**inputs, \"labels\": targets[\"input_ids\"]}}\n"
        "dataset = dataset.map(tokenize, batched=True, num_proc={})  # once, before training\n"
        "data_collator = DataCollatorForSeq2Seq(tokenizer, model=model)  # for Trainer\n",
        s.training.sequence, s.training.target_length(), processes);
}

}  // namespace

std::string transformers_arguments(const RecommendedSettings& s) {
    if (auto note = left_to_pytorch(s.training); !note.empty()) return note;
    const auto& training = s.training;
    const auto layout = layout_of(training);
    const char* trl = trainer_of(training.method);
    std::string out = (trl == nullptr ? tokenizing(s) : "") + model_setup(s);
    out += fmt::format(
        "{}(\n"
        "    per_device_train_batch_size={},\n"
        "    gradient_accumulation_steps={},\n"
        "    {}\n"
        "    warmup_steps={},\n"
        "    num_train_epochs={},\n"
        "    bf16={},\n"
        "    fp16={},\n"
        "    optim=\"{}\",\n"
        "    gradient_checkpointing={},\n"
        "    dataloader_num_workers={},\n",
        trl == nullptr ? "TrainingArguments" : trl + std::string("Config"), s.batch, s.accumulation,
        s.learning_rate ? fmt::format("learning_rate={:g},", *s.learning_rate)
                        : std::string("# learning_rate: ") + kYourRate,
        s.warmup_steps, s.epochs,
        python(bf16(s) && (!half_weights(training) || training.widens_copies())), python(fp16(s)),
        optimizer_name(training), python(training.checkpointing), s.loader.workers);
    if (training.optimizer == Optimizer::sgd_momentum) out += "    optim_args=\"momentum=0.9\",\n";
    if (!training.clip) out += "    max_grad_norm=0,\n";
    if (training.method == Method::grpo) {
        out += fmt::format("    max_completion_length={},  # of prompts: {}\n{}{}", training.target,
                           training.sequence - training.target,
                           training.reference != Reference::none ? "    beta=0.04,  # yours\n" : "",
                           vllm_arguments(training));
    } else if (training.method == Method::ppo) {
        out += fmt::format("    response_length={},  # of prompts: {}; TRL 1.12 or older\n",
                           training.target, training.sequence - training.target);
    } else if (trl != nullptr) {
        out += fmt::format("    max_length={},\n", training.sequence);
        if (training.reference == Reference::none) out += "    precompute_ref_log_probs=True,\n";
    }
    if (training.fused_loss)
        out +=
            "    use_liger_kernel=True,  # only its loss\n"
            "    liger_kernel_config={\"fused_linear_cross_entropy\": True, \"rms_norm\": False, "
            "\"rope\": False,\n"
            "                         \"swiglu\": False, \"geglu\": False},\n";
    if (layout.is_zero()) out += "    deepspeed=\"deepspeed.json\",  # below\n";
    if (is_fsdp(layout.sharding))
        out += fmt::format(
            "    fsdp=True,\n    fsdp_config={{\"version\": 2{}{}}},\n",
            layout.offloads_weights ? ", \"cpu_offload\": True" : "",
            layout.sharding == Sharding::fsdp ? "" : ", \"reshard_after_forward\": False");
    if (layout.replicas > 1)
        out += fmt::format(
            "    parallelism_config=ParallelismConfig(dp_replicate_size={}, dp_shard_size={}),\n",
            layout.replicas, layout.cards);
    if (s.loader.workers > 0)
        out += fmt::format(
            "    dataloader_prefetch_factor={},\n    dataloader_persistent_workers=True,\n",
            s.loader.prefetch);
    out += "    dataloader_pin_memory=True,\n)\n";
    if (training.packed)  // TRL says packing=True and max_length in its SFTConfig
        out +=
            "data_collator = DataCollatorWithFlattening(return_flash_attn_kwargs=True)  # for "
            "Trainer\n";
    if (layout.sharding != Sharding::none)
        out += fmt::format("# torchrun --nproc-per-node {} train.py\n", training.cards);
    return out;
}

std::string yaml_number(double value) {
    auto text = fmt::format("{:g}", value);
    if (const auto exponent = text.find('e');
        exponent != std::string::npos && text.find('.') == std::string::npos)
        text.insert(exponent, ".0");
    return text;
}

std::string lightning_yaml(const RecommendedSettings& s) {
    if (auto note = left_to_pytorch(s.training); !note.empty()) return note;
    if (s.training.method != Method::supervised) return left_to_trl(s);
    return fmt::format(
        "trainer:\n"
        "  accumulate_grad_batches: {}\n"
        "  precision: {}\n"
        "{}{}"
        "  max_epochs: {}\n"
        "model:\n"
        "  {}\n"
        "  warmup_steps: {}\n"
        "data_loader:\n"
        "  batch_size: {}\n"
        "  num_workers: {}\n"
        "  pin_memory: true\n"
        "  persistent_workers: {}\n",
        s.accumulation, lightning_precision(s.training), lightning_strategy(s.training),
        s.training.clip ? "  gradient_clip_val: 1.0\n" : "", s.epochs,
        s.learning_rate ? "learning_rate: " + yaml_number(*s.learning_rate)
                        : std::string("# learning_rate: ") + kYourRate,
        s.warmup_steps, s.batch, s.loader.workers, lower(s.loader.persistent_workers));
}

std::string deepspeed_json(const RecommendedSettings& s) {
    if (auto note = left_to_pytorch(s.training); !note.empty()) return note;
    const auto& training = s.training;
    const auto layout = layout_of(training);
    const int stage = layout.is_zero() ? static_cast<int>(training.sharding) -
                                             static_cast<int>(Sharding::zero1) + 1
                      : layout.shards_weights ? 3  // DeepSpeed's counterpart of FSDP
                                              : 0;
    std::string out = fmt::format(
        "{{\n"
        "  \"train_micro_batch_size_per_gpu\": {},\n"
        "  \"gradient_accumulation_steps\": {},\n"
        "  \"bf16\": {{\"enabled\": {}}},\n"
        "  \"fp16\": {{\"enabled\": {}}},\n"
        "  \"gradient_clipping\": {},\n",
        s.batch, s.accumulation, lower(bf16(s)), lower(fp16(s)), training.clip ? "1.0" : "0.0");
    // JSON has no comments: a rate that is not advised is left to the reader.
    const auto rate =
        s.learning_rate ? fmt::format("\"lr\": {:g}", *s.learning_rate) : std::string();
    // Without a block of its own, DeepSpeed wraps the optimizer that the program or the Trainer's
    // `optim` makes.
    if (training.optimizer == Optimizer::adamw) {
        out += fmt::format("  \"optimizer\": {{\"type\": \"AdamW\", \"params\": {{{}}}}},\n", rate);
    } else if (training.optimizer == Optimizer::sgd ||
               training.optimizer == Optimizer::sgd_momentum) {
        out += fmt::format(
            "  \"optimizer\": {{\"type\": \"SGD\", \"params\": {{{}{}\"momentum\": {}}}}},\n", rate,
            rate.empty() ? "" : ", ", training.optimizer == Optimizer::sgd ? "0.0" : "0.9");
    } else {
        out += "  \"zero_allow_untested_optimizer\": true,\n";
    }
    // The buckets that the estimate counts.
    const auto bucket = layout.bucket_elements(s.trainable_parameters);
    out += fmt::format("  \"zero_optimization\": {{\"stage\": {}", stage);
    if (stage > 0)
        out += fmt::format(", \"reduce_bucket_size\": {}, \"overlap_comm\": false", bucket);
    if (stage == 3) out += fmt::format(", \"stage3_max_live_parameters\": {}", kMaxLive);
    if (layout.offloads_optimizer)
        out += ",\n    \"offload_optimizer\": {\"device\": \"cpu\", \"pin_memory\": true}";
    if (layout.offloads_weights)
        out += ",\n    \"offload_param\": {\"device\": \"cpu\", \"pin_memory\": true}";
    return out + "}\n}\n";
}

std::string plain_pytorch(const RecommendedSettings& s) {
    if (s.training.method != Method::supervised) return left_to_trl(s);
    const auto& p = s.training.parallel;
    if (p.context > 1 || p.pipeline > 1 || p.expert > 1) return left_to_pytorch(s.training);
    const auto loader = s.loader.workers > 0 ? fmt::format(
                                                   ", num_workers={}, prefetch_factor={}, "
                                                   "persistent_workers=True",
                                                   s.loader.workers, s.loader.prefetch)
                                             : std::string();
    const bool autocast = s.training.autocast();
    std::string out = model_setup(s);
    if (s.training.fused_loss)
        out +=
            "_apply_liger_kernel_to_instance(model, fused_linear_cross_entropy=True, "
            "rms_norm=False, rope=False,\n"
            "                                swiglu=False, geglu=False)  # from "
            "liger_kernel.transformers\n";
    const auto layout = layout_of(s.training);
    if (layout.is_zero()) return out + deepspeed_loop(optimizer_call(s), layout.cards);
    out += pytorch_sharding(s.training, half_type(s));
    // GPUs that divide a copy train on the same batches.
    const auto sampler =
        s.training.parallel.cards() > 1
            ? fmt::format(
                  "sampler=DistributedSampler(dataset, {}, torch.distributed.get_rank() // {})",
                  s.training.copies(), s.training.parallel.cards())
        : layout.sharding == Sharding::none ? "shuffle=True"
                                            : "sampler=DistributedSampler(dataset)";
    out += fmt::format(
        "loader = DataLoader(dataset, batch_size={}, {}, pin_memory=True{}{})\n"
        "optimizer = {}\n",
        s.batch, sampler, loader,
        s.training.packed ? ", collate_fn=DataCollatorWithFlattening()" : "", optimizer_call(s));
    if (s.training.checkpointing)
        out +=
            "model.gradient_checkpointing_enable("
            "gradient_checkpointing_kwargs={\"use_reentrant\": False})\n";
    if (fp16(s)) out += "scaler = torch.amp.GradScaler(\"cuda\")\n";
    out += "for i, batch in enumerate(loader):\n";
    if (s.training.parallel.tensor > 1)
        out += "    # inside `with loss_parallel():`, whose logits are divided by words\n";
    out += autocast ? fmt::format(
                          "    with torch.autocast(\"cuda\", dtype=torch.{}):\n"
                          "        loss = model(**batch).loss / {}\n",
                          half_type(s), s.accumulation)
                    : fmt::format("    loss = model(**batch).loss / {}\n", s.accumulation);
    out += fp16(s) ? "    scaler.scale(loss).backward()\n" : "    loss.backward()\n";
    out += fmt::format("    if (i + 1) % {} == 0:\n", s.accumulation);
    if (s.training.clip) {
        if (fp16(s)) out += "        scaler.unscale_(optimizer)\n";
        out += "        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n";
    }
    out += fp16(s) ? "        scaler.step(optimizer)\n        scaler.update()\n"
                   : "        optimizer.step()\n";
    return out + "        optimizer.zero_grad(set_to_none=True)\n";
}

}  // namespace plimsoll::training
