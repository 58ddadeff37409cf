#include "engine/training/advice/text.hpp"

#include <fmt/format.h>

namespace plimsoll::training::text {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

const char* rule_name(RateRule rule) {
    switch (rule) {
        case RateRule::base:
            return "unchanged";
        case RateRule::sqrt:
            return "square root";
        case RateRule::linear:
            return "linear";
        case RateRule::surge:
            return "surge-capped";
    }
    return "";
}

std::string card_details(const GpuReport& c, const ReportRequest& request) {
    std::string out = fmt::format("\n{}\n", c.gpu.name);
    if (!c.accumulation)
        return out + fmt::format(
                         "  does not fit: a batch of {} needs {}, {} are free at a margin of "
                         "{:.2f}; the largest is {}\n",
                         c.batch, gigabytes(c.at_batch.peak_reserved),
                         gigabytes(c.limits.limit_bytes), request.search.safety,
                         c.limits.max_batch);
    const auto& a = *c.accumulation;
    out += fmt::format(
        "  batch {} (largest {}), accumulation {} -> effective {} (at most: {} x {}"
        ", exact: {} x {})\n",
        a.nearest.batch, c.limits.max_batch, a.nearest.steps, a.nearest.effective(), a.floor.batch,
        a.floor.steps, a.exact.batch, a.exact.steps);
    out += fmt::format(
        "  peak {} allocated, {} reserved, {} on the card ({:.0f} %), band {:+.0f} "
        "to {:+.0f} %\n",
        gigabytes(c.at_batch.peak_allocated), gigabytes(c.at_batch.peak_reserved),
        gigabytes(c.device_used), c.utilisation_percent, (c.band.low - 1) * 100,
        (c.band.high - 1) * 100);
    const auto& m = c.at_batch.moment;
    out += fmt::format("  the peak is in step {}, {}{}\n", m.step, to_string(m.phase),
                       m.layer >= 0 ? fmt::format(", layer {}", m.layer) : "");
    out += breakdown(c);
    out += fmt::format("  learning rate {:g} ({}), warm-up {} steps: {}\n", c.rate.recommended_rate,
                       rule_name(c.rate.recommended), c.rate.warmup_steps, c.rate.why);
    out += fmt::format("  loader: {} workers, prefetch {}, {} of host memory\n", c.loader.workers,
                       c.loader.prefetch, gigabytes(c.loader.host_bytes));
    for (const auto& w : c.what_ifs)
        out += fmt::format("  with {}: largest batch {} ({:.2f}x), {:.2f}x samples/s (modelled)\n",
                           w.change, w.max_batch, w.batch_factor, w.speed_factor);
    return out;
}

}  // namespace

std::string gigabytes(std::int64_t bytes) {
    return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / kGiB);
}

std::string breakdown(const GpuReport& c) {
    std::string out;
    const auto line = [&](std::string_view name, std::int64_t bytes) {
        if (bytes != 0) out += fmt::format("    {:<24} {:>12}\n", name, gigabytes(bytes));
    };
    for (int i = 0; i < kGroups; ++i)
        line(to_string(static_cast<Group>(i)), c.at_batch.breakdown[static_cast<std::size_t>(i)]);
    line("fragmentation", c.at_batch.fragmentation());
    line("context (estimate)", c.gpu.total_bytes() - c.gpu.usable_bytes());
    line("= used on the card", c.device_used);
    return out;
}

std::string report(const Report& report, const ReportRequest& request) {
    const auto& first = report.gpus.front().at_batch;
    std::string out = fmt::format("{}: {:.1f} million parameters, {:.1f} trained, {} tokens\n",
                                  request.shape.name, static_cast<double>(first.parameters) / 1e6,
                                  static_cast<double>(first.trainable_parameters) / 1e6,
                                  request.settings.sequence);
    out += fmt::format("{:<32} {:>6} {:>9} {:>11} {:>10} {:>12} {:>10}\n", "card", "fits", "batch",
                       "largest", "used", "samples/s*", "parallel");
    for (const auto& c : report.gpus)
        out += fmt::format("{:<32} {:>6} {:>9} {:>11} {:>9.0f}% {:>12.0f} {:>10}\n", c.gpu.name,
                           to_string(c.fit), c.batch, c.limits.max_batch, c.utilisation_percent,
                           c.throughput.samples_per_second, c.parallel_runs);
    for (const auto& c : report.gpus) out += card_details(c, request);
    out += "\n* modelled, not measured\n";
    for (const auto& limit : report.limits) out += "- " + limit + "\n";
    return out;
}

