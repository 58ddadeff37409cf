#include "server/kinds/training_config/contract/idle_options.hpp"

#include "engine/training/advice/guide_batch.hpp"
#include "engine/training/advice/unused_observations.hpp"
#include "engine/training/tape/layout.hpp"
#include "server/kinds/training_config/contract/words.hpp"

#include <algorithm>
#include <string>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;

struct Asked {
    const json& args;
    const tr::ReportRequest& report;

    const tr::ModelShape& shape() const { return report.shape; }
    const tr::TrainingSettings& training() const { return report.settings; }
    bool is(tr::Family family) const { return shape().family == family; }
    bool has(const char* pointer) const { return args.contains(json::json_pointer(pointer)); }
};

bool has_batch(const Asked& a) {
    return a.report.batch > 0;
}
bool has_no_adapters(const Asked& a) {
    return a.training().lora.rank == 0;
}
bool is_not_naics(const Asked& a) {
    return !a.is(tr::Family::naics);
}
bool is_lstm(const Asked& a) {
    return a.is(tr::Family::lstm);
}
bool is_sgd(const Asked& a) {
    return a.training().optimizer == tr::Optimizer::sgd ||
           a.training().optimizer == tr::Optimizer::sgd_momentum;
}
bool shards(const Asked& a) {
    const auto sharding = tr::layout_of(a.training()).sharding;
    return sharding != tr::Sharding::none && sharding != tr::Sharding::ddp;
}
// The NAICS guide divides a target by its batch; the others name the accumulation, too.
bool follows_guide(const Asked& a) {
    return a.report.goal == tr::Goal::guide && !a.is(tr::Family::naics) &&
           std::ranges::all_of(a.report.gpus, [&](const auto& gpu) {
               return tr::guide_batch(a.report, gpu).has_value();
           });
}
bool has_padding_anyway(const Asked& a) {
    return a.report.lengths && !a.training().packed &&
           a.report.lengths->mean < a.report.lengths->longest;
}

// Why an option would change nothing, in words for REST, form and command line alike.
struct Rule {
    const char* pointer;
    bool (*is_idle)(const Asked&);
    const char* why;
};

constexpr const char* kNoAdapters = "Without adapters (rank 0) there is nothing to set.";
constexpr const char* kLstmDropout = "An LSTM is estimated without dropout.";
constexpr const char* kNegatives = "Only the NAICS encoder trains with positives and negatives.";

constexpr Rule kRules[] = {
    {"/goal", has_batch, "A requested batch leaves nothing to recommend: omit batch or goal."},
    {"/target_effective_batch", follows_guide,
     "The guide sets the batch and the accumulation on these GPUs."},
    {"/model/labels",
     [](const Asked& a) {
         return a.shape().is_series() || a.is(tr::Family::naics) ||
                a.shape().head == tr::Head::language_model;
     },
     "Only a classifier has labels."},
    {"/model/dimensions/tied_head",
     [](const Asked& a) {
         return a.shape().head != tr::Head::language_model || a.is(tr::Family::t5);
     },
     "Only a language model's head can be tied, and t5's always is."},
    {"/model/hidden_dropout", is_lstm, kLstmDropout},
    {"/model/attention_dropout", is_lstm, kLstmDropout},
    {"/learning_rate/base_batch", [](const Asked& a) { return !a.has("/learning_rate/base"); },
     "Also give the learning rate for this batch."},
    {"/learning_rate/noise_scale", is_sgd, "The rule for SGD does not depend on it."},
    {"/learning_rate/noise_scale",
     [](const Asked& a) {
         return a.has("/learning_rate/base") && !a.has("/learning_rate/base_batch");
     },
     "A rate without its batch is kept as it is: also give the batch."},
    {"/training/pretraining",
     [](const Asked& a) {
         return follows_guide(a) ||
                (a.has("/target_effective_batch") && (a.has("/learning_rate/base") || is_sgd(a)));
     },
     "It sets the default effective batch and learning rate, but both are given or set by the "
     "guide."},
    {"/training/interval", [](const Asked& a) { return a.report.goal != tr::Goal::guide; },
     "It chooses the guide's batch: set the goal to guide."},
    {"/training/optimizer_kernel",
     [](const Asked& a) { return a.training().optimizer != tr::Optimizer::adamw; },
     "Only adamw has several kernels."},
    {"/training/optimizer_kernel",
     [](const Asked& a) { return tr::layout_of(a.training()).offloads_optimizer; },
     "An offloaded optimizer runs on the host's CPU."},
    {"/training/attention", [](const Asked& a) { return a.shape().is_series(); },
     "The model has only one implementation of attention."},
    {"/training/negatives", is_not_naics, kNegatives},
    {"/training/lora/targets", has_no_adapters, kNoAdapters},
    {"/training/lora/modules", has_no_adapters, kNoAdapters},
    {"/training/lora/dropout", has_no_adapters, kNoAdapters},
    {"/training/lora/dtype", has_no_adapters, kNoAdapters},
    {"/training/lora/dora", has_no_adapters, kNoAdapters},
    {"/training/lora/targets", [](const Asked& a) { return a.has("/training/lora/modules"); },
     "The modules name the layers: omit targets or modules."},
    {"/training/lora/dtype",
     [](const Asked& a) { return !a.training().half_weights() || shards(a); },
     "Adapters have a data type of their own only with 16-bit weights (precision bf16 or fp16) "
     "that "
     "are not sharded."},
    {"/workload/models", [](const Asked& a) { return a.report.workload.dataset_size == 0; },
     "Only the training hours depend on it: also give the dataset's size."},
    {"/workload/parallel_workers",
     [](const Asked& a) { return a.report.workload.dataset_size == 0; },
     "Only the training hours depend on it: also give the dataset's size."},
    {"/workload/parallel_workers",
     [](const Asked& a) { return a.report.workload.parallel_workers > a.report.workload.models; },
     "It exceeds the number of models to train."},
    {"/allocator/max_split_size_mb",
     [](const Asked& a) { return a.report.search.estimate.allocator.expandable_segments; },
     "Expandable segments are always split: omit max_split_size_mb or expandable_segments."},
    {"/cluster/sharding",
     [](const Asked& a) { return tr::layout_of(a.training()).sharding == tr::Sharding::none; },
     "One GPU has nothing to shard: give the number of GPUs, or offload."},
};

