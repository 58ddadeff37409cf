#include "engine/training/gpus/catalogue.hpp"
#include "server/kinds/training_config/contract/advice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace plimsoll::jobs::training_config {
namespace {

namespace tr = ::plimsoll::training;

// The smallest shipped card on which this much fits besides its context, within the margin, in the
// same precision; of equally large ones the oldest.
std::string a_card_that_carries(const tr::ReportRequest& request, const tr::GpuReport& card) {
    const tr::GpuProfile* found = nullptr;
    for (const auto& gpu : tr::shipped_gpus()) {
        auto limit = tr::reserve_limit(gpu, request.search);
        if (card.vllm) {
            const auto vllm = card.vllm->on(gpu, limit, request.settings);
            if (!vllm.fits()) continue;
            limit -= vllm.resident();
        }
        if (!gpu.common || card.reserved > limit || (card.gpu.has_bf16() && !gpu.has_bf16()))
            continue;
        const auto rank = [](const auto& p) { return std::pair(p.sold_gb, p.compute_capability); };
        if (found == nullptr || rank(gpu) < rank(*found)) found = &gpu;
    }
    if (found == nullptr) return " It does not fit on any single GPU with a built-in profile.";
    return " Of the GPUs with a built-in profile, the smallest on which it fits is " + found->name +
           ".";
}

std::string what_would_fit(const tr::GpuReport& card) {
    if (card.what_ifs.empty()) return "";
    const auto& best = card.what_ifs.front();
    return " It would fit with " + best.change + " (largest batch " +
           std::to_string(best.max_batch) + ").";
}

std::string whole(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f", value);
    return text;
}

// PyTorch emulates a type that the card lacks, or refuses it.
std::string about_precision(const Request& request, const tr::GpuReport& card) {
    if (card.gpu.has_bf16()) return "";
    const bool fast_fp16 = card.gpu.fp16_flops.value > 0;
    if (request.report.adapts_precision) {
        if (!fast_fp16) return " It has neither bf16 nor fast fp16, so this is for fp32.";
        return card.precision == tr::Precision::fp16
                   ? " It has no bf16, so this is for frozen weights in fp16, under autocast."
                   : " It has no bf16, so this is for fp16 autocast.";
    }
    if (card.precision != tr::Precision::bf16_autocast && card.precision != tr::Precision::bf16)
        return "";
    if (!fast_fp16) return " It has neither bf16 nor fast fp16: train in fp32 on it.";
    return card.precision == tr::Precision::bf16
               ? " It has no bf16: use fp16 autocast, which keeps the weights in fp32 and so needs "
                 "more memory."
               : " It has no bf16: use fp16 autocast, which needs the same memory.";
}

}  // namespace

std::string short_number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    std::string number = text;
    if (const auto at = number.find("e-0"); at != std::string::npos) number.erase(at + 2, 1);
    return number;
}

std::string three_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value >= 100 ? "%.0f" : "%.3g", value);
    return text;
}

namespace {

// What was requested and is missing, and what was done instead.
std::string without_guide(const Request& request, const tr::GpuReport& card) {
    const bool wanted = request.report.goal == tr::Goal::guide && request.report.batch == 0;
    return wanted && card.reason != tr::BatchReason::guide
               ? " The model's guide has no batch for this GPU."
               : "";
}

std::string reason_of(const Request& request, const tr::GpuReport& card) {
    const auto& knee = card.knee;
    const auto percent =
        whole(100 * card.throughput.samples_per_second / knee.best_samples_per_second);
    const auto at_knee = whole(100 * knee.samples_per_second / knee.best_samples_per_second);
    const auto allows = card.limits.max_batch > card.batch
                            ? "; memory allows " + std::to_string(card.limits.max_batch) + "."
                            : std::string(".");
    switch (card.reason) {
        case tr::BatchReason::knee:
            return "At a batch of " + std::to_string(card.batch) + ", the GPU reaches " + percent +
                   " % of the modelled " + three_digits(knee.best_samples_per_second) +
                   " samples/s of the largest batch; larger batches use more memory and are hardly "
                   "faster. Memory "
                   "allows " +
                   std::to_string(card.limits.max_batch) + ".";
        case tr::BatchReason::fill:
            if (request.report.goal == tr::Goal::fill)
                return "The largest batch within the margin; the usual effective batch is " +
                       std::to_string(request.report.target_effective_batch) + ".";
            return "The largest batch within the margin that gives the effective batch of " +
                   std::to_string(request.report.target_effective_batch) + allows +
                   (knee.batch > card.batch
                        ? " A batch of " + std::to_string(knee.batch) + " would reach " + at_knee +
                              " % of the best modelled throughput."
                        : "");
        case tr::BatchReason::memory:
            return "Throughput rises up to the memory limit, at " +
                   std::to_string(card.limits.max_batch) + ".";
        case tr::BatchReason::target: {
            const auto& its = request.report.settings;
            const auto cards = its.copies();
            const auto target = request.report.target_effective_batch;
            const auto made = card.batch * its.batches();
            return (made == target
                        ? "The whole effective batch of " + std::to_string(target)
                        : "An effective batch of " + std::to_string(made) + ", the nearest to " +
                              std::to_string(target) + " that these GPUs allow,") +
                   (its.parallel.microbatches > 1
                        ? " fits in " + std::to_string(its.parallel.microbatches) +
                              " micro-batches of a pipeline"
                        : " fits in one micro-batch") +
                   (cards > 1 ? " on " + std::to_string(cards) + " GPUs" : std::string()) + allows;
        }
        case tr::BatchReason::guide:
            return "The " + card.guide + " trains " + std::to_string(card.batch) + " x " +
                   std::to_string(card.accumulation->nearest.steps) +
                   " on such a GPU; according to this estimate, memory allows " +
                   std::to_string(card.limits.max_batch) + ".";
        case tr::BatchReason::asked:
            if (card.limits.max_batch == 0)
                return "The requested batch; no batch is within the margin.";
            return "The requested batch; " + std::to_string(knee.batch) + " reaches " + at_knee +
                   " % of the best modelled throughput, and memory allows " +
                   std::to_string(card.limits.max_batch) + ".";
        case tr::BatchReason::nothing_fits: return "Not even one sample fits.";
    }
    return {};
}

}  // namespace

