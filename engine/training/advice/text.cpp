#include "engine/training/advice/text.hpp"

#include <fmt/format.h>

namespace plimsoll::training::text {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

}  // namespace

std::string gigabytes(std::int64_t bytes) {
    return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / kGiB);
}

std::vector<std::vector<std::string>> profile_rows(std::span<const GpuProfile> profiles) {
    std::vector<std::vector<std::string>> rows = {
        {"PROFILE", "GPU", "MEMORY", "DAILY BATCH", "HOURLY BATCH", "WORKERS"}};
    for (const auto& p : profiles) {
        auto& row = rows.emplace_back(
            std::vector<std::string>{p.id, p.name, gigabytes(p.total_bytes()), "", "", ""});
        if (!p.guide) continue;
        row[3] = std::to_string(p.guide->batch_size_1d);
        row[4] = std::to_string(p.guide->batch_size_1h);
        row[5] = std::to_string(p.guide->max_workers);
    }
    return rows;
}

std::string profile_details(const GpuProfile& p) {
    std::string out = fmt::format("{} ({}, {}", p.name, p.id, p.architecture);
    out += p.is_amd() ? ")\n"
                      : fmt::format(", compute capability {}.{})\n", p.compute_capability / 10,
                                    p.compute_capability % 10);
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
    if (!g.use_case.empty()) out += "  guide: " + g.use_case + "\n";
    if (!g.notes.empty()) out += "  guide: " + g.notes + "\n";
    out += fmt::format("  guide's formula: five hourly models in {:.0f} minutes\n",
                       gpu_guide::training_minutes(g, "1h"));
    for (const auto& warning : gpu_guide::warnings(p)) out += "  warning: " + warning + "\n";
    return out;
}

std::string recommendation(const DetectedGpu& card) {
    const auto profile = profile_for(card);
    return fmt::format(
        "{} with {}: use {}{} (GPU_PROFILE={})\n", card.name, gigabytes(card.total_bytes),
        profile.name, profile_named(card) ? "" : ", the catalogue's closest by memory", profile.id);
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
            "accumulate_grad_batches {}, effective {}, {:.1f} % of the GPU ({})\n",
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
