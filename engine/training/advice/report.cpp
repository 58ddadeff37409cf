#include "engine/training/advice/report.hpp"

#include "engine/training/advice/guide_batch.hpp"
#include "engine/training/advice/precision.hpp"
#include "engine/training/advice/what_ifs.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace plimsoll::training {
namespace {

std::int64_t batch_bytes(const ModelShape& s, const TrainingSettings& t, std::int64_t batch) {
    if (s.is_series())
        return 4 * batch * s.features * (t.sequence + static_cast<std::int64_t>(s.horizon));
    if (s.family == Family::vit)
        return 4LL * batch * s.image_channels * s.image_size * s.image_size;
    if (s.family == Family::whisper) return 4LL * batch * 2 * s.features * s.positions;
    return 2 * 8 * batch * t.sequence * (1 + t.negatives);
}

// Replays of batches below the largest, for all cards of a comparison together: two for each of a
// dozen. A report on one card takes as many as it needs.
constexpr std::int64_t kComparedReplays = 24;

class Maker {
  public:
    explicit Maker(const ReportRequest& request)
        : r_(request),
          share_(share_of_target(request.target_effective_batch, request.settings.batches())),
          footprints_(request) {}

    Result<GpuReport> card(const GpuProfile& gpu) {
        GpuReport out;
        out.gpu = gpu;
        settings_ = r_.settings;
        settings_.generated = share_;
        if (r_.adapts_precision)
            settings_.precision = automatic_precision(r_.shape, settings_, gpu);
        out.precision = settings_.precision;
        search_ = r_.search;
        out.vllm = colocated_vllm(r_.shape, settings_, gpu, r_.search, footprints_on(gpu));
        if (out.vllm) search_.reserved_elsewhere += out.vllm->resident();
        out.elsewhere = search_.reserved_elsewhere;
        guide_.reset();
        if (r_.goal == Goal::guide) guide_ = guide_batch(r_, gpu);
        if (guide_) settings_.accumulation = guide_->accumulation > 1 ? 2 : 1;
        // From the second micro-batch on, gradients are already allocated.
        if (!guide_ && settings_.accumulation == 1 && !target_fits_at_once(gpu))
            settings_.accumulation = 2;
        TRY_DO(search(out));
        if (!guide_ && settings_.accumulation == 1 && out.batch < share_) {
            settings_.accumulation = 2;
            TRY_DO(search(out));
        }
        if (r_.curves) {
            const auto cards =
                static_cast<std::int64_t>(r_.compared > 0 ? r_.compared : r_.gpus.size());
            out.oom_batches = oom_batches_below(
                out.limits.max_batch, out.limits, search_, footprints_on(gpu),
                cards == 1 ? 0 : std::max<std::int64_t>(1, kComparedReplays / cards));
        }
        // The largest batch is that of the recommended run, whichever batch was requested.
        if (r_.batch > 0) {
            out.batch = r_.batch;
            out.reason = BatchReason::asked;
            if (r_.settings.accumulation == 1) settings_.accumulation = r_.batch < share_ ? 2 : 1;
            estimated_.reset();
        }
        TRY_DO(estimate_at(gpu, out.batch));
        settings_.batch = out.batch;
        out.at_batch = std::move(estimated_->second);
        footprints_on(gpu).learn(out.batch, out.at_batch);
        out.reserved = corrected(out.at_batch.peak_reserved, r_.search);
        if (out.reason != BatchReason::nothing_fits) out.fit = judge(out);
        out.device_used = out.reserved + gpu.total_bytes() - gpu.usable_bytes() + out.elsewhere;
        out.utilisation_percent =
            100.0 * static_cast<double>(out.device_used) / static_cast<double>(gpu.total_bytes());
        out.headroom_bytes = gpu.total_bytes() - out.device_used;
        out.out_of_memory_probability =
            out_of_memory_probability(out.reserved, gpu.usable_bytes() - out.elsewhere, out.band);
        TRY_DO(advise(out));
        if (r_.curves) add_curve(out);
        const bool alone = r_.curves && r_.gpus.size() == 1 && r_.compared <= 1;
        const bool stuck = alone && out.limits.max_batch == 0;
        const bool asks_too_much = alone && r_.batch > out.limits.max_batch;
        if (r_.what_ifs || asks_too_much || stuck)
            add_what_ifs(r_, settings_, footprints_, stuck, out);
        if (asks_too_much && !r_.what_ifs) keep_enough(out.what_ifs);
        return out;
    }

  private:
    FootprintByBatch& footprints_on(const GpuProfile& gpu) {
        return footprints_.of("", settings_, settings_.precision, tape_device(gpu));
    }

