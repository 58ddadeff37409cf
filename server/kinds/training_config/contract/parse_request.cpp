#include "engine/training/advice/precision.hpp"
#include "engine/training/guides/naics_memory.hpp"
#include "server/kinds/training_config/contract/assumer.hpp"
#include "server/kinds/training_config/contract/bytes.hpp"
#include "server/kinds/training_config/contract/idle_options.hpp"
#include "server/kinds/training_config/contract/limits.hpp"
#include "server/kinds/training_config/contract/words.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;

// The engine's words for a place, in those of the contract.
std::string in_args(const std::string& where) {
    static const std::map<std::string, std::string, std::less<>> places = {
        {"/batch", "/training/batch"},
        {"/sequence", "/training/sequence_length"},
        {"/negatives", "/training/negatives"},
        {"/checkpointing", "/training/checkpointing"},
        {"/lora", "/training/lora"},
        {"/padded", "/training/padded"},
        {"/packed", "/training/packed"},
        {"/fused_loss", "/training/fused_loss"},
        {"/attention", "/training/attention"},
        {"/target", "/training/target_length"},
        {"/lora/dora", "/training/lora/dora"},
        {"/quantization", "/training/quantization"},
        {"/lora/rank", "/training/lora/rank"},
        {"/lora/dropout", "/training/lora/dropout"},
        {"/frozen_layers", "/training/frozen_layers"},
        {"/safety", "/safety_margin"},
        {"/offload", "/cluster/offload"},
    };
    if (where.starts_with("/lora/modules")) return "/training" + where;
    const auto found = places.find(where);
    return found == places.end() ? where : found->second;
}

void note(FieldErrors& errors, const Error& error) {
    errors.push_back({in_args(error.where), "invalid", error.message});
}

template <class Words, class Value>
void take_word(const json& from, const char* key, const Words& words, Value& value) {
    if (const auto found = from.find(key); found != from.end()) {
        value = value_of(words, found->get<std::string>()).value_or(value);
    }
}

int usual_length(const tr::ModelShape& shape) {
    if (shape.sample_length() > 0) return shape.sample_length();
    if (shape.is_series()) return 60;
    if (shape.family == tr::Family::naics) return 512;
    if (shape.has_decoder()) return 512;
    const int usual = shape.is_decoder() ? 1024 : 128;
    return shape.positions > 0 ? std::min(shape.positions, usual) : usual;
}

std::string reason_of_length(const tr::ModelShape& shape) {
    if (shape.sample_length() > 0) return "fixed by the model";
    if (shape.is_series()) return "windows of 60 steps, as in the GPU profile guide";
    if (shape.family == tr::Family::naics) return "whole texts, as in the NAICS memory guide";
    return "a typical length for this family; memory grows with it";
}

constexpr const char* kUsualDropout =
    "as in QLoRA for models of up to 13 billion parameters (Dettmers et al. 2023); PEFT's own "
    "default is 0";

tr::Lora parse_lora(const json& from, bool naics, std::vector<Assumption>& assumptions) {
    tr::Lora lora;
    const auto found = from.find("lora");
    if (found == from.end()) {
        if (!naics) return lora;
        lora.rank = 8;
        lora.targets = tr::Lora::Targets::all_linear;
        assumptions.push_back({"/training/lora/rank", 8, "as in the NAICS memory guide"});
        assumptions.push_back({"/training/lora/dropout", lora.dropout, kUsualDropout});
        assumptions.push_back(
            {"/training/lora/targets", "all_linear", "as in the NAICS memory guide's project"});
        return lora;
    }
    const auto assumed = [&](const char* name, const json& value, const char* why) {
        if (!found->contains(name) && lora.rank > 0)
            assumptions.push_back({std::string("/training/lora/") + name, value, why});
    };
    lora.rank = found->value("rank", 8);
    lora.dropout = found->value("dropout", lora.dropout);
    assumed("rank", lora.rank, "PEFT's default");
    assumed("dropout", lora.dropout, kUsualDropout);
    if (!found->contains("modules"))
        assumed("targets", text_of(kLoraTargets, lora.targets),
                "queries and values, as in LoRA (Hu et al. 2021)");
    take_word(*found, "targets", kLoraTargets, lora.targets);
    lora.wide = found->value("dtype", "fp32") == "fp32";
    lora.dora = found->value("dora", false);
    if (const auto modules = found->find("modules"); modules != found->end()) {
        lora.targets = tr::Lora::Targets::modules;
        modules->get_to(lora.modules);
    }
    return lora;
}

