#include "server/kinds/training_config/contract/configs/structures/reader.hpp"

#include <map>

namespace plimsoll::jobs::training_config {
namespace {

bool is_torchtitan(const YAML::Node& root) {
    return has(root, {"model", "flavor"}) && has(root, {"training"});
}

// The model on the hub whose shape the flavor has; else the file's own words.
std::string model_of(const std::string& name, const std::string& flavor) {
    static const std::map<std::string, std::string> before = {{"llama3", "meta-llama/Llama-3.1-"},
                                                              {"qwen3", "Qwen/Qwen3-"}};
    const auto found = before.find(name);
    if (found == before.end()) return name + " " + flavor;
    const bool newer = name == "llama3" && has_word("1B 3B", flavor);
    return (newer ? "meta-llama/Llama-3.2-" : found->second) + flavor;
}

// Degrees stand in [parallelism], in older files in [training] or [experimental].
std::int64_t degree(Reader& in, const char* name, std::int64_t otherwise) {
    for (const char* section : {"training", "experimental", "parallelism"})
        otherwise = in.value({section, name}, otherwise);
    return otherwise;
}

void read_parallelism(Reader& in) {
    const auto tensor = degree(in, "tensor_parallel_degree", 1);
    const auto copies = degree(in, "data_parallel_replicate_degree", 1);
    const auto shards = degree(in, "data_parallel_shard_degree", -1);
    for (const char* name :
         {"pipeline_parallel_degree", "context_parallel_degree", "expert_parallel_degree"}) {
        if (degree(in, name, 1) <= 1) continue;
        const char* section = has(in.root, {"parallelism", name}) ? "parallelism" : "experimental";
        in.unmodelled({section, name},
                      "of parallelism, data, shards and tensors are modelled; the nearest that is: "
                      "estimate --cards N --tensor-parallel M --sharding fsdp");
    }
    const Path policy = {"parallelism", "fsdp_reshard_after_forward"};
    const char* sharding = in.word(policy) == "never" ? "fsdp_grad_op" : "fsdp";
    const bool sharded = shards > 1 || shards < 0;
    if (tensor > 1 || sharded || copies > 1)
        in.shard(sharded ? sharding : "ddp", shards < 0 ? 0 : copies * shards * tensor,
                 {"parallelism", "data_parallel_shard_degree"});
    if (tensor > 1) in.run.cluster["tensor_parallel"] = tensor;
    if (sharded) in.replicas(copies);
    if (in.value({"parallelism", "disable_loss_parallel"}, false))
        in.unmodelled({"parallelism", "disable_loss_parallel"},
                      "with tensor parallelism, the loss is modelled on divided words");
}

// Weights stay in fp32 and are gathered in 16 bits; without shards, divided weights are used as
// they are.
void read_precision(Reader& in) {
    const bool half = in.word({"training", "mixed_precision_param"}, "bfloat16") == "bfloat16";
    const auto dtype = in.word({"training", "dtype"}, "float32");
    auto& run = in.run;
    const bool sharded =
        run.cluster.is_object() && run.cluster.value("sharding", "").starts_with("fsdp");
    const bool divided = run.cluster.is_object() && run.cluster.contains("tensor_parallel");
    run.training["precision"] = dtype == "bfloat16"             ? "bf16"
                                : half && (sharded || !divided) ? "bf16_autocast"
                                                                : "fp32";
    if (run.training["precision"] == "bf16_autocast" && sharded)
        run.cluster["fp32_reduce"] =
            in.word({"training", "mixed_precision_reduce"}, "float32") == "float32";
}

void read_recomputation(Reader& in) {
    const Path mode = {"activation_checkpoint", "mode"};
    const auto its = in.word(mode, "selective");
    in.run.training["checkpointing"] = its == "full";
    if (has_word("full none", its)) return;
    in.unmodelled(
        mode,
        "recomputation of some operations only (selective, the default) is not modelled: full "
        "above");
}

void read_optimizer(Reader& in) {
    const Path name = {"optimizer", "name"};
    if (!has_word("AdamW Adam", in.word(name, "AdamW")))
        in.unmodelled(name, "of torchtitan's optimizers, Adam and AdamW are modelled");
    const auto kind = in.word({"optimizer", "implementation"}, "fused");
    in.run.training["optimizer"] = "adamw";
    in.run.training["optimizer_kernel"] = kind == "for-loop" ? "single" : kind;
    if (in.value({"optimizer", "early_step_in_backward"}, false))
        in.run.training["optimizer_in_backward"] = true;
}

}  // namespace

bool read_torchtitan(Reader& in) {
    if (!is_torchtitan(in.root)) return false;
    auto& run = in.run;
    run.structures.emplace_back("torchtitan configuration");
    run.model = model_of(in.word({"model", "name"}), in.word({"model", "flavor"}));
    in.batch({"training", "batch_size"});
    in.batch({"training", "local_batch_size"}, run.training.contains("batch") ? 0 : 8);
    run.training["sequence_length"] = in.value({"training", "seq_len"}, 2048);
    run.places["sequence_length"] = "training.seq_len";
    in.clip(in.value({"training", "max_norm"}, 1.0) > 0);
    read_parallelism(in);
    read_precision(in);
    if (in.value({"training", "enable_cpu_offload"}, false)) in.offload("none", "cpu");
    read_recomputation(in);
    read_optimizer(in);
    for (const auto& path : {Path{"compile", "enable"}, Path{"training", "compile"}})
        if (in.value(path, false))
            run.notes.emplace_back(
                "compiling is not modelled; of published compiled runs the estimate was between 12 "
                "% low and 28 % high");
    if (const auto converters = in.node({"model", "converters"});
        converters.IsDefined() && converters.size() > 0)
        in.unmodelled({"model", "converters"},
                      "FP8 and other conversions of the model are not modelled; the nearest that "
                      "is: --precision bf16");
    run.notes.emplace_back(
        "torchtitan's own model keeps less than that of transformers, which is estimated");
    in.name_rest({}, {"torchtitan"});
    return true;
}

}  // namespace plimsoll::jobs::training_config