// Nothing is requested: the answer is the same, and true.
bool says_off(const json& value) {
    return value == false || value == 0 || value == "none" || value == "ddp" ||
           (value.is_array() && value.empty());
}
bool says_one(const char* pointer, const json& value) {
    return std::string_view(pointer).starts_with("/workload/") && value == 1;
}

void check_stages(const Asked& asked, FieldErrors& errors) {
    if (!is_not_naics(asked)) return;
    const json stages = asked.args.value("stages", json::array());
    for (std::size_t i = 0; i < stages.size(); ++i) {
        for (const char* name : {"positives", "negatives"}) {
            if (stages[i].value(name, 0) == 0) continue;
            errors.push_back(
                {"/stages/" + std::to_string(i) + "/" + name, "no_effect", kNegatives});
        }
    }
}

void check_custom_gpus(const json& args, FieldErrors& errors) {
    const auto named = args.find("gpus");
    const auto described = args.find("custom_gpus");
    if (named == args.end() || described == args.end()) return;
    for (std::size_t i = 0; i < described->size(); ++i) {
        const json& id = (*described)[i].at("id");
        const bool used = std::ranges::any_of(
            *named, [&](const json& name) { return name == id || name == "all"; });
        if (used) continue;
        errors.push_back({"/custom_gpus/" + std::to_string(i), "no_effect",
                          "The list of GPUs to estimate lacks \"" + id.get<std::string>() + "\"."});
    }
}

}  // namespace

FieldErrors idle_options(const json& args, const Request& request) {
    FieldErrors errors;
    const Asked asked{args, request.report};
    for (const auto& rule : kRules) {
        const json::json_pointer place(rule.pointer);
        if (!args.contains(place) || says_off(args[place]) || says_one(rule.pointer, args[place]))
            continue;
        const bool told = std::ranges::any_of(
            errors, [&](const auto& error) { return error.pointer == rule.pointer; });
        if (!told && rule.is_idle(asked)) errors.push_back({rule.pointer, "no_effect", rule.why});
    }
    // Here false would be wrong, too.
    if (asked.has("/training/padded") && has_padding_anyway(asked)) {
        errors.push_back({"/training/padded", "no_effect",
                          "The histogram of lengths implies padding in the batches."});
    }
    if (request.observed) {
        for (const auto& unused : tr::unused_observations(*request.observed, true)) {
            errors.push_back(
                {"/observed/" + std::string(unused.member), "no_effect", std::string(unused.why)});
        }
    }
    check_stages(asked, errors);
    check_custom_gpus(args, errors);
    return errors;
}

}  // namespace plimsoll::jobs::training_config
