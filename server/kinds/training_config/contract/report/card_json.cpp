#include "engine/base/json.hpp"
#include "engine/training/advice/snippets.hpp"
#include "server/kinds/training_config/contract/advice.hpp"
#include "server/kinds/training_config/contract/options.hpp"
#include "server/kinds/training_config/contract/words.hpp"

namespace plimsoll::jobs::training_config {
namespace {

json pair_json(const tr::Accumulation& a) {
    return {{"batch", a.batch}, {"steps", a.steps}, {"effective", a.effective()}};
}

std::string_view rule_name(tr::RateRule rule) {
    switch (rule) {
        case tr::RateRule::none: return "none";
        case tr::RateRule::base: return "unchanged";
        case tr::RateRule::sqrt: return "sqrt";
        case tr::RateRule::linear: return "linear";
        case tr::RateRule::surge: return "surge";
    }
    return "";
}

std::string_view reason_name(tr::BatchReason reason) {
    switch (reason) {
        case tr::BatchReason::knee: return "knee";
        case tr::BatchReason::fill: return "fill";
        case tr::BatchReason::memory: return "memory";
        case tr::BatchReason::target: return "target";
        case tr::BatchReason::guide: return "guide";
        case tr::BatchReason::asked: return "asked";
        case tr::BatchReason::nothing_fits: return "nothing_fits";
    }
    return "";
}

std::string_view bound_name(tr::Throughput::Bound bound) {
    switch (bound) {
        case tr::Throughput::Bound::compute: return "compute";
        case tr::Throughput::Bound::memory: return "memory";
        case tr::Throughput::Bound::launches: return "launches";
    }
    return "";
}

json speed_json(const tr::GpuReport& card) {
    const auto& t = card.throughput;
    const bool known = t.optimizer_steps_per_epoch > 0;
    return {
        {"seconds_per_batch", card.micro_step_seconds},
        {"samples_per_second", t.samples_per_second},
        {"tokens_per_second", t.tokens_per_second},
        {"bound", bound_name(t.bound)},
        {"optimizer_steps_per_epoch", known ? json(t.optimizer_steps_per_epoch) : json(nullptr)},
        {"hours", known ? json(t.hours) : json(nullptr)}};
}

json rate_json(const tr::GpuReport& card) {
    const auto& r = card.rate;
    const auto known = [](const std::optional<double>& rate) {
        return rate ? json(*rate) : json(nullptr);
    };
    return {{"base", known(r.base_rate)},
            {"base_batch", known(r.base_batch)},
            {"sqrt", known(r.sqrt_rate)},
            {"linear", known(r.linear_rate)},
            {"surge", known(r.surge_rate)},
            {"noise_scale", known(r.noise_scale)},
            {"noise_scale_assumed", r.noise_scale_assumed},
            {"rule", rule_name(r.recommended)},
            {"recommended", known(r.recommended_rate)},
            {"why", r.why},
            {"warmup_steps", r.warmup_steps}};
}

json loader_json(const tr::LoaderAdvice& l) {
    return {{"workers", l.workers},
            {"prefetch", l.prefetch},
            {"pin_memory", l.pin_memory},
            {"persistent_workers", l.persistent_workers},
            {"host_bytes", l.host_bytes},
            {"host_memory_tight", l.host_memory_tight},
            {"tokenizer_processes", l.tokenizer_processes}};
}

json layers_json(const tr::Estimate& e) {
    json layers = json::array();
    for (const auto& layer : e.layers) {
        layers.push_back({{"layer", layer.layer},
                          {"parameters", layer.parameters},
                          {"saved_bytes", layer.saved_bytes}});
        // cuDNN computes an LSTM's layers in one call.
        if (layer.flops_per_sample > 0) layers.back()["flops_per_sample"] = layer.flops_per_sample;
    }
    return layers;
}

json curve_json(const tr::GpuReport& card) {
    json curve = json::array();
    for (const auto& p : card.curve) {
        curve.push_back({{"batch", p.batch},
                         {"reserved_bytes", p.reserved_bytes},
                         {"samples_per_second", p.samples_per_second},
                         {"seconds_per_batch", p.step_seconds}});
    }
    return curve;
}

// What a change makes of the arguments.
json changed_arguments(const Request& request, const tr::GpuReport& card, const tr::WhatIf& what) {
    auto changed = request;
    changed.report.settings = what.settings;
    changed.report.search.safety = what.safety;
    changed.report.settings.accumulation = request.report.settings.accumulation;
    if (what.settings.precision != card.precision) changed.report.adapts_precision = false;
    json out = json::object();
    for (const auto& option : options()) {
        if (option.field.get == nullptr) continue;
        auto value = option.field.get(changed);
        if (value != option.field.get(request))
            out[json::json_pointer(std::string(option.pointer))] = std::move(value);
    }
    return out;
}

json what_ifs_json(const Request& request, const tr::GpuReport& card) {
    json list = json::array();
    for (const auto& w : card.what_ifs) {
        list.push_back({{"change", w.change},
                        {"arguments", changed_arguments(request, card, w)},
                        {"max_batch", w.max_batch},
                        {"batch_factor", w.batch_factor},
                        {"speed_factor", w.speed_factor}});
    }
    return list;
}

json snippets_json(const tr::GpuReport& card, const tr::ReportRequest& request) {
    const auto settings = tr::settings_for(card, request);
    return {{"transformers", tr::transformers_arguments(settings)},
            {"lightning", tr::lightning_yaml(settings)},
            {"deepspeed", tr::deepspeed_json(settings)},
            {"pytorch", tr::plain_pytorch(settings)}};
}

// The step that was seen, as modelled at its own batch.
Result<double> modelled_step(const Request& request, const tr::GpuReport& card) {
    const auto& seen = *request.observed;
    if (!seen.step_seconds || seen.batch == 0) return 0.0;
    auto same = request.report;
    same.gpus = {card.gpu};
    same.batch = seen.batch;
    same.what_ifs = same.curves = false;
    TRY(const auto report, tr::make_report(same));
    return report.gpus.front().micro_step_seconds * seen.accumulation;
}

Result<json> diagnosis_json(const Request& request, const tr::GpuReport& card) {
    json list = json::array();
    if (!request.observed) return list;
    auto seen = *request.observed;
    seen.max_batch = card.limits.max_batch;
    TRY(seen.modelled_step_seconds, modelled_step(request, card));
    TRY(const auto causes, tr::diagnose(seen));
    for (const auto& cause : causes) {
        list.push_back({{"cause", cause.cause},
                        {"change", cause.change},
                        {"gain", cause.gain},
                        {"from_guide", cause.from_guide}});
    }
    return list;
}

// Of what one card holds at the peak.
json shard_json(const Request& request, const tr::GpuReport& card) {
    const auto& settings = request.report.settings;
    if (settings.sharding == tr::Sharding::none) return nullptr;
    const auto& estimate = card.at_batch;
    const auto of = [&](tr::Group group) {
        return estimate.breakdown[static_cast<std::size_t>(group)];
    };
    const auto weights = of(tr::Group::weights), gradients = of(tr::Group::gradients),
               optimizer = of(tr::Group::optimizer), buffers = of(tr::Group::communication);
    return {{"cards", settings.cards},
            {"sharding", text_of(kShardings, settings.sharding)},
            {"tensor_parallel", settings.parallel.tensor},
            {"context_parallel", settings.parallel.context},
            {"expert_parallel", settings.parallel.expert},
            {"pipeline_parallel", settings.parallel.pipeline},
            {"pipeline_rank", estimate.rank < 0 ? json(nullptr) : json(estimate.rank)},
            {"offload", text_of(kOffloads, settings.offload)},
            {"weights_bytes", weights},
            {"gradients_bytes", gradients},
            {"optimizer_bytes", optimizer},
            {"buffers_bytes", buffers},
            {"other_bytes", estimate.peak_allocated - weights - gradients - optimizer - buffers},
            {"total_bytes", estimate.peak_allocated}};
}

Result<json> stage_json(const Request& request, const tr::GpuProfile& gpu, const Stage& stage) {
    auto changed = request.report;
    changed.gpus = {gpu};
    changed.what_ifs = false;
    changed.curves = false;
    changed.settings.negatives = stage.negatives;
    changed.settings.sequence = stage.sequence;
    TRY(const auto report, tr::make_report(changed));
    const auto& card = report.gpus.front();
    return json{{"name", stage.name},
                {"positives", stage.positives},
                {"negatives", stage.negatives},
                {"sequence_length", stage.sequence},
                {"fits", tr::to_string(card.fit)},
                {"max_batch", card.limits.max_batch},
                {"batch", card.batch},
                {"accumulation", accumulation_json(card.accumulation)},
                {"device_used_bytes", card.device_used}};
}

}  // namespace

json accumulation_json(const std::optional<tr::AccumulationAdvice>& a) {
    if (!a) return nullptr;
    return {{"at_most", pair_json(a->floor)},
            {"nearest", pair_json(a->nearest)},
            {"exact", a->exact ? pair_json(*a->exact) : json(nullptr)}};
}

namespace {

Result<json> one_card_json(const Request& request, const tr::GpuReport& card) {
    json stages = json::array();
    for (const auto& stage : request.stages) {
        TRY(auto stage_report, stage_json(request, card.gpu, stage));
        stages.push_back(std::move(stage_report));
    }
    TRY(auto diagnosis, diagnosis_json(request, card));
    return json{{"gpu", gpu_json(card.gpu)},
                {"precision", text_of(kPrecisions, card.precision)},
                {"fits", tr::to_string(card.fit)},
                {"why", why(request, card)},
                {"limit_bytes", card.limits.limit_bytes},
                {"max_batch", card.limits.max_batch},
                {"batches_that_do_not_fit", card.oom_batches.batches},
                {"replayed_from_batch", card.oom_batches.replayed_from},
                {"batch", card.batch},
                {"batch_reason", reason_name(card.reason)},
                {"batch_why", why_this_batch(request, card)},
                {"knee",
                 {{"batch", card.knee.batch},
                  {"samples_per_second", card.knee.samples_per_second},
                  {"best_samples_per_second", card.knee.best_samples_per_second}}},
                {"accumulation", accumulation_json(card.accumulation)},
                {"parameters", card.at_batch.parameters},
                {"trainable_parameters", card.at_batch.trainable_parameters},
                {"memory", memory_json(card)},
                {"breakdown", breakdown_json(card)},
                {"timeline", timeline_json(card.at_batch)},
                {"layers", layers_json(card.at_batch)},
                {"curve", curve_json(card)},
                {"speed", speed_json(card)},
                {"learning_rate", rate_json(card)},
                {"loader", loader_json(card.loader)},
                {"parallel_runs", card.parallel_runs},
                {"what_ifs", what_ifs_json(request, card)},
                {"snippets", snippets_json(card, request.report)},
                {"stages", std::move(stages)},
                {"shard", shard_json(request, card)},
                {"diagnosis", std::move(diagnosis)},
                {"guides", guides_json(request, card)}};
}

}  // namespace

Result<json> card_json(const Request& request, std::size_t index) {
    auto one = request.report;
    one.gpus = {request.report.gpus.at(index)};
    one.compared = request.report.gpus.size();
    TRY(const auto report, tr::make_report(one));
    return one_card_json(request, report.gpus.front());
}

Result<json> cards_json(const Request& request) {
    TRY(const auto report, tr::make_report(request.report));
    json cards = json::array();
    for (const auto& one : report.gpus) {
        TRY(auto card, one_card_json(request, one));
        cards.push_back(std::move(card));
    }
    return cards;
}

}  // namespace plimsoll::jobs::training_config
