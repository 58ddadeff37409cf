#include "engine/training/tape/layout.hpp"
#include "server/kinds/training_config/contract/configs/structures/planner.hpp"
#include "server/kinds/training_config/contract/configs/structures/reader.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace plimsoll::jobs::training_config {
namespace {

namespace tr = ::plimsoll::training;

bool is_accelerate(const YAML::Node& root) {
    return has(root, {"compute_environment"}) || has(root, {"distributed_type"});
}

std::string upper(std::string word) {
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::toupper(c); });
    return word;
}

// One of FSDP1's strategies, by name or number, or FSDP2's switch, as the contract names it; empty:
// not modelled.
std::string sharding_of(std::string_view strategy) {
    if (has_word("FULL_SHARD 1 HYBRID_SHARD 4 TRUE", strategy)) return "fsdp";
    if (has_word("SHARD_GRAD_OP 2 HYBRID_SHARD_ZERO2 5 FALSE", strategy)) return "fsdp_grad_op";
    return has_word("NO_SHARD 3", strategy) ? "ddp" : "";
}

// ParallelismConfig's: PyTorch's ring attention. Its tensor parallelism is transformers' own, which
// keeps texts, embeddings and logits whole on every card.
void read_mesh(Reader& reader) {
    const auto in = [](const char* name) { return Path{"parallelism_config", name}; };
    reader.replicas(reader.value(in("parallelism_config_dp_replicate_size"), std::int64_t{1}));
    const auto context = reader.value(in("parallelism_config_cp_size"), std::int64_t{1});
    if (context > 1) reader.run.cluster["context_parallel"] = context;
    if (context > 1 && word_at(reader.root, {"fsdp_config", "fsdp_version"}) != "2")
        reader.unmodelled(in("parallelism_config_cp_size"), "Accelerate needs fsdp_version: 2");
}

void read_fsdp(Reader& reader, std::int64_t cards) {
    const auto in = [](const char* name) { return Path{"fsdp_config", name}; };
    std::string sharding = "fsdp";
    Path place = {"distributed_type"};
    for (const char* name : {"fsdp_sharding_strategy", "fsdp_reshard_after_forward"}) {
        const auto strategy = upper(reader.word(in(name), "true"));
        const auto its = sharding_of(strategy);
        if (its.empty())
            reader.unmodelled(in(name), "this strategy is not modelled");
        else if (its != "fsdp")
            std::tie(sharding, place) = std::pair(its, in(name));
    }
    reader.shard(sharding, cards, place);
    if (word_at(reader.root, in("fsdp_version")) != "2") reader.run.layers_reference = true;
    // Within each machine.
    if (has_word("HYBRID_SHARD 4 HYBRID_SHARD_ZERO2 5",
                 upper(reader.word(in("fsdp_sharding_strategy")))))
        reader.replicas(reader.value({"num_machines"}, std::int64_t{1}));
    read_mesh(reader);
    if (reader.value(in("fsdp_activation_checkpointing"), false))
        reader.run.training["checkpointing"] = true;
    for (const char* name : {"fsdp_offload_params", "fsdp_cpu_offload"})
        if (reader.value(in(name), false)) reader.offload("none", "cpu");
    if (const auto policy = reader.word(in("fsdp_auto_wrap_policy")); policy == "NO_WRAP")
        reader.unmodelled(in("fsdp_auto_wrap_policy"), "only shards of single layers are modelled");
}

void read_zero(Reader& reader, std::int64_t cards) {
    const auto in = [](const char* name) { return Path{"deepspeed_config", name}; };
    reader.run.deepspeed = reader.word(in("deepspeed_config_file"));
    if (!reader.run.deepspeed.empty()) {
        reader.shard("ddp", cards, in("deepspeed_config_file"));
        reader.node({"deepspeed_config"});  // the file has the rest
        return;
    }
    const auto stage = reader.word(in("zero_stage"), "2");
    reader.shard(stage == "0" ? "ddp" : "zero" + stage, cards, in("zero_stage"));
    reader.buckets(tr::kReduceBucket, false);
    reader.accumulation(in("gradient_accumulation_steps"));
    if (has(reader.root, in("gradient_clipping")))
        reader.clip(reader.value(in("gradient_clipping"), 0.0) > 0);
    reader.offload(reader.word(in("offload_optimizer_device"), "none"),
                   reader.word(in("offload_param_device"), "none"));
}