    // Only the changes that make room for the requested batch, if there are any.
    void keep_enough(std::vector<WhatIf>& what_ifs) const {
        const auto is_short = [&](const WhatIf& w) { return w.max_batch < r_.batch; };
        if (!std::ranges::all_of(what_ifs, is_short)) std::erase_if(what_ifs, is_short);
    }

    std::int64_t reserved(FootprintByBatch& footprints, std::int64_t batch) const {
        return corrected(footprints.reserved(batch), r_.search);
    }

    // One or two evaluations instead of a search.
    bool target_fits_at_once(const GpuProfile& gpu) {
        const auto target = share_;
        if (target > r_.search.highest_batch) return false;
        auto& footprints = footprints_on(gpu);
        const auto limit = reserve_limit(gpu, search_);
        // An unreachable target must not overflow sizes: try a few samples first.
        constexpr std::int64_t few = 64, harmless = 4096;
        if (target > harmless && reserved(footprints, few) > limit) return false;
        const auto uncorrected =
            static_cast<std::int64_t>(static_cast<double>(limit) / r_.search.correction);
        return footprints.peak_alive(target) <= uncorrected &&
               reserved(footprints, target) <= limit;
    }

    // For the current settings on the current card; kept, since most reports are about the batch
    // that was tried first.
    Result<void> estimate_at(const GpuProfile& gpu, std::int64_t batch) {
        if (estimated_ && estimated_->first == batch) return {};
        auto settings = settings_;
        settings.batch = batch;
        auto options = r_.search.estimate;
        options.timeline = true;
        TRY(auto made, estimate(r_.shape, settings, tape_device(gpu), options));
        estimated_.emplace(batch, std::move(made));
        return {};
    }

    // Some batches below the largest do not fit.
    bool fits(const GpuReport& card, std::int64_t batch) {
        return corrected(footprints_on(card.gpu).glance(batch), r_.search) <=
               card.limits.limit_bytes;
    }

    bool share_fits(const GpuReport& card) {
        if (!estimate_at(card.gpu, share_)) return false;
        return corrected(estimated_->second.peak_reserved, r_.search) <= card.limits.limit_bytes;
    }

    // The largest that fits, of at most `batch`.
    std::int64_t fitting_from(const GpuReport& card, std::int64_t batch) {
        while (batch > 1 && !fits(card, batch)) --batch;
        return batch;
    }

    // A batch between the knee and twice the knee of which whole micro-batches make the target; the
    // knee if there is none.
    std::int64_t dividing(const GpuReport& card) {
        const auto knee = card.knee.batch;
        for (auto batch = knee; batch <= std::min(card.limits.round_batch, 2 * knee); ++batch)
            if (share_ % batch == 0 && fits(card, batch)) return batch;
        return fitting_from(card, knee);
    }

    // The largest batch of which whole micro-batches make the target, unless that leaves half of
    // the room unused: then the largest round one, and the target is nearly met.
    std::int64_t filling(const GpuReport& card) {
        const auto highest = card.limits.max_batch;
        for (auto batch = highest; batch > highest / 2; --batch)
            if (share_ % batch == 0 && fits(card, batch)) return batch;
        return fitting_from(card, card.limits.round_batch);
    }

    // The limits at the current settings, and the batch to report on.
    Result<void> search(GpuReport& out) {
        estimated_.reset();
        auto& footprints = footprints_on(out.gpu);
        TRY(auto limits, find_batch(out.gpu, search_, footprints));
        if (out.vllm && !out.vllm->fits()) limits.max_batch = limits.round_batch = 0;
        out.limits = limits;
        out.band = band_of(r_.shape, settings_, out.gpu);
        for (std::int64_t batch = 4; batch < limits.round_batch; batch *= 4) footprints.work(batch);
        out.knee = find_knee(footprints, settings_, out.gpu, limits);
        if (guide_) {
            out.batch = guide_->batch;
            out.reason = BatchReason::guide;
        } else if (limits.max_batch == 0) {
            out.batch = 1;
            out.reason = BatchReason::nothing_fits;
        } else if (r_.goal == Goal::fill) {
            out.batch = fitting_from(out, limits.max_batch);
            out.reason = BatchReason::fill;
        } else if (r_.goal == Goal::batch) {
            const bool at_once = share_ <= limits.max_batch && share_fits(out);
            out.batch = at_once ? share_ : filling(out);
            out.reason = at_once ? BatchReason::target : BatchReason::fill;
        } else if (share_ <= out.knee.batch && share_fits(out)) {
            out.batch = share_;
            out.reason = BatchReason::target;
        } else {
            out.batch = dividing(out);
            out.reason = out.batch == share_                   ? BatchReason::target
                         : out.knee.batch < limits.round_batch ? BatchReason::knee
                                                               : BatchReason::memory;
        }
        return {};
    }

