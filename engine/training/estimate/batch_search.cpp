#include "engine/training/estimate/batch_search.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::training {

// Same framework and a Hopper card: the comparison applies. Other cards take other attention
// kernels and are extrapolated; cuDNN's LSTM reserve is assumed.
Band band_of(const ModelShape& shape, const TrainingSettings& settings, const GpuProfile& gpu) {
    if (shape.family == Family::lstm) return {0.75, 1.35};
    Band band{0.98, 1.03};
    if (shape.family == Family::naics) band = {0.95, 1.06};
    if (gpu.compute_capability != 90) band = {band.low - 0.03, band.high + 0.03};
    if (settings.padded) band.high += 0.02;
    return band;
}

std::string_view to_string(Fit fit) {
    switch (fit) {
        case Fit::yes:
            return "yes";
        case Fit::tight:
            return "tight";
        case Fit::no:
            return "no";
    }
    return "";
}

std::int64_t ReservedByBatch::operator()(std::int64_t batch) {
    const auto known = known_.find(batch);
    if (known != known_.end()) return known->second;
    auto settings = settings_;
    settings.batch = batch;
    const auto bytes = peak_reserved(shape_, settings, device_, options_);
    known_.emplace(batch, bytes);
    return bytes;
}

namespace {

// Largest batch within the limit, 0 if none: secant steps between a batch that fits and one that
// does not, with halving as the fallback.
std::int64_t largest_fitting(ReservedByBatch& reserved, std::int64_t limit, std::int64_t highest) {
    if (reserved(1) > limit) return 0;
    std::int64_t low = 1, high = highest + 1;  // high does not fit, or is out of bounds
    std::int64_t probe = std::min<std::int64_t>(16, highest);
    while (high - low > 1) {
        probe = std::clamp(probe, low + 1, high - 1);
        const std::int64_t bytes = reserved(probe);
        const std::int64_t from = low;
        if (bytes <= limit)
            low = probe;
        else
            high = probe;
        const double slope =
            static_cast<double>(bytes - reserved(from)) / static_cast<double>(probe - from);
        if (slope <= 0) {
            probe = low + (high - low) / 2;
            continue;
        }
        const double room = static_cast<double>(limit - reserved(low)) / slope;
        const auto predicted = low + static_cast<std::int64_t>(std::min(room, 1e9));
        // Next to the prediction the answer is bracketed by one step more.
        probe = predicted <= low ? low + 1 : predicted >= high ? high - 1 : predicted;
        if (high > highest && probe < highest && predicted > 2 * low && low > 64)
            probe = std::min(predicted, highest);
    }
    return low;
}

std::int64_t rounded(std::int64_t batch) {
    if (batch >= 16) return batch / 8 * 8;
    if (batch >= 8) return 8;
    return batch;
}

}  // namespace

Result<BatchLimits> find_batch(const ModelShape& shape, const TrainingSettings& settings,
                               const GpuProfile& gpu, const SearchOptions& options,
                               ReservedByBatch& reserved) {
    if (!std::isfinite(options.safety) || options.safety <= 0 || options.safety > 1)
        return fail(Errc::invalid_input, "The safety margin must lie above 0 and up to 1.",
                    "/safety");
    if (options.highest_batch < 1)
        return fail(Errc::invalid_input, "The highest batch must be at least 1.", "/highest_batch");
    BatchLimits out;
    const double total = static_cast<double>(gpu.total_bytes()) * options.safety;
    out.limit_bytes = static_cast<std::int64_t>(total) - (gpu.total_bytes() - gpu.usable_bytes()) -
                      options.reserved_elsewhere;
    out.max_batch = largest_fitting(reserved, out.limit_bytes, options.highest_batch);
    if (out.max_batch == 0) return out;
    out.recommended_batch = rounded(out.max_batch);
    out.reserved_at_recommended = reserved(out.recommended_batch);
    const auto band = band_of(shape, settings, gpu);
    const double upper = static_cast<double>(out.reserved_at_recommended) * band.high;
    out.fit = upper <= static_cast<double>(gpu.usable_bytes() - options.reserved_elsewhere)
                  ? Fit::yes
                  : Fit::tight;
    return out;
}

}  // namespace plimsoll::training