std::string why_this_batch(const Request& request, const tr::GpuReport& card) {
    return reason_of(request, card) + without_guide(request, card);
}

std::string gibibytes(std::int64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f GiB",
                  static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
    return text;
}

namespace {

// Why vLLM beside the trainer does not run.
std::string without_room(const tr::GpuReport& card, const tr::ColocatedVllm& vllm) {
    const auto share = gibibytes(vllm.share);
    if (vllm.starts())
        return "While vLLM generates it takes " + share + ", beside the " +
               gibibytes(vllm.standing) +
               " that the model and its optimizer keep; the margin has " + gibibytes(vllm.limit) +
               " for both.";
    const auto least = static_cast<double>(vllm.weights + vllm.text);
    return "vLLM does not start: its share of " + share + " has no room for its weights (" +
           gibibytes(vllm.weights) + ") and the cache of one text (" + gibibytes(vllm.text) +
           "). It needs a share of more than " +
           short_number(std::ceil(100 * least / static_cast<double>(card.gpu.total_bytes())) /
                        100) +
           ".";
}

std::string why_it_fits(const Request& request, const tr::GpuReport& card) {
    const double safety = request.report.search.safety;
    const auto& vllm = card.vllm;
    if (vllm && !vllm->fits())
        return without_room(card, *vllm) + what_would_fit(card) +
               a_card_that_carries(request.report, card);
    const std::string batch =
        card.batch == 1 ? std::string("One sample") : "A batch of " + std::to_string(card.batch);
    const std::string used = gibibytes(card.device_used);
    const std::string total = gibibytes(card.gpu.total_bytes());
    const std::string takes =
        batch + " takes " + used + " of " + total +
        (vllm ? ", vLLM" + (vllm->sleeps ? " asleep" : "'s " + gibibytes(vllm->share) + " included")
              : std::string());
    const auto loaded =
        static_cast<std::int64_t>(safety * static_cast<double>(card.gpu.total_bytes()));
    const std::string margin =
        "the margin of " + short_number(safety) + " (" + gibibytes(loaded) + ")";
    switch (card.fit) {
        case tr::Fit::yes:
            return takes + ", within " + margin +
                   "; the upper end of the uncertainty is below the GPU's memory.";
        case tr::Fit::tight:
            return takes +
                   (card.batch > card.limits.max_batch
                        ? ", above " + margin + " though below the GPU's memory."
                        : ", within " + margin +
                              ", but the upper end of the uncertainty exceeds the GPU's memory.");
        case tr::Fit::no:
            if (card.limits.max_batch > 0) {
                return batch + " needs " + used + ", and the GPU has " + total +
                       ". The largest batch within " + margin + " is " +
                       std::to_string(card.limits.max_batch) + ".";
            }
            return batch + " needs " + used + "; within the margin of " + short_number(safety) +
                   ", " + gibibytes(loaded) + " of the GPU's " + total + " may be used." +
                   what_would_fit(card) + a_card_that_carries(request.report, card);
    }
    return {};
}

std::string about_vllm(const Request& request, const tr::GpuReport& card) {
    if (!card.vllm || !card.vllm->fits()) return "";
    const auto& t = request.report.settings;
    return " The cache of vLLM holds at most " + std::to_string(card.vllm->texts()) + " texts of " +
           std::to_string(t.vllm.longest > 0 ? t.vllm.longest : t.sequence) + " tokens at once.";
}

std::string about_exceptions(const tr::GpuReport& card) {
    const auto& batches = card.oom_batches.batches;
    std::string list;
    for (std::size_t i = 0; i < batches.size();) {
        auto last = i;
        while (last + 1 < batches.size() && batches[last + 1] == batches[last] + 1) ++last;
        list += (list.empty() ? "" : ", ") + std::to_string(batches[i]) +
                (last > i ? "-" + std::to_string(batches[last]) : "");
        i = last + 1;
    }
    if (list.empty()) return "";
    return " These batches, below the largest, exceed the margin, because the allocator reserves "
           "more for them: " +
           list + ".";
}

}  // namespace

std::string why(const Request& request, const tr::GpuReport& card) {
    return why_it_fits(request, card) + about_vllm(request, card) + about_exceptions(card) +
           about_precision(request, card);
}

}  // namespace plimsoll::jobs::training_config