    Fit judge(const GpuReport& card) const {
        if (card.vllm && !card.vllm->fits()) return Fit::no;
        const auto free = card.gpu.usable_bytes() - card.elsewhere;
        const auto upper = static_cast<double>(card.reserved) * card.band.high;
        if (card.reserved <= card.limits.limit_bytes && upper <= static_cast<double>(free))
            return Fit::yes;
        return card.reserved <= free ? Fit::tight : Fit::no;
    }

    Result<void> advise(GpuReport& out) {
        auto accumulation =
            advise_accumulation(out.batch, r_.target_effective_batch, r_.settings.batches());
        if (!accumulation) return fail(accumulation.error());
        if (out.reason == BatchReason::guide) {
            const Accumulation its{out.batch, guide_->accumulation, 1};
            accumulation = AccumulationAdvice{its, its, std::nullopt};
            out.guide = guide_->guide;
        } else if (out.reason == BatchReason::fill && out.batch > share_) {
            const Accumulation its{out.batch, 1, r_.settings.batches()};
            accumulation = AccumulationAdvice{its, its, std::nullopt};
        }
        if (out.fit != Fit::no || out.reason == BatchReason::guide)
            out.accumulation = *accumulation;
        out.parallel_runs =
            parallel_runs(out.gpu.total_bytes(), r_.search.safety, r_.search.reserved_elsewhere,
                          out.device_used - out.elsewhere + (out.vllm ? out.vllm->share : 0));
        // Workers that do not fit concurrently, contexts included, take turns.
        auto workload = r_.workload;
        const auto copies = r_.settings.copies();
        workload.dataset_size = (workload.dataset_size + copies - 1) / copies;
        workload.parallel_workers = static_cast<int>(
            std::clamp<std::int64_t>(out.parallel_runs, 1, workload.parallel_workers));
        out.throughput = model_throughput(out.at_batch.work, settings_, out.gpu, workload);
        out.micro_step_seconds =
            out.throughput.step_seconds / static_cast<double>(settings_.accumulation);
        auto question = r_.rate;
        const auto effective = accumulation->nearest.effective();
        question.batch = static_cast<double>(effective);
        question.adaptive =
            settings_.optimizer != Optimizer::sgd && settings_.optimizer != Optimizer::sgd_momentum;
        if (r_.workload.dataset_size > 0) {
            const auto steps = (r_.workload.dataset_size + effective - 1) / effective;
            out.throughput.optimizer_steps_per_epoch = static_cast<double>(steps);
            question.optimizer_steps = steps * r_.workload.epochs;
        }
        TRY(out.rate, advise_rate(question));
        out.loader = advise_loader(r_.cpu_cores, r_.heavy_preprocessing,
                                   batch_bytes(r_.shape, settings_, out.batch), r_.host_ram_bytes,
                                   r_.shape.reads_text());
        return {};
    }

    // 1, powers of four from 16 to beyond the largest batch, those that the search tried, the knee
    // and the report's own. Between them, memory and the time of a batch grow in proportion.
    void add_curve(GpuReport& out) {
        auto& footprints = footprints_on(out.gpu);
        const auto highest = std::max({std::int64_t{8}, out.batch, out.limits.max_batch * 3 / 2});
        footprints.reserved(1);
        footprints.reserved(out.knee.batch);
        for (std::int64_t batch = 16; batch <= highest; batch *= 4) footprints.reserved(batch);
        for (const auto& [batch, bytes] : footprints.all_reserved()) {
            if (batch > highest) break;
            auto settings = settings_;
            settings.batch = batch;
            const auto speed = model_throughput(footprints.work(batch), settings, out.gpu);
            out.curve.push_back({batch, corrected(bytes, r_.search), speed.samples_per_second,
                                 speed.step_seconds / static_cast<double>(settings.accumulation)});
        }
    }

    const ReportRequest& r_;
    const std::int64_t share_;  // of the target effective batch, on each card
    RunFootprints footprints_;
    TrainingSettings settings_;        // with what the present card needs
    SearchOptions search_;             // with what vLLM takes of it
    std::optional<GuideBatch> guide_;  // of the present card, where that is the goal
    std::optional<std::pair<std::int64_t, Estimate>> estimated_;  // by batch
};

}  // namespace

Result<Report> make_report(const ReportRequest& request) {
    if (request.gpus.empty())
        return fail(Errc::invalid_input, "At least one GPU is needed.", "/gpus");
    TRY_DO(check_settings(request.shape, request.settings));
    Report report;
    report.gpus.resize(request.gpus.size());
    // From the largest down: the tapes of its batches give those of the others' smaller ones.
    std::vector<std::size_t> order(request.gpus.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, std::greater(),
                      [&](std::size_t i) { return std::pair(request.gpus[i].total_bytes(), i); });
    Maker maker(request);
    for (const auto i : order) {
        TRY(report.gpus[i], maker.card(request.gpus[i]));
    }
    return report;
}

}  // namespace plimsoll::training
