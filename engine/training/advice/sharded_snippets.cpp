#include "engine/training/advice/sharded_snippets.hpp"

#include "engine/training/tape/layout.hpp"

#include <fmt/format.h>

namespace plimsoll::training {

std::string lightning_strategy(const TrainingSettings& settings) {
    static constexpr const char* kNames[] = {
        "", "ddp", "deepspeed_stage_1", "deepspeed_stage_2", "deepspeed_stage_3", "fsdp"};
    const auto layout = layout_of(settings);
    if (layout.sharding == Sharding::none) return "";
    if (layout.replicas > 1 || layout.sharding == Sharding::fsdp_grad_op) {
        const bool keeps = layout.sharding == Sharding::fsdp_grad_op;
        return fmt::format(
            "  devices: {}\n  strategy:\n"
            "    class_path: lightning.pytorch.strategies.FSDPStrategy\n"
            "    init_args: {{sharding_strategy: {}{}{}}}\n",
            settings.cards,
            layout.replicas == 1 ? "SHARD_GRAD_OP"
            : keeps              ? "_HYBRID_SHARD_ZERO2"
                                 : "HYBRID_SHARD",
            layout.replicas == 1
                ? std::string()
                : fmt::format(", device_mesh: [{}, {}]", layout.replicas, layout.cards),
            layout.offloads_weights ? ", cpu_offload: true" : "");
    }
    return fmt::format("  devices: {}\n  strategy: {}{}\n", settings.cards,
                       kNames[static_cast<int>(layout.sharding)],
                       !layout.offloads_optimizer ? ""
                       : layout.is_zero()         ? "_offload"
                                                  : "_cpu_offload");
}

std::string packed_storage(const TrainingSettings& settings) {
    if (!layout_of(settings).shards_weights) return "";
    return ",\n                                  bnb_4bit_quant_storage=torch.bfloat16";
}

std::string type_of_trained(const TrainingSettings& settings) {
    if (!settings.widens_copies() && !layout_of(settings).narrow_trained) return "";
    return fmt::format(
        "for p in model.parameters():\n    if p.requires_grad: p.data = p.data.{}()\n",
        settings.widens_copies() ? "float" : "bfloat16");
}

std::string elsewhere(const TrainingSettings& settings) {
    std::string out;
    if (settings.fused_adapters)
        out += "# in axolotl: lora_mlp_kernel, lora_qkv_kernel and lora_o_kernel: true\n";
    if (settings.optimizer_in_backward) out += "# in torchtune: optimizer_in_bwd: true\n";
    if (settings.checkpointed_every > 1)
        out += fmt::format(
            "# in transformers: gradient_checkpointing_kwargs={{\"every_n_layers\": {0}}}; in "
            "torchtitan:\n# activation_checkpoint.selective_ac_option = \"{0}\"\n",
            settings.checkpointed_every);
    if (settings.selective)
        out += "# in torchtitan: activation_checkpoint.selective_ac_option = \"op\"\n";
    if (settings.frees_logits)
        out += "# delete the logits before the backward pass, as torchtitan and torchtune do\n";
    return out;
}

std::string vllm_arguments(const TrainingSettings& t) {
    const auto& [share, sleeps, cards, longest] = t.vllm;
    if (share == 0) return t.generates ? "" : "    use_vllm=True, vllm_mode=\"server\",\n";
    return fmt::format(
        "    use_vllm=True, vllm_mode=\"colocate\", vllm_gpu_memory_utilization={:g},\n"
        "    vllm_enable_sleep_mode={}, vllm_tensor_parallel_size={}, vllm_max_model_length={},\n",
        share, sleeps ? "True" : "False", cards, longest > 0 ? longest : t.sequence);
}

std::string left_to_pytorch(const TrainingSettings& settings) {
    const auto& p = settings.parallel;
    if (p.cards() == 1 && p.expert == 1) return "";
    if (p.pipeline > 1 || p.context > 1 || p.expert > 1) {
        std::string keys;
        if (p.context > 1) keys += fmt::format("# context_parallel_degree = {}\n", p.context);
        if (p.tensor > 1) keys += fmt::format("# tensor_parallel_degree = {}\n", p.tensor);
        if (p.expert > 1) keys += fmt::format("# expert_parallel_degree = {}\n", p.expert);
        if (p.pipeline > 1)
            keys += fmt::format(
                "# pipeline_parallel_degree = {}\n# pipeline_parallel_schedule = \"{}\"\n"
                "# pipeline_parallel_microbatch_size: this batch, of which local_batch_size has "
                "{}\n",
                p.pipeline,
                p.schedule == Schedule::gpipe         ? "GPipe"
                : p.schedule == Schedule::interleaved ? "Interleaved1F1B"
                                                      : "1F1B",
                p.microbatches);
        return "# Several GPUs divide a copy of the model: see torchtitan's\n" + keys +
               (p.context == 1 || p.pipeline > 1
                    ? ""
                    : fmt::format("# or Accelerate's parallelism_config_cp_size: {}\n", p.context));
    }
    return fmt::format(
        "# Several GPUs divide a copy of the model: see the settings for PyTorch, or torchtitan's\n"
        "# tensor_parallel_degree = {}.\n",
        p.tensor);
}

namespace {

// torchtitan's plan, for the names of Llama's layers in transformers.
constexpr const char* kDividedLayers =
    R"(# from torch.distributed.tensor import Replicate, Shard; the rest from torch.distributed.tensor.parallel
parallelize_module(model, mesh["tensor"], {
    "model.embed_tokens": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1), use_local_output=False),
    "model.norm": SequenceParallel(),
    "lm_head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Shard(-1), use_local_output=False)})
if model.config.tie_word_embeddings:
    model.lm_head.weight = model.model.embed_tokens.weight
for layer in model.model.layers:
    plan = {"input_layernorm": SequenceParallel(), "post_attention_layernorm": SequenceParallel(),
            "self_attn": PrepareModuleInput(input_kwarg_layouts={"hidden_states": Shard(1)},
                                            desired_input_kwarg_layouts={"hidden_states": Replicate()}),
            "mlp": PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate())}
    for name in ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "mlp.gate_proj", "mlp.up_proj"):
        plan[name] = ColwiseParallel()
    for name in ("self_attn.o_proj", "mlp.down_proj"):
        plan[name] = RowwiseParallel(output_layouts=Shard(1), use_local_output=False)
    for name in ("q_norm", "k_norm"):
        if hasattr(layer.self_attn, name):
            plan["self_attn." + name] = SequenceParallel(sequence_dim=2, use_local_output=True)
    parallelize_module(layer, mesh["tensor"], plan)
)";

}  // namespace

