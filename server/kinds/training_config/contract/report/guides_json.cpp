#include "engine/base/json.hpp"
#include "engine/training/advice/guide_batch.hpp"
#include "engine/training/advice/throughput.hpp"
#include "engine/training/estimate/estimate.hpp"
#include "engine/training/guides/gpu_profiles_guide.hpp"
#include "engine/training/guides/utilisation.hpp"
#include "engine/training/tape/record.hpp"
#include "server/kinds/training_config/contract/advice.hpp"
#include "server/kinds/training_config/contract/bytes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

// The numbers of the guides from which many teams take their batch sizes, next to ours. A guide
// appears if it covers this model and this card.
namespace plimsoll::jobs::training_config {
namespace {

namespace tr = ::plimsoll::training;

// Of the model that the utilization guide's table is about: a base-sized classifier of tweets.
constexpr int kTweetHidden = 768, kTweetTokens = 128;

json row(std::string_view name, double guide, json ours, std::string_view unit = "") {
    return {{"name", name},
            {"guide", std::round(guide * 100) / 100},
            {"ours", ours.is_number_float() ? json(std::round(ours.get<double>() * 100) / 100)
                                            : std::move(ours)},
            {"unit", unit}};
}

std::string number(double value, int decimals) {
    char text[48];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

// In MiB, of our breakdown at the peak.
double group(const tr::GpuReport& card, tr::Group g) {
    return static_cast<double>(card.at_batch.breakdown[static_cast<std::size_t>(g)]) / kMiB;
}

// On the card, at another batch and with this many micro-batches; nothing where that is refused.
std::optional<double> bytes_at(const Request& request, const tr::GpuReport& card,
                               std::int64_t batch, std::int64_t accumulation) {
    auto settings = request.report.settings;
    settings.batch = batch;
    settings.accumulation = accumulation > 1 ? 2 : 1;
    const auto there = tr::estimate(request.report.shape, settings, tr::tape_device(card.gpu),
                                    request.report.search.estimate);
    if (!there) return std::nullopt;
    return static_cast<double>(tr::corrected(there->peak_reserved, request.report.search) +
                               card.gpu.total_bytes() - card.gpu.usable_bytes());
}

json in(const std::optional<double>& bytes, double unit) {
    return bytes ? json(*bytes / unit) : json(nullptr);
}

json naics_json(const Request& request, const tr::GpuReport& card) {
    const auto model = tr::naics_model(request.report.shape, request.report.settings);
    const auto s = tr::naics::suggest(model, tr::naics_search(request.report, card.gpu), 32,
                                      request.report.settings.negatives, "");
    const double trainable = static_cast<double>(card.at_batch.trainable_parameters);
    json rows = json::array();
    rows.push_back(row("batch_size", s.batch, card.batch));
    rows.push_back(row("accumulate_grad_batches", s.accumulation,
                       card.accumulation ? json(card.accumulation->nearest.steps) : json(nullptr)));
    rows.push_back(
        row("effective batch", s.effective_batch,
            card.accumulation ? json(card.accumulation->nearest.effective()) : json(nullptr)));
    rows.push_back(
        row("optimizer state", s.breakdown.optimizer, group(card, tr::Group::optimizer), "MiB"));
    rows.push_back(row("gradients", s.breakdown.gradients, trainable * 4 / kMiB, "MiB"));
    const auto there = bytes_at(request, card, s.batch, s.accumulation);
    rows.push_back(
        row("total at the guide's batch", s.breakdown.total_gib(), in(there, kGiB), "GiB"));
    rows.push_back(row("utilization at the guide's batch", s.utilisation_percent,
                       in(there, static_cast<double>(card.gpu.total_bytes()) / 100), "%"));
    return {{"guide", "naics-memory"},
            {"title", "NAICS memory guide"},
            {"rows", std::move(rows)},
            {"difference",
             "The guide keeps gradients and optimizer state for all " +
                 number(static_cast<double>(tr::naics::parameters(model)) / 1e6, 1) +
                 " million parameters it counts; this run trains " + number(trainable / 1e6, 1) +
                 " million. It counts attention once instead of once per layer, treats "
                 "checkpointing as a flat saving of 75 %, and never tries a batch above 128."}};
}

json profile_json(const Request& request, const tr::GpuReport& card) {
    const auto& g = *card.gpu.guide;
    json rows = json::array();
    rows.push_back(row("batch_size_1d", g.batch_size_1d, card.limits.max_batch));
    rows.push_back(row("batch_size_1h", g.batch_size_1h, card.limits.max_batch));
    rows.push_back(row("max_workers", g.max_workers, card.parallel_runs));
    rows.push_back(row("memory at the guide's batch for daily bars", g.memory_per_model_1d_gb,
                       in(bytes_at(request, card, g.batch_size_1d, 1), 1e9), "GB"));
    rows.push_back(row("memory at the guide's batch for hourly bars", g.memory_per_model_1h_gb,
                       in(bytes_at(request, card, g.batch_size_1h, 1), 1e9), "GB"));
    const json ours = card.throughput.hours > 0 ? json(card.throughput.hours * 60) : json(nullptr);
    if (g.minutes > 0)
        rows.push_back(row("five hourly models by its table", g.minutes, ours, "min"));
    rows.push_back(row("five hourly models by its own formula",
                       tr::gpu_guide::training_minutes(g, "1h"), ours, "min"));
    std::string difference =
        "The guide's sizes are rules of thumb per GPU, far below what the model needs; this "
        "estimate gives the largest batch of this model at this window.";
    for (const auto& warning : tr::gpu_guide::warnings(card.gpu)) difference += " " + warning;
    return {{"guide", "gpu-profiles"},
            {"title", "GPU profile guide"},
            {"rows", std::move(rows)},
            {"difference", std::move(difference)}};
}

// Modelled, of this model on this card.
double samples_per_second(const Request& request, const tr::GpuReport& card, int batch) {
    auto settings = request.report.settings;
    settings.batch = batch;
    const auto tape = tr::record_tape(request.report.shape, settings, tr::tape_device(card.gpu));
    return tr::model_throughput(tape.work, settings, card.gpu).samples_per_second;
}

// The largest batch with gradient checkpointing, if the report has it.
json with_checkpointing(const Request& request, const tr::GpuReport& card) {
    if (request.report.settings.checkpointing) return card.limits.max_batch;
    const auto found =
        std::ranges::find(card.what_ifs, "gradient checkpointing", &tr::WhatIf::change);
    return found == card.what_ifs.end() ? json(nullptr) : json(found->max_batch);
}

json utilisation_json(const Request& request, const tr::GpuReport& card) {
    const auto rule = tr::utilisation::batch_for(card.gpu.total_bytes());
    const auto colab = tr::utilisation::colab_preset(card.gpu.total_bytes());
    json rows = json::array();
    rows.push_back(row("batch by the GPU's memory", rule.batch, card.batch));
    rows.push_back(row("accumulation at this batch", rule.accumulation,
                       card.accumulation ? json(card.accumulation->nearest.steps) : json(nullptr)));
    rows.push_back(row("batch in its Colab block", colab.batch, card.batch));
    rows.push_back(
        row("loader workers in its Colab block", colab.loader_workers, card.loader.workers));
    rows.push_back(row("prefetch factor in its Colab block", colab.prefetch, card.loader.prefetch));
    rows.push_back(
        {{"name", "learning rate in its Colab block"},
         {"guide", colab.learning_rate},
         {"ours", card.rate.recommended_rate ? json(*card.rate.recommended_rate) : json(nullptr)},
         {"unit", ""}});
    rows.push_back(row("loader workers",
                       tr::utilisation::loader_workers(request.report.cpu_cores,
                                                       request.report.heavy_preprocessing),
                       card.loader.workers));
    for (const auto& tweet : tr::utilisation::tweet_batches()) {
        if (tweet.profile_id != card.gpu.id) continue;
        rows.push_back(
            row("largest batch, tweets of 128 tokens", tweet.max_batch, card.limits.max_batch));
        rows.push_back(row("recommended batch, tweets", tweet.recommended, card.batch));
    }
    for (const auto& recipe : tr::utilisation::recipes()) {
        const auto name = "recipe, " + std::string(recipe.situation) + ": batch, times " +
                          std::to_string(recipe.accumulation);
        rows.push_back(row(name, recipe.batch,
                           recipe.checkpointing ? with_checkpointing(request, card)
                                                : json(card.limits.max_batch)));
    }
    // Its table is about a classifier of tweets.
    const bool like_its_model = request.report.shape.hidden <= kTweetHidden &&
                                request.report.settings.sequence <= kTweetTokens;
    for (const auto& line : tr::utilisation::throughput_table()) {
        if (!like_its_model) break;
        const auto batch = " at batch " + std::to_string(line.batch);
        const double rate = samples_per_second(request, card, line.batch);
        rows.push_back(row("speed" + batch, line.samples_per_second, rate, "samples/s"));
        rows.push_back(row("time of its run" + batch, line.minutes,
                           line.minutes * line.samples_per_second / rate, "min"));
    }
    std::string difference =
        "The guide considers only the GPU's memory, in decimal GB, so every model gets the "
        "same batch. This estimate replays the training step of this model and gives the largest "
        "batch that fits. Larger batches than the guide's often fit, though they need not train "
        "better. The "
        "guide's speeds are for one model on one GPU.";
    for (const auto& remark : tr::utilisation::remarks()) difference += " " + std::string(remark);
    return {{"guide", "training-utilisation"},
            {"title", "Training utilization guide"},
            {"rows", std::move(rows)},
            {"difference", std::move(difference)}};
}

}  // namespace

json guides_json(const Request& request, const tr::GpuReport& card) {
    json guides = json::array();
    const auto family = request.report.shape.family;
    if (family == tr::Family::naics) guides.push_back(naics_json(request, card));
    if (family == tr::Family::temporal && card.gpu.guide)
        guides.push_back(profile_json(request, card));
    if (!request.report.shape.is_series()) guides.push_back(utilisation_json(request, card));
    return guides;
}

}  // namespace plimsoll::jobs::training_config