// The guides' models are trained as their guides say, unless the arguments say otherwise.
void parse_training(const json& from, Request& request) {
    auto& r = request.report;
    auto& t = r.settings;
    const bool naics = r.shape.family == tr::Family::naics;
    Assumer assume(request, from, "/training/");
    if (!from.contains("length_histogram")) {
        t.sequence = assume("sequence_length", usual_length(r.shape), reason_of_length(r.shape));
    }
    t.kernel = tr::OptimizerKernel::fused;
    const auto precision = from.value("precision", naics ? "fp16_autocast" : "auto");
    r.adapts_precision = precision == "auto";
    t.precision = value_of(kPrecisions, precision).value_or(tr::Precision::bf16_autocast);
    if (naics && !from.contains("precision"))
        request.assumptions.push_back(
            {"/training/precision", precision, "as in the NAICS memory guide"});
    take_word(from, "optimizer", kOptimizers, t.optimizer);
    take_word(from, "optimizer_kernel", kOptimizerKernels, t.kernel);
    take_word(from, "attention", kAttentions, t.attention);
    t.checkpointing = naics ? assume("checkpointing", true, "as in the NAICS memory guide")
                            : from.value("checkpointing", false);
    t.frozen_embeddings = from.value("frozen_embeddings", false);
    t.frozen_layers = from.value("frozen_layers", 0);
    t.padded = from.value("padded", false);
    t.packed = from.value("packed", false);
    t.fused_loss = from.value("fused_loss", false);
    if (r.shape.has_decoder())
        t.target = assume("target_length", t.sequence, "as many as in the input");
    else
        t.target = from.value("target_length", 0);
    t.clip = from.value("clip", true);
    t.negatives = naics ? assume("negatives", 24, "as in the NAICS memory guide")
                        : from.value("negatives", 0);
    t.lora = parse_lora(from, naics, request.assumptions);
    take_word(from, "quantization", kQuantizations, t.quantization);
}

// What "auto" stands for, and what the other usual type of weights would take.
std::string reason_of_precision(const tr::ReportRequest& r) {
    if (!r.settings.half_weights())
        return r.shape.stored_half
                   ? "bf16 autocast on fp32 weights, which quantized and sharded "
                     "runs keep; fp16 autocast or fp32 on GPUs without bf16"
                   : "bf16 autocast on weights in fp32, as the checkpoint has them; "
                     "fp16 autocast or fp32 on GPUs without bf16";
    const auto all = tr::list_parameters(r.shape, r.settings);
    const bool adapters = r.settings.lora.rank > 0;
    const double wide = 2.0 * static_cast<double>(tr::count(all, false));
    char more[32];
    std::snprintf(more, sizeof more, "%.1f GiB", (adapters ? 1 : 4) * wide / kGiB);
    return std::string(adapters
                           ? "frozen weights in bf16, the type of the checkpoint, which "
                             "transformers 5 loads, and adapters in fp32; fp16 on GPUs without "
                             "bf16. Weights in fp32 would take "
                           : "weights, gradients and optimizer state in bf16, the type of the "
                             "checkpoint, which transformers 5 loads; fp16 autocast on GPUs "
                             "without bf16. In fp32 (dtype=torch.float32) they would take ") +
           more + " more";
}

