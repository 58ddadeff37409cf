#include "engine/base/json.hpp"
#include "engine/training/advice/precision.hpp"
#include "engine/training/guides/naics_memory.hpp"
#include "engine/training/tape/layout.hpp"
#include "server/kinds/training_config/contract/assumption_recorder.hpp"
#include "server/kinds/training_config/contract/bytes.hpp"
#include "server/kinds/training_config/contract/limits.hpp"
#include "server/kinds/training_config/contract/options_without_effect.hpp"
#include "server/kinds/training_config/contract/words.hpp"

#include <algorithm>
#include <cstdio>

namespace plimsoll::jobs::training_config {
namespace {

void note(FieldErrors& errors, const Error& error) {
    errors.push_back({pointer_of(error.where), "invalid", error.message});
}

int default_length(const tr::ModelShape& shape) {
    if (shape.sample_length() > 0) return shape.sample_length();
    if (shape.is_series()) return 60;
    if (shape.family == tr::Family::naics) return 512;
    if (shape.has_decoder()) return 512;
    const int length = shape.is_decoder() ? 1024 : 128;
    return shape.positions > 0 ? std::min(shape.positions, length) : length;
}

std::string reason_of_length(const tr::ModelShape& shape) {
    if (shape.sample_length() > 0) return "fixed by the model";
    if (shape.is_series()) return "windows of 60 steps, as in the GPU profile guide";
    if (shape.family == tr::Family::naics) return "whole texts, as in the NAICS memory guide";
    return "a typical length for this family; memory grows with it";
}

constexpr const char* kDefaultDropout =
    "as in QLoRA for models of up to 13 billion parameters (Dettmers et al. 2023); PEFT's own "
    "default is 0";

void assume_adapters(const json& args, Request& request, AssumptionRecorder& assume) {
    auto& lora = request.report.settings.lora;
    const bool by_guide = find(args, "/training/lora") == nullptr;
    if (by_guide && request.report.shape.family != tr::Family::naics) return;
    assume("/training/lora/rank", 8, by_guide ? "as in the NAICS memory guide" : "PEFT's default");
    if (lora.rank == 0) return;
    const bool fused = request.report.settings.fused_adapters;
    if (fused && find(args, "/training/lora/dropout") == nullptr) lora.dropout = 0;
    if (request.report.settings.method == tr::Method::supervised)
        assume("/training/lora/dropout", lora.dropout,
               fused ? "which fused kernels need" : kDefaultDropout);
    if (find(args, "/training/lora/modules") != nullptr) return;
    if (by_guide) {
        assume("/training/lora/targets", "all_linear", "as in the NAICS memory guide's project");
    } else {
        assume("/training/lora/targets", "query_value",
               "queries and values, as in LoRA (Hu et al. 2021)");
    }
}

// What "auto" stands for, and what the other usual type of weights would take.
std::string reason_of_precision(const tr::ReportRequest& r) {
    if (!r.settings.half_weights())
        return r.shape.stored_half
                   ? "bf16 autocast on fp32 weights, which quantized and sharded "
                     "runs keep; fp16 autocast or fp32 on GPUs without bf16"
                   : "bf16 autocast on weights in fp32, as the checkpoint has them; "
                     "fp16 autocast or fp32 on GPUs without bf16";
    auto all = tr::list_parameters(r.shape, r.settings);
    if (r.settings.quantization != tr::Quantization::none)
        std::erase_if(all, [](const auto& p) { return p.linear; });
    const bool adapters = r.settings.lora.rank > 0;
    const auto layout = tr::layout_of(r.settings);
    const double wide = 2.0 * static_cast<double>(tr::count(all, false)) /
                        (layout.shards_weights ? layout.cards : 1);
    char more[32];
    std::snprintf(more, sizeof more, "%.1f GiB", (adapters ? 1 : 4) * wide / kGiB);
    return std::string(adapters
                           ? layout.shards_weights
                                 ? "frozen weights in bf16, the type of the checkpoint, and "
                                   "adapters likewise; autocast on GPUs without bf16. Weights in "
                                   "fp32 would take "
                                 : "frozen weights in bf16, the type of the checkpoint, which "
                                   "transformers 5 loads, and adapters in fp32; fp16 on GPUs "
                                   "without bf16. Weights in fp32 would take "
                           : "weights, gradients and optimizer state in bf16, the type of the "
                             "checkpoint, which transformers 5 loads; fp16 autocast on GPUs "
                             "without bf16. In fp32 (dtype=torch.float32) they would take ") +
           more + " more";
}

// Of kernels that cards before Ampere lack.
void check_kernels(const tr::ReportRequest& r, FieldErrors& errors) {
    const bool flash = r.settings.attention == tr::Attention::flash;
    if (!flash && r.settings.parallel.context == 1) return;
    for (const auto& gpu : r.gpus) {
        if (gpu.compute_capability >= 80) continue;
        errors.push_back({flash ? "/training/attention" : "/cluster/context_parallel", "invalid",
                          std::string(flash ? "FlashAttention-2" : "Ring attention in bf16") +
                              " needs Ampere or newer, which " + gpu.name + " is not."});
    }
}

// A histogram of lengths in place of one length: batches are padded to their longest text.
void parse_lengths(const json& args, tr::ReportRequest& r, FieldErrors& errors) {
    const auto* given = find(args, "/training/length_histogram");
    if (given == nullptr) return;
    std::vector<tr::LengthBin> bins;
    for (const json& bin : *given) bins.push_back({bin.at("tokens"), bin.at("samples")});
    const auto* longest = find(args, "/training/sequence_length");
    const auto lengths =
        tr::summarise(std::move(bins), longest == nullptr ? 0 : longest->get<int>());
    if (!lengths) {
        errors.push_back({"/training/length_histogram", "invalid", lengths.error().message});
        return;
    }
    r.lengths = *lengths;
    r.settings.sequence = lengths->longest;
    r.settings.padded =
        r.settings.padded || (!r.settings.packed && lengths->mean < lengths->longest);
}

// The guides' models are trained as their guides say, unless the arguments say otherwise.
void assume_training(const json& args, Request& request, FieldErrors& errors) {
    const auto& shape = request.report.shape;
    const bool naics = shape.family == tr::Family::naics;
    constexpr const char* kGuide = "as in the NAICS memory guide";
    AssumptionRecorder assume(args, request);
    if (find(args, "/training/length_histogram") == nullptr)
        assume("/training/sequence_length", default_length(shape), reason_of_length(shape));
    parse_lengths(args, request.report, errors);
    if (naics) {
        assume("/training/precision", "fp16_autocast", kGuide);
        assume("/training/checkpointing", true, kGuide);
        assume("/training/negatives", 24, kGuide);
    }
    if (shape.has_decoder()) {
        assume("/training/target_length", request.report.settings.sequence,
               "as many as in the input");
    }
    if (request.report.settings.answers())
        assume("/training/target_length", request.report.settings.sequence / 2,
               "half of the sequence for the answer, the rest for its prompt");
    if (request.report.settings.method == tr::Method::grpo)
        assume("/training/reference", "none", "TRL's default: beta is 0, and nothing is compared");
    assume_adapters(args, request, assume);
}

// Of a config.json's quantization_config: as the contract names it, or the method's own name.
std::string packed_by(const json& packed) {
    const auto is_true = [&](const char* key) { return packed.value(key, json()) == true; };
    if (is_true("load_in_8bit")) return "int8";
    if (is_true("load_in_4bit")) return is_true("bnb_4bit_use_double_quant") ? "nf4_double" : "nf4";
    const auto method = packed.value("quant_method", json());
    return method.is_string() ? method.get<std::string>() : "an unknown method";
}

// A checkpoint that is stored quantized stays so.
void assume_packed_weights(const json& args, Request& request, FieldErrors& errors) {
    const auto* config = find(args, "/model/config/quantization_config");
    if (config == nullptr || !config->is_object() || config->empty()) return;
    const auto packed = packed_by(*config);
    if (packed == "mxfp4" || packed == "fp8") return;  // trained in 16 bits
    const auto known = value_of(kQuantizations, packed);
    if (find(args, "/training/quantization") != nullptr) {
        if (!known)
            request.assumptions.push_back({"/model/config", "weights of " + packed,
                                           "estimated as those of bitsandbytes, as asked"});
    } else if (known) {
        request.report.settings.quantization = *known;
        request.assumptions.push_back(
            {"/training/quantization", packed, "as the checkpoint is stored"});
    } else {
        errors.push_back({"/model/config/quantization_config", "invalid",
                          "Weights packed by " + packed +
                              " are not modelled; the nearest that is: --quantization nf4 with "
                              "--lora, for those of 4 bits."});
    }
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

void check_tokens(const Request& request, FieldErrors& errors) {
    const auto& t = request.report.settings;
    const bool naics = request.report.shape.family == tr::Family::naics;
    const std::int64_t sample = std::int64_t{t.sequence} * (naics ? 2 + t.negatives : 1) + t.target;
    if (sample > kMaxTokensPerSample) {
        errors.push_back({"/training/sequence_length", "max_tokens",
                          "One sample would have " + std::to_string(sample) + " tokens; at most " +
                              std::to_string(kMaxTokensPerSample) + " can be estimated."});
    } else if (request.report.batch > kMaxTokens / sample) {
        errors.push_back({"/training/batch", "max_tokens",
                          "A batch may have at most " + std::to_string(kMaxTokens) + " tokens."});
    }
}

}  // namespace

Request::Request() {
    report.settings.kernel = tr::OptimizerKernel::fused;
    report.settings.clip = true;
    report.adapts_precision = true;
    report.workload.epochs = 3;
    report.rate.base_rate.reset();
    report.rate.base_batch.reset();
}

tl::expected<Request, FieldErrors> parse_request(const json& args) {
    FieldErrors errors;
    Request request;
    auto& r = request.report;
    r.shape = parse_model(args.at("model"), errors);
    r.gpus = parse_gpus(args, errors);
    if (!errors.empty()) return tl::unexpected(std::move(errors));

    if (args.contains("cluster")) r.settings.sharding = tr::Sharding::ddp;
    if (args.contains("observed")) request.observed.emplace();
    for (const auto& option : options()) {
        const auto* value = find(args, option.pointer);
        if (value != nullptr && option.field.set != nullptr) option.field.set(request, *value);
    }
    assume_packed_weights(args, request, errors);
    if (const int divided = std::max(r.settings.parallel.cards(), r.settings.parallel.expert);
        divided > 1) {
        if (find(args, "/cluster/cards") == nullptr) r.settings.cards = divided;
        auto& parallel = r.settings.parallel;
        const bool pipeline = parallel.pipeline > 1;
        if (find(args, "/cluster/sharding") == nullptr && r.settings.sharers() > 1) {
            r.settings.sharding = pipeline ? tr::Sharding::fsdp_grad_op : tr::Sharding::fsdp;
            request.assumptions.push_back({"/cluster/sharding", pipeline ? "fsdp_grad_op" : "fsdp",
                                           "which is how torchtitan shards divided models"});
        }
        if (pipeline && find(args, "/cluster/microbatches") == nullptr) {
            parallel.microbatches = parallel.pipeline;
            request.assumptions.push_back(
                {"/cluster/microbatches", parallel.microbatches, "the fewest that 1F1B takes"});
        }
    }
    if (r.settings.method == tr::Method::reward && !args.at("model").contains("head")) {
        r.shape.head = tr::Head::classifier;
        r.shape.labels = 1;
    }
    if (!r.shape.completed.empty())
        request.assumptions.push_back({"/model/config", r.shape.completed,
                                       "the defaults of transformers' class, which the file "
                                       "leaves out"});
    if (!r.shape.noted.empty())
        request.assumptions.push_back(
            {"/model/config", r.shape.noted, "which is how transformers trains such a file"});
    assume_training(args, request, errors);
    if (r.adapts_precision) {
        r.settings.precision = tr::automatic_precision(r.shape, r.settings, true, true);
        if (find(args, "/training/precision") == nullptr)
            request.assumptions.push_back({"/training/precision", "auto", reason_of_precision(r)});
    }
    if (const json correction = args.value("correction", json()); !correction.is_null()) {
        r.search.correction = correction.at("factor");
        if (r.search.correction != 1) request.correction = correction;
    }
    request.stages = parse_stages(args, request);
    if (request.observed) {
        request.observed->checkpointing = r.settings.checkpointing;
        request.observed->cpu_cores = r.cpu_cores;
    }
    parse_goal(args, request, errors);

    if (const auto ok = tr::check_settings(r.shape, r.settings); !ok) note(errors, ok.error());
    if (const auto ok = tr::advise_rate(r.rate); !ok) note(errors, ok.error());
    check_kernels(r, errors);
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
    if (auto idle = options_without_effect(args, *request); !idle.empty())
        return tl::unexpected(std::move(idle));
    return request;
}

}  // namespace plimsoll::jobs::training_config
