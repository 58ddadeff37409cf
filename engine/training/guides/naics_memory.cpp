#include "engine/training/guides/naics_memory.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::training::naics {
namespace {

constexpr double kMiB = 1024.0 * 1024;

}  // namespace

std::int64_t parameters(const Model& m) {
    const std::int64_t d = m.hidden;
    const std::int64_t joined = d * m.channels;
    const std::int64_t base = m.parameters_per_channel * m.channels;
    const std::int64_t lora = 2 * m.lora_rank * d * 50 * m.channels;
    const std::int64_t experts = 2 * joined * m.expert_hidden * m.experts;
    const std::int64_t gate = joined * m.experts;
    const std::int64_t projection = joined * d;
    return base + lora + experts + gate + projection;
}

Breakdown memory(const Model& m, int batch, int negatives) {
    const double width = m.half_precision ? 2 : 4;
    const double p = static_cast<double>(parameters(m));
    const double texts = static_cast<double>(batch) * (2 + negatives);
    const double length = m.max_length;
    const double d = m.hidden;
    const double per_channel = length * length * 12 + m.layers * length * d * 4;
    const double per_text = m.channels * per_channel + m.channels * d * 2 +
                            static_cast<double>(m.expert_hidden) * m.top_k * 2 + d * 2;
    Breakdown b;
    b.model = p * width / kMiB;
    b.gradients = b.model;
    b.optimizer = p * 8 / kMiB;
    b.activations = per_text * texts * (m.checkpointing ? 0.25 : 1) * width / kMiB;
    b.batch_data = m.channels * length * 2 * 8 * texts / kMiB;
    return b;
}

Suggestion suggest(const Model& model, const Search& search, int positives, int negatives,
                   std::string_view stage) {
    const double limit = search.gpu_gib * 1024 * search.safety;
    int low = 1;
    int high = search.highest_batch;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (memory(model, middle, negatives).total_mib() <= limit)
            low = middle;
        else
            high = middle - 1;
    }
    Suggestion s;
    s.stage = stage;
    s.batch = low;
    s.positives = positives;
    s.negatives = negatives;
    s.accumulation = std::max(1, search.target_effective_batch / low);
    s.effective_batch = s.batch * s.accumulation;
    s.breakdown = memory(model, low, negatives);
    s.utilisation_percent = s.breakdown.total_mib() / (search.gpu_gib * 1024) * 100;
    return s;
}

Result<std::vector<Suggestion>> suggest_stages(const Model& model, const Search& search) {
    if (!std::isfinite(search.gpu_gib) || search.gpu_gib <= 0 || search.gpu_gib > 4096)
        return fail(Errc::invalid_input, "The GPU memory must be above 0 and at most 4096 GiB.",
                    "/gpu_memory");
    if (!std::isfinite(search.safety) || search.safety <= 0 || search.safety > 1)
        return fail(Errc::invalid_input, "The safety margin must be above 0 and at most 1.",
                    "/safety_margin");
    if (search.target_effective_batch < 1)
        return fail(Errc::invalid_input, "The target effective batch must be at least 1.",
                    "/target_effective_batch");
    std::vector<Suggestion> all;
    for (const auto& stage : kCurriculum)
        all.push_back(suggest(model, search, stage.positives, stage.negatives, stage.name));
    return all;
}

Load judge_utilisation(double percent) {
    if (percent > 95) return Load::risky;
    if (percent > 85) return Load::good;
    if (percent < 60) return Load::underused;
    return Load::reasonable;
}

Result<BackOff> back_off(int batch, int accumulation) {
    if (batch < 2)
        return fail(Errc::invalid_input, "A batch of 1 cannot be reduced.", "/batch_size");
    if (accumulation < 1)
        return fail(Errc::invalid_input, "Accumulation must be at least 1.", "/accumulation");
    const int smaller = std::max(1, static_cast<int>(std::lround(batch * 0.75)));
    const long product = static_cast<long>(batch) * accumulation;
    return BackOff{smaller, static_cast<int>((product + smaller - 1) / smaller)};
}

}  // namespace plimsoll::training::naics
