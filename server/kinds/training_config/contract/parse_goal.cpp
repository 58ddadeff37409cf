#include "engine/base/json.hpp"
#include "engine/training/advice/conventions.hpp"
#include "engine/training/advice/guide_batch.hpp"
#include "server/kinds/training_config/contract/assumption_recorder.hpp"
#include "server/kinds/training_config/contract/words.hpp"

#include <algorithm>

// The goal of the training: the effective batch, its rate, and how the batch is chosen. Defaults
// depend on the kind of training.
namespace plimsoll::jobs::training_config {
namespace {

// The utilisation guide scales its rate from this; the other guides' are conventions already.
constexpr double kGuideRate = 2e-5, kGuideRateBatch = 8;

tr::Convention convention_of(const Request& request) {
    const auto& r = request.report;
    auto convention = tr::convention_for(r.shape, r.settings, request.pretraining);
    if (r.goal == tr::Goal::guide && r.shape.reads_text() && r.shape.family != tr::Family::naics &&
        r.settings.lora.rank == 0) {
        convention.rate = kGuideRate;
        convention.rate_batch = kGuideRateBatch;
        convention.source = "the training utilization guide";
    }
    return convention;
}

bool adapts(tr::Optimizer optimizer) {
    return optimizer != tr::Optimizer::sgd && optimizer != tr::Optimizer::sgd_momentum;
}

void check_goal(const json& args, const Request& request, FieldErrors& errors) {
    const auto& r = request.report;
    if (r.goal == tr::Goal::guide && !tr::has_guide(r.shape)) {
        errors.push_back({"/goal", "no_guide",
                          "No guide covers models of the family " +
                              std::string(family_name(r.shape)) + ": use batch, fill or knee."});
    }
    if (r.goal == tr::Goal::guide && r.settings.cards > 1) {
        errors.push_back(
            {"/goal", "no_guide",
             "The guides cover a single GPU: omit cluster, or use batch, fill or knee."});
    }
    if (find(args, "/training/interval") != nullptr && r.shape.family != tr::Family::temporal) {
        errors.push_back({"/training/interval", "invalid",
                          "Batches for daily and hourly bars exist for the family temporal only."});
    }
    if (!request.pretraining) return;
    if (r.shape.head != tr::Head::language_model || !r.shape.reads_text()) {
        errors.push_back(
            {"/training/pretraining", "invalid",
             "Pre-training is modelled for language models: set model.head to language_model."});
    } else if (r.settings.lora.rank > 0) {
        errors.push_back(
            {"/training/pretraining", "invalid", "Adapters require a pre-trained model."});
    }
}

}  // namespace

namespace {

// The samples of an optimizer step: one batch on every GPU is the minimum.
void parse_target(const json& args, const tr::Convention& convention, Request& request,
                  FieldErrors& errors) {
    const auto& r = request.report;
    const auto min = r.batch * r.settings.batches();
    const bool more = min > convention.effective_batch;
    AssumptionRecorder(args, request)(
        "/target_effective_batch", more ? min : std::int64_t{convention.effective_batch},
        more ? "the requested batch on every GPU, more than the usual " +
                   std::to_string(convention.effective_batch)
             : "as in " + convention.source +
                   "; set yours, since accumulation and learning rate depend on it");
    if (r.target_effective_batch < r.batch) {
        errors.push_back(
            {"/target_effective_batch", "minimum",
             "It must be at least the batch of one GPU, " + std::to_string(r.batch) + "."});
    }
}

// Once the team has measured the speed of such runs on every requested card, the knee is based on
// more than the vendors' rates.
bool speed_was_measured(const json& args, const tr::ReportRequest& r) {
    const json correction = args.value("correction", json());
    if (correction.is_null()) return false;
    const json& runs = correction.at("measurements");
    return std::ranges::all_of(r.gpus, [&](const auto& gpu) {
        return std::ranges::any_of(runs, [&](const json& run) {
            return run.at("gpu_id") == gpu.id && !run.at("step_seconds").is_null();
        });
    });
}

}  // namespace

void parse_goal(const json& args, Request& request, FieldErrors& errors) {
    const auto& r = request.report;
    AssumptionRecorder assume(args, request);
    if (speed_was_measured(args, r))
        assume("/goal", "knee", "your team measured the speed of such runs on this GPU");
    check_goal(args, request, errors);

    const auto convention = convention_of(request);
    parse_target(args, convention, request, errors);
    if (find(args, "/learning_rate/base") != nullptr) {
        assume.record("/learning_rate/base_batch", "the run's effective batch",
                      "so that your rate is kept as it is; set its batch to have it scaled");
    } else if (adapts(r.settings.optimizer)) {
        // The conventions are Adam's.
        assume("/learning_rate/base", convention.rate, "as in " + convention.source);
        assume("/learning_rate/base_batch", convention.rate_batch,
               "the effective batch for this rate in the same source");
    }
}

}  // namespace plimsoll::jobs::training_config