// The sharding that the launcher uses, which determines a whole block of the file.
void compare_type(Planner& p) {
    const auto type = word_at(p.root, {"distributed_type"});
    const std::string meant = is_zero(p.r)    ? "DEEPSPEED"
                              : is_fsdp(p.r)  ? "FSDP"
                              : p.r.cards > 1 ? "MULTI_GPU"
                                              : "NO";
    // One process of a launcher for several is one card.
    const bool one = meant == "NO" && type == "MULTI_GPU";
    if (type.empty() || type == meant || one) return;
    p.say("distributed_type is " + type + "; the estimate is for " + meant +
          ": change it with `accelerate config`");
}

void plan_fsdp(Planner& p) {
    const auto in = [](const char* name) { return Path{"fsdp_config", name}; };
    if (!has(p.root, {"fsdp_config"}) || !is_fsdp(p.r)) return;
    const bool reshards = p.r.sharding == "fsdp";
    p.settle("sharding", in("fsdp_reshard_after_forward"), yes(reshards), reshards);
    p.change("checkpointing", in("fsdp_activation_checkpointing"),
             std::string(yes(p.r.checkpointing)));
    const auto version = word_at(p.root, in("fsdp_version"));
    if (version != "2") {
        p.say("fsdp_config.fsdp_version is " + (version.empty() ? "1" : version) +
              "; the estimate is for FSDP2");
    }
}

void plan_zero(Planner& p) {
    const auto in = [](const char* name) { return Path{"deepspeed_config", name}; };
    if (!has(p.root, {"deepspeed_config"}) || !is_zero(p.r)) return;
    if (const auto file = word_at(p.root, in("deepspeed_config_file")); !file.empty()) {
        p.say("deepspeed_config.deepspeed_config_file is " + file +
              ": apply the report to it as well");
        return;
    }
    p.set("sharding", in("zero_stage"), std::string(1, p.r.sharding.back()), true);
    p.set("accumulation", in("gradient_accumulation_steps"), p.r.accumulation, true);
    p.change("clipping", in("gradient_clipping"), std::string(p.r.clip ? "1.0" : "0.0"));
    const auto device = [&](const char* name, bool offloads) {
        p.settle("sharding", in(name), offloads ? "cpu" : "none", !offloads, true);
    };
    device("offload_optimizer_device", p.r.offload != "none");
    device("offload_param_device", p.r.offload == "parameters");
}

}  // namespace

bool read_accelerate(Reader& reader) {
    if (!is_accelerate(reader.root)) return false;
    reader.run.structures.emplace_back("Accelerate configuration");
    const Path mixed = {"mixed_precision"};
    const bool fp8 = reader.word(mixed) == "fp8";
    reader.precision(fp8 ? "bf16" : reader.value(mixed, true) ? reader.word(mixed) : "no");
    if (fp8 && reader.word({"fp8_config", "backend"}) == "AO") {
        reader.run.training["fp8"] = true;
        reader.node({"fp8_config"});
    } else if (fp8) {
        reader.unmodelled(
            mixed,
            "FP8 is known of torchao alone (fp8_config.backend: AO); the nearest that "
            "is modelled: --precision bf16");
    }
    reader.accumulation({"gradient_accumulation_steps"});
    const Path type = {"distributed_type"};
    const auto word = reader.word(type, "NO");
    const bool alone = has_word("NO no false False", word);
    // Else the launcher's flag says how many, or it takes all of the machine.
    auto cards = reader.value({"num_processes"}, std::int64_t{alone ? 1 : 0});
    if (alone && cards > 1 && has(reader.root, type)) {  // the launcher starts one process
        reader.run.notes.push_back(fmt::format(
            "num_processes is {}, without effect: distributed_type is {}", cards, word));
        cards = 1;
    }
    if (word != "FSDP") reader.node({"fsdp_config"});  // without effect
    if (word != "DEEPSPEED") reader.node({"deepspeed_config"});
    if (word == "FSDP") {
        read_fsdp(reader, cards);
    } else if (word == "DEEPSPEED") {
        read_zero(reader, cards);
    } else if (!alone && word != "MULTI_GPU") {
        reader.unmodelled(type,
                          "this way to distribute is not modelled; the nearest that is: estimate "
                          "--cards N --sharding fsdp");
    } else if (cards != 1) {
        reader.shard("ddp", cards, {"num_processes"});
    }
    reader.name_rest({}, {"accelerate"});
    return true;
}

bool plan_accelerate(Planner& p) {
    if (!is_accelerate(p.root)) return false;
    p.recognised("Accelerate configuration");
    const std::string mixed = has_autocast(p.r) ? mixed_precision(p.r) : "no";
    p.set("precision", {"mixed_precision"}, mixed, true, true);
    p.change("accumulation", {"gradient_accumulation_steps"}, p.r.accumulation);
    compare_type(p);
    plan_fsdp(p);
    plan_zero(p);
    p.compare({"num_processes"}, p.r.cards, " GPUs");
    return true;
}

}  // namespace plimsoll::jobs::training_config
