#include "engine/training/guides/gpu_profiles_guide.hpp"
#include "engine/training/guides/naics_memory.hpp"
#include "engine/training/guides/utilisation.hpp"
#include "server/jobs/training_config/contract/advice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

// The numbers of the guides that many teams set their batch sizes by, beside ours. A guide appears
// where it speaks of this model and this card.
namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;
namespace tr = ::plimsoll::training;

constexpr double kMiB = 1024.0 * 1024;
constexpr double kGiB = 1024.0 * kMiB;

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

tr::naics::Model naics_model(const Request& request) {
    const auto& s = request.report.shape;
    const auto& t = request.report.settings;
    tr::naics::Model m;
    m.channels = s.channels;
    m.hidden = s.hidden;
    m.max_length = t.sequence;
    m.layers = s.layers;
    m.experts = s.experts;
    m.top_k = s.experts_per_row;
    m.expert_hidden = s.expert_hidden;
    if (t.lora.rank > 0) m.lora_rank = t.lora.rank;
    return m;
}

json naics_json(const Request& request, const tr::GpuReport& card) {
    const auto model = naics_model(request);
    tr::naics::Search search;
    search.gpu_gib = static_cast<double>(card.gpu.total_bytes()) / kGiB;
    search.safety = request.report.search.safety;
    search.target_effective_batch =
        static_cast<int>(std::min<std::int64_t>(request.report.target_effective_batch, 1 << 30));
    const auto s = tr::naics::suggest(model, search, 32, request.report.settings.negatives, "");
    const double trainable = static_cast<double>(card.at_batch.trainable_parameters);
    json rows = json::array();
    rows.push_back(row("batch_size", s.batch, card.limits.max_batch));
    rows.push_back(row("accumulate_grad_batches", s.accumulation,
                       card.accumulation ? json(card.accumulation->nearest.steps) : json(nullptr)));
    rows.push_back(
        row("effective batch", s.effective_batch,
            card.accumulation ? json(card.accumulation->nearest.effective()) : json(nullptr)));
    rows.push_back(
        row("optimizer state", s.breakdown.optimizer, group(card, tr::Group::optimizer), "MiB"));
    rows.push_back(row("gradients", s.breakdown.gradients, trainable * 4 / kMiB, "MiB"));
    rows.push_back(
        row("total", s.breakdown.total_gib(), static_cast<double>(card.device_used) / kGiB, "GiB"));
    rows.push_back(row("utilisation", s.utilisation_percent, card.utilisation_percent, "%"));
    return {{"guide", "naics-memory"},
            {"title", "NAICS memory guide"},
            {"rows", std::move(rows)},
            {"difference",
             "The guide keeps gradients and optimizer state for all " +
                 number(static_cast<double>(tr::naics::parameters(model)) / 1e6, 1) +
                 " million parameters it counts; here " + number(trainable / 1e6, 1) +
                 " million are trained. It counts attention once instead of once per layer, takes "
                 "checkpointing as a flat 75 % off, and never tries a batch above 128."}};
}

json profile_json(const Request&, const tr::GpuReport& card) {
    const auto& g = *card.gpu.guide;
    json rows = json::array();
    rows.push_back(row("batch_size_1d", g.batch_size_1d, card.limits.max_batch));
    rows.push_back(row("batch_size_1h", g.batch_size_1h, card.limits.max_batch));
    rows.push_back(row("max_workers", g.max_workers, card.parallel_runs));
    rows.push_back(row("memory per model, daily", g.memory_per_model_1d_gb,
                       static_cast<double>(card.device_used) / kGiB, "GB"));
    rows.push_back(row("memory per model, hourly", g.memory_per_model_1h_gb,
                       static_cast<double>(card.device_used) / kGiB, "GB"));
    rows.push_back(row("five hourly models by its own formula",
                       tr::gpu_guide::training_minutes(g, "1h"), nullptr, "min"));
    std::string difference =
        "The guide's sizes are rules of thumb per card, far below what the model needs; ours is "
        "the largest batch of this model at this window.";
    for (const auto& warning : tr::gpu_guide::warnings(card.gpu)) difference += " " + warning;
    return {{"guide", "gpu-profiles"},
            {"title", "GPU profile guide"},
            {"rows", std::move(rows)},
            {"difference", std::move(difference)}};
}

json utilisation_json(const Request& request, const tr::GpuReport& card) {
    const auto rule = tr::utilisation::batch_for(card.gpu.total_bytes());
    const auto colab = tr::utilisation::colab_preset(card.gpu.total_bytes());
    json rows = json::array();
    rows.push_back(row("batch by the card's memory", rule.batch, card.batch));
    rows.push_back(row("accumulation beside it", rule.accumulation,
                       card.accumulation ? json(card.accumulation->nearest.steps) : json(nullptr)));
    rows.push_back(row("batch of its Colab block", colab.batch, card.batch));
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
    return {{"guide", "training-utilisation"},
            {"title", "Training utilisation guide"},
            {"rows", std::move(rows)},
            {"difference",
             "The guide looks at the card's memory alone, in GB of 10^9 bytes, and so gives every "
             "model the same batch; ours replays the training step of this model. Larger batches "
             "than the guide's often fit, though they need not train better."}};
}

}  // namespace

json guides_json(const Request& request, const tr::GpuReport& card) {
    json guides = json::array();
    const auto family = request.report.shape.family;
    if (family == tr::Family::naics) guides.push_back(naics_json(request, card));
    if (family == tr::Family::temporal && card.gpu.guide) {
        guides.push_back(profile_json(request, card));
    }
    if (!request.report.shape.is_series()) guides.push_back(utilisation_json(request, card));
    return guides;
}

}  // namespace plimsoll::jobs::training_config