std::string deepspeed_loop(const std::string& optimizer, int cards) {
    return fmt::format(
        "optimizer = {}\n"
        "engine, _, loader, _ = deepspeed.initialize(  # deepspeed --num_gpus {} train.py\n"
        "    model=model, optimizer=optimizer, training_data=dataset, "
        "config=\"ds_config.json\")\n"
        "for batch in loader:\n"
        "    engine.backward(engine(**batch).loss)\n"
        "    engine.step()\n",
        optimizer, cards);
}

std::string pytorch_sharding(const TrainingSettings& settings, const std::string& half) {
    const auto layout = layout_of(settings);
    const bool divides = settings.parallel.cards() > 1;
    if (layout.sharding != Sharding::ddp && !is_fsdp(layout.sharding) && !divides) return "";
    auto out = fmt::format(
        "torch.distributed.init_process_group(\"nccl\")  # torchrun --nproc-per-node {} train.py\n"
        "torch.cuda.set_device(int(os.environ[\"LOCAL_RANK\"]))\n",
        settings.cards);
    const bool groups = layout.replicas > 1;
    if (divides || groups)
        out += fmt::format(
            "mesh = torch.distributed.init_device_mesh(\"cuda\", ({}{}{}), "
            "mesh_dim_names=({}\"shard\"{}))\n",
            groups ? fmt::format("{}, ", layout.replicas) : "", layout.cards,
            divides ? fmt::format(", {}", settings.parallel.tensor) : "",
            groups ? "\"replicate\", " : "", divides ? ", \"tensor\"" : "");
    if (divides) out += kDividedLayers;
    if (layout.sharding == Sharding::none) return out;
    if (layout.sharding == Sharding::ddp)
        return out + "model = torch.nn.parallel.DistributedDataParallel(model.cuda())\n";
    const auto policy = layout.mixed
                            ? fmt::format(
                                  ", mp_policy=MixedPrecisionPolicy(param_dtype=torch.{0}, "
                                  "reduce_dtype=torch.{1})",
                                  half, settings.wide_sums ? "float32" : half)
                            : std::string();
    const char* mesh = divides && groups ? ", mesh=mesh[\"replicate\", \"shard\"]"
                       : divides         ? ", mesh=mesh[\"shard\"]"
                       : groups          ? ", mesh=mesh"
                                         : "";
    return out + kFindLayers +
           fmt::format(
               "for part in [*layers, model]:\n"
               "    fully_shard(part{})  # from torch.distributed.fsdp\n",
               policy + (layout.offloads_weights ? ", offload_policy=CPUOffloadPolicy()" : "") +
                   (layout.sharding == Sharding::fsdp ? "" : ", reshard_after_forward=False") +
                   mesh);
}

}  // namespace plimsoll::training