std::string profile_list(std::span<const GpuProfile> profiles) {
    std::string out = fmt::format("{:<14} {:<38} {:>10} {:>9} {:>9} {:>8}\n", "profile", "card",
                                  "memory", "batch 1d", "batch 1h", "workers");
    for (const auto& p : profiles) {
        out += fmt::format("{:<14} {:<38} {:>10}", p.id, p.name, gigabytes(p.total_bytes()));
        if (p.guide)
            out += fmt::format(" {:>9} {:>9} {:>8}", p.guide->batch_size_1d, p.guide->batch_size_1h,
                               p.guide->max_workers);
        out += "\n";
    }
    return out;
}

std::string profile_details(const GpuProfile& p) {
    std::string out =
        fmt::format("{} ({}, {}, compute capability {}.{})\n", p.name, p.id, p.architecture,
                    p.compute_capability / 10, p.compute_capability % 10);
    const auto line = [&](const char* what, const std::string& value, const std::string& source) {
        out += fmt::format("  {:<16} {:>16}  [{}]\n", what, value, source);
    };
    line("memory", gigabytes(p.total_bytes()), p.memory_bytes.source);
    line("context", gigabytes(p.total_bytes() - p.usable_bytes()), p.context_bytes.source);
    line("bandwidth", fmt::format("{:.0f} GB/s", p.bandwidth.value / 1e9), p.bandwidth.source);
    line("fp32", fmt::format("{:.1f} TFLOP/s", p.fp32_flops.value / 1e12), p.fp32_flops.source);
    line("fp16", fmt::format("{:.1f} TFLOP/s", p.fp16_flops.value / 1e12), p.fp16_flops.source);
    line("bf16", fmt::format("{:.1f} TFLOP/s", p.bf16_flops.value / 1e12), p.bf16_flops.source);
    if (!p.guide) return out;
    const auto& g = *p.guide;
    out += fmt::format("  guide: batch {} daily, {} hourly, {} workers, {} and {} GB a model\n",
                       g.batch_size_1d, g.batch_size_1h, g.max_workers, g.memory_per_model_1d_gb,
                       g.memory_per_model_1h_gb);
    out += fmt::format("  guide's formula: five hourly models in {:.0f} minutes\n",
                       gpu_guide::training_minutes(g, "1h"));
    for (const auto& warning : gpu_guide::warnings(p)) out += "  warning: " + warning + "\n";
    return out;
}

std::string recommendation(const GpuProfile& recommended, const DetectedGpu& on) {
    return fmt::format("{} with {}: use {} (GPU_PROFILE={})\n", on.name, gigabytes(on.total_bytes),
                       recommended.name, recommended.id);
}

std::string check(const GpuProfile& profile, const gpu_guide::Check& result) {
    std::string out =
        fmt::format("{}: {:.1f} of {:.0f} GB, {}\n", profile.id, result.total_gb,
                    result.required_gb, result.enough_memory ? "enough" : "not enough");
    for (const auto& warning : result.warnings) out += "  warning: " + warning + "\n";
    return out;
}

std::string naics_suggestions(std::span<const naics::Suggestion> suggestions) {
    std::string out;
    for (const auto& s : suggestions) {
        out += fmt::format(
            "{}: batch_size {}, n_positives {}, n_negatives {}, "
            "accumulate_grad_batches {}, effective {}, {:.1f} % of the card ({})\n",
            s.stage, s.batch, s.positives, s.negatives, s.accumulation, s.effective_batch,
            s.utilisation_percent, to_string(naics::judge_utilisation(s.utilisation_percent)));
        const auto& b = s.breakdown;
        out += fmt::format(
            "  model {:.1f}, optimizer {:.1f}, gradients {:.1f}, activations {:.1f}, "
            "batch data {:.1f}, overhead {:.0f}, total {:.1f} MiB\n",
            b.model, b.optimizer, b.gradients, b.activations, b.batch_data, b.overhead,
            b.total_mib());
    }
    return out;
}

std::string causes(std::span<const Cause> list) {
    std::string out;
    int rank = 0;
    for (const auto& c : list)
        out += fmt::format("{}. {}: {} ({}){}\n", ++rank, c.cause, c.change, c.gain,
                           c.from_guide ? " [guide]" : "");
    return out;
}

}  // namespace plimsoll::training::text