// flash-attn has no kernels for cards before Ampere.
void check_flash(const tr::ReportRequest& r, FieldErrors& errors) {
    if (r.settings.attention != tr::Attention::flash) return;
    for (const auto& gpu : r.gpus) {
        if (gpu.compute_capability >= 80) continue;
        errors.push_back(
            {"/training/attention", "invalid",
             "FlashAttention-2 needs Ampere or newer, which " + gpu.name + " is not."});
    }
}

// A histogram of lengths in place of one length: batches are padded to their longest text.
void parse_lengths(const json& training, tr::ReportRequest& r, FieldErrors& errors) {
    const auto given = training.find("length_histogram");
    if (given == training.end()) return;
    std::vector<tr::LengthBin> bins;
    for (const json& bin : *given) bins.push_back({bin.at("tokens"), bin.at("samples")});
    const auto lengths = tr::summarise(std::move(bins), training.value("sequence_length", 0));
    if (!lengths) {
        errors.push_back({"/training/length_histogram", "invalid", lengths.error().message});
        return;
    }
    r.lengths = *lengths;
    r.settings.sequence = lengths->longest;
    r.settings.padded =
        r.settings.padded || (!r.settings.packed && lengths->mean < lengths->longest);
}

tr::AllocatorSettings parse_allocator(const json& from) {
    tr::AllocatorSettings a;
    a.expandable_segments = from.value("expandable_segments", false);
    a.max_split = from.value("max_split_size_mb", std::int64_t{0}) << 20;
    return a;
}

tr::Workload parse_workload(const json& from) {
    tr::Workload w;
    w.dataset_size = from.value("dataset_size", w.dataset_size);
    w.epochs = from.value("epochs", 3);
    w.models = from.value("models", w.models);
    w.parallel_workers = from.value("parallel_workers", w.parallel_workers);
    return w;
}

std::vector<Stage> parse_stages(const json& args, Request& request) {
    const auto& t = request.report.settings;
    std::vector<Stage> stages;
    if (!args.contains("stages") && request.report.shape.family == tr::Family::naics) {
        request.assumptions.push_back({"/stages", "positives/negatives 32/24, then 16/8",
                                       "the curriculum of the NAICS memory guide"});
        for (const auto& s : tr::naics::kCurriculum)
            stages.push_back({std::string(s.name), s.positives, s.negatives, t.sequence});
        return stages;
    }
    for (const json& s : args.value("stages", json::array())) {
        stages.push_back({s.at("name").get<std::string>(), s.value("positives", 0),
                          s.value("negatives", t.negatives),
                          s.value("sequence_length", t.sequence)});
    }
    return stages;
}

std::optional<double> number(const json& from, const char* key) {
    const auto found = from.find(key);
    return found == from.end() ? std::nullopt : std::optional(found->get<double>());
}

tr::Observation parse_observed(const json& from, const tr::ReportRequest& report) {
    tr::Observation seen;
    seen.gpu_percent = number(from, "gpu_percent");
    seen.cpu_percent = number(from, "cpu_percent");
    seen.memory_percent = number(from, "memory_percent");
    seen.out_of_memory = from.value("out_of_memory", false);
    seen.batch = from.value("batch", 0);
    seen.accumulation = from.value("accumulation", 1);
    seen.loader_workers = from.value("loader_workers", -1);
    seen.checkpointing = report.settings.checkpointing;
    seen.cpu_cores = report.cpu_cores;
    seen.step_seconds = number(from, "step_seconds");
    return seen;
}

void check_tokens(const Request& request, FieldErrors& errors) {
    const auto& t = request.report.settings;
    const bool naics = request.report.shape.family == tr::Family::naics;
    const std::int64_t sample = std::int64_t{t.sequence} * (naics ? 2 + t.negatives : 1) + t.target;
    if (sample > kMostTokensPerSample) {
        errors.push_back({"/training/sequence_length", "max_tokens",
                          "One sample would have " + std::to_string(sample) + " tokens; at most " +
                              std::to_string(kMostTokensPerSample) + " can be estimated."});
    } else if (request.report.batch > kMostTokens / sample) {
        errors.push_back({"/training/batch", "max_tokens",
                          "A batch may have at most " + std::to_string(kMostTokens) + " tokens."});
    }
}

