#include "server/kinds/training_config/contract/configs/structures/reader.hpp"

#include <algorithm>
#include <map>

namespace plimsoll::jobs::training_config {
namespace {

bool is_torchtitan(const YAML::Node& root) {
    return has(root, {"model", "flavor"}) && has(root, {"training"});
}

// The model on the hub whose shape the flavor has; else the file's own words.
std::string model_of(std::string name, const std::string& flavor) {
    static const std::map<std::string, std::string> before = {{"llama2", "meta-llama/Llama-2-"},
                                                              {"llama3", "meta-llama/Llama-3.1-"},
                                                              {"qwen3", "Qwen/Qwen3-"},
                                                              {"gpt_oss", "openai/gpt-oss-"}};
    static const std::map<std::string, std::string> whole = {
        {"deepseek_v3 16B", "deepseek-ai/DeepSeek-V2-Lite"},
        {"deepseek_v3 236B", "deepseek-ai/DeepSeek-V2"},
        {"deepseek_v3 671B", "deepseek-ai/DeepSeek-V3"},
        {"llama4 17bx16e", "meta-llama/Llama-4-Scout-17B-16E"},
        {"llama4 17bx128e", "meta-llama/Llama-4-Maverick-17B-128E"}};
    name = name.substr(name.rfind('.') + 1);  // "simple_fsdp.llama3", of an experiment
    if (name == "llama3_ft") name = "llama3";
    const auto known = whole.find(name + " " + flavor);
    if (known != whole.end()) return known->second;
    const auto found = before.find(name);
    if (found == before.end() || flavor.starts_with("debug")) return name + " " + flavor;
    if (name == "llama2") return found->second + flavor.substr(0, flavor.size() - 1) + "b-hf";
    const bool newer = name == "llama3" && has_word("1B 3B", flavor);
    return (newer ? "meta-llama/Llama-3.2-" : found->second) + flavor;
}

// Degrees stand in [parallelism], in older files in [training] or [experimental].
std::int64_t degree(Reader& in, const char* name, std::int64_t otherwise) {
    for (const char* section : {"training", "experimental", "parallelism"})
        otherwise = in.value({section, name}, otherwise);
    return otherwise;
}

// Where a key stands that files of several ages have in different sections.
Path place_of_degree(const Reader& in, const char* name) {
    return {has(in.root, {"experimental", name}) ? "experimental" : "parallelism", name};
}

// What divides the layers; the batch becomes that of a micro-batch.
void read_pipeline(Reader& in, std::int64_t stages) {
    auto& run = in.run;
    static const std::map<std::string, const char*> schedules = {
        {"1F1B", "1f1b"}, {"Interleaved1F1B", "interleaved_1f1b"}, {"GPipe", "gpipe"}};
    const auto named = place_of_degree(in, "pipeline_parallel_schedule");
    if (const auto known = schedules.find(in.word(named, "1F1B")); known != schedules.end())
        run.cluster["schedule"] = known->second;
    else
        in.unmodelled(named,
                      "of PyTorch's schedules, 1F1B, Interleaved1F1B and GPipe are modelled");
    const std::int64_t texts = run.training["batch"];
    auto size = in.value({"parallelism", "pipeline_parallel_microbatch_size"}, std::int64_t{1});
    // Older files give their number.
    if (const auto count =
            in.value({"experimental", "pipeline_parallel_microbatches"}, std::int64_t{0});
        count > 0)
        size = texts / count;
    if (size < 1 || texts % size != 0)
        in.unmodelled({"parallelism", "pipeline_parallel_microbatch_size"},
                      "the batch of a GPU is no multiple of it");
    else
        run.cluster["microbatches"] = texts / size;
    run.training["batch"] = std::max<std::int64_t>(1, size);
    run.training.erase("free_logits");  // every micro-batch's wait for their backward pass
    run.cluster["pipeline_parallel"] = stages;
    for (const char* divides :
         {"pipeline_parallel_layers_per_stage", "pipeline_parallel_split_points",
          "module_fqns_per_model_part", "pipeline_parallel_schedule_csv"})
        if (const auto place = place_of_degree(in, divides);
            has(in.root, place) && !in.word(place).empty())
            in.unmodelled(place,
                          "layers are modelled as torchtitan divides them by default: omit it");
    for (const char* fewer :
         {"pipeline_parallel_first_stage_less_layers", "pipeline_parallel_last_stage_less_layers"})
        if (in.value({"parallelism", fewer}, std::int64_t{1}) != 1)
            in.unmodelled({"parallelism", fewer},
                          "embeddings and head are modelled as one layer each: omit it");
}

void read_parallelism(Reader& in) {
    const auto tensor = degree(in, "tensor_parallel_degree", 1);
    const auto context = degree(in, "context_parallel_degree", 1);
    const auto copies = degree(in, "data_parallel_replicate_degree", 1);
    const auto shards = degree(in, "data_parallel_shard_degree", -1);
    const auto stages = degree(in, "pipeline_parallel_degree", 1);
    const auto experts = degree(in, "expert_parallel_degree", 1);
    // By default, a pipeline's weights stay gathered for all of its micro-batches.
    const auto policy = in.word({"parallelism", "fsdp_reshard_after_forward"}, "default");
    const bool keeps = policy == "never" || (policy == "default" && stages > 1);
    const bool sharded = shards > 1 || shards < 0 || context > 1;
    if (tensor > 1 || sharded || copies > 1 || stages > 1)
        in.shard(!sharded ? "ddp"
                 : keeps  ? "fsdp_grad_op"
                          : "fsdp",
                 shards < 0 ? 0 : copies * shards * tensor * context * stages,
                 {"parallelism", "data_parallel_shard_degree"});
    if (stages > 1) read_pipeline(in, stages);
    if (tensor > 1) in.run.cluster["tensor_parallel"] = tensor;
    if (context > 1) in.run.cluster["context_parallel"] = context;
    if (experts > 1) in.run.cluster["expert_parallel"] = experts;
    const Path sent_by = {"parallelism", "expert_parallel_comm_backend"};
    if (in.word(sent_by, "standard") != "standard" && experts > 1)
        in.unmodelled(sent_by, "experts are modelled with torchtitan's standard exchange: omit it");
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
    run.gathers_in_half = sharded;
    if (run.training["precision"] == "bf16_autocast" && sharded)
        run.cluster["fp32_reduce"] =
            in.word({"training", "mixed_precision_reduce"}, "float32") == "float32";
}

void read_recomputation(Reader& in) {
    const Path mode = {"activation_checkpoint", "mode"};
    const auto its = in.word(mode, "selective");
    const Path option = {"activation_checkpoint", "selective_ac_option"};
    const auto by = in.word(option, "2");
    in.run.training["checkpointing"] = its != "none";
    if (has_word("full none", its)) return;
    if (its != "selective")
        return in.unmodelled(mode, "of its modes, full and selective are modelled");
    const auto every = by.find_first_not_of("0123456789") == std::string::npos && by.size() < 4
                           ? std::atoi(by.c_str())
                           : -1;
    if (by == "op")
        in.run.training["selective_checkpointing"] = true;
    else if (every < 0)
        in.unmodelled(option, "torchtitan knows \"op\" and numbers");
    else if (every > 1)
        in.run.training["checkpointing_every"] = every;
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
    const auto name = in.word({"model", "name"});
    run.model = in.word({"hf_transformers", "model"}, model_of(name, in.word({"model", "flavor"})));
    if (name == "flux" || name == "vlm")
        run.unmodelled.push_back(
            {"", "model.name is " + name + ": models of images are not modelled"});
    in.batch({"training", "batch_size"});
    in.batch({"training", "local_batch_size"}, run.training.contains("batch") ? 0 : 8);
    run.training["free_logits"] = true;  // its loop deletes them
    run.training["sequence_length"] = in.value({"training", "seq_len"}, 2048);
    run.places["sequence_length"] = "training.seq_len";
    in.clip(in.value({"training", "max_norm"}, 1.0) > 0);
    read_parallelism(in);
    read_precision(in);
    if (in.value({"training", "enable_cpu_offload"}, false)) in.offload("none", "cpu");
    read_recomputation(in);
    read_optimizer(in);
    for (const auto& path : {Path{"compile", "enable"}, Path{"training", "compile"}})
        if (in.value(path, false)) run.training["compile"] = true;
    for (const auto& one : in.node({"model", "converters"}))
        if (one.as<std::string>("").find("float8") != std::string::npos)
            run.training["fp8"] = true;
        else
            in.unmodelled({"model", "converters"},
                          "of conversions of the model, FP8 alone is known");
    run.notes.emplace_back(
        // tests/integration/published_runs_test.py computes it anew.
        "the layers of transformers are estimated; 18 published runs of torchtitan took from 5.2 % "
        "less to 14.6 % more");
    in.name_rest({}, {"torchtitan"});
    return true;
}

}  // namespace plimsoll::jobs::training_config