const json& member(const json& args, const char* key) {
    static const json none = json::object();
    const auto found = args.find(key);
    return found == args.end() ? none : *found;
}

}  // namespace

tl::expected<Request, FieldErrors> parse_request(const json& args) {
    FieldErrors errors;
    Request request;
    auto& r = request.report;
    r.shape = parse_model(args.at("model"), errors);
    r.gpus = parse_gpus(args, errors);
    if (!errors.empty()) return tl::unexpected(std::move(errors));

    const json& training = member(args, "training");
    if (!r.shape.completed.empty())
        request.assumptions.push_back({"/model/config", r.shape.completed,
                                       "the defaults of transformers' class, which the file "
                                       "leaves out"});
    parse_training(training, request);
    parse_lengths(training, r, errors);
    r.batch = training.value("batch", std::int64_t{0});
    r.search.estimate.allocator = parse_allocator(member(args, "allocator"));
    if (const json correction = args.value("correction", json()); !correction.is_null()) {
        r.search.correction = correction.at("factor");
        if (r.search.correction != 1) request.correction = correction;
    }
    r.search.safety = args.value("safety_margin", r.search.safety);
    r.search.reserved_elsewhere =
        static_cast<std::int64_t>(args.value("reserved_elsewhere_gib", 0.0) * kGiB);
    r.workload = parse_workload(member(args, "workload"));
    const json& host = member(args, "host");
    r.cpu_cores = host.value("cpu_cores", r.cpu_cores);
    r.host_ram_bytes = static_cast<std::int64_t>(host.value("ram_gib", 0.0) * kGiB);
    r.heavy_preprocessing = host.value("heavy_preprocessing", false);
    r.what_ifs = args.value("what_ifs", true);
    request.probe = args.value("probe", false);
    request.stages = parse_stages(args, request);
    if (args.contains("observed")) request.observed = parse_observed(args["observed"], r);
    if (const auto cluster = args.find("cluster"); cluster != args.end()) {
        r.settings.cards = cluster->at("cards");
        r.settings.sharding = tr::Sharding::ddp;
        take_word(*cluster, "sharding", kShardings, r.settings.sharding);
        take_word(*cluster, "offload", kOffloads, r.settings.offload);
    }
    if (r.adapts_precision) {
        r.settings.precision = tr::automatic_precision(r.shape, r.settings, true, true);
        if (!training.contains("precision"))
            request.assumptions.push_back({"/training/precision", "auto", reason_of_precision(r)});
    }
    parse_goal(args, request, errors);

    if (const auto ok = tr::check_settings(r.shape, r.settings); !ok) note(errors, ok.error());
    if (const auto ok = tr::advise_rate(r.rate); !ok) note(errors, ok.error());
    check_flash(r, errors);
    check_tokens(request, errors);
    for (std::size_t i = 0; i < request.stages.size(); ++i) {
        auto settings = r.settings;
        settings.negatives = request.stages[i].negatives;
        settings.sequence = request.stages[i].sequence;
        if (const auto ok = tr::check_settings(r.shape, settings); !ok) {
            errors.push_back({"/stages/" + std::to_string(i) + "/sequence_length", "invalid",
                              ok.error().message});
        }
    }
    if (!errors.empty()) return tl::unexpected(std::move(errors));
    return request;
}

tl::expected<Request, FieldErrors> accept_request(const json& args) {
    auto request = parse_request(args);
    if (!request) return request;
    if (auto idle = idle_options(args, *request); !idle.empty())
        return tl::unexpected(std::move(idle));
    return request;
}

}  // namespace plimsoll::jobs::training_config
