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

double out_of_memory_probability(std::int64_t reserved, std::int64_t available, const Band& band) {
    constexpr double z95 = 1.6448536269514722;
    if (available <= 0) return 1;
    const double room = static_cast<double>(available) / static_cast<double>(reserved) - 1;
    const double deviation = (room >= 0 ? band.high - 1 : 1 - band.low) / z95;
    return std::erfc(room / deviation / std::sqrt(2.0)) / 2;
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

std::int64_t reserve_limit(const GpuProfile& gpu, const SearchOptions& options) {
    const double total = static_cast<double>(gpu.total_bytes()) * options.safety;
    return static_cast<std::int64_t>(total) - (gpu.total_bytes() - gpu.usable_bytes()) -
           options.reserved_elsewhere;
}

std::int64_t corrected(std::int64_t reserved, const SearchOptions& options) {
    return std::llround(static_cast<double>(reserved) * options.correction);
}

const Work& FootprintByBatch::work(std::int64_t batch) {
    const auto known = works_.find(batch);
    if (known != works_.end()) return known->second;
    auto settings = settings_;
    settings.batch = batch;
    auto tape = record_tape(shape_, settings, device_);
    const auto& work = works_.emplace(batch, tape.work).first->second;
    tapes_.emplace(batch, std::move(tape));
    return work;
}

std::int64_t FootprintByBatch::reserved(std::int64_t batch) {
    const auto known = reserved_.find(batch);
    if (known != reserved_.end()) return known->second;
    work(batch);
    const auto tape = tapes_.extract(batch);
    return reserved_.emplace(batch, peaks_(tape.mapped(), options_)).first->second;
}

void FootprintByBatch::learn(std::int64_t batch, const Estimate& estimate) {
    works_.emplace(batch, estimate.work);
    reserved_.emplace(batch, estimate.peak_reserved);
}

namespace {

// Memory that does not depend on the batch: weights, gradients and two optimizer tensors. Only the
// first prediction of the search uses it.
std::int64_t state_bytes(const ModelShape& shape, const TrainingSettings& settings) {
    const auto parameters = list_parameters(shape, settings);
    return settings.weight_bytes() * (count(parameters, false) + 3 * count(parameters, true));
}

// Largest batch within the limit, 0 if none. Memory is a line but for the allocator's rounding: the
// line through the last batch and the one before predicts the answer, neighbours confirm it, and
// halving helps where memory is no line.
std::int64_t largest_fitting(FootprintByBatch& footprints, std::int64_t limit, std::int64_t highest,
                             std::int64_t state) {
    struct Point {
        std::int64_t batch = 0;
        std::int64_t bytes = 0;
    };
    constexpr int predictions = 8;
    Point low, origin{0, state};      // low fits (or is 0)
    std::int64_t high = highest + 1;  // does not (or is too many)
    Point last{std::min(kFirstTried[0], highest), 0};
    for (std::size_t tried = 1; high - low.batch > 1; ++tried) {
        last.bytes = footprints.reserved(last.batch);
        if (last.bytes <= limit)
            low = last;
        else
            high = last.batch;
        const double slope = static_cast<double>(last.bytes - origin.bytes) /
                             static_cast<double>(last.batch - origin.batch);
        // Rounding spoils the line through close neighbours.
        if (tried <= kFirstTried.size()) origin = last;
        const Point& from = low.batch > 0 ? low : last;
        const double predicted =
            static_cast<double>(from.batch) + static_cast<double>(limit - from.bytes) / slope;
        const bool usable = slope > 0 && predicted >= 1 && predicted < static_cast<double>(high);
        if (tried < kFirstTried.size() && last.bytes <= limit)
            last.batch = kFirstTried[tried];
        else if (usable && tried < predictions)
            last.batch = static_cast<std::int64_t>(predicted);
        else
            last.batch = low.batch + (high - low.batch) / (low.batch == 0 ? 4 : 2);
        last.batch = std::clamp(last.batch, low.batch + 1, std::max(low.batch + 1, high - 1));
    }
    return low.batch;
}

std::int64_t rounded(std::int64_t batch) {
    if (batch >= 16) return batch / 8 * 8;
    if (batch >= 8) return 8;
    return batch;
}

}  // namespace

Result<BatchLimits> find_batch(const ModelShape& shape, const TrainingSettings& settings,
                               const GpuProfile& gpu, const SearchOptions& options,
                               FootprintByBatch& footprints) {
    if (!std::isfinite(options.safety) || options.safety <= 0 || options.safety > 1)
        return fail(Errc::invalid_input, "The safety margin must lie above 0 and up to 1.",
                    "/safety");
    if (!(options.correction > 0.1 && options.correction < 10))
        return fail(Errc::invalid_input, "The correction must lie between 0.1 and 10.",
                    "/correction/factor");
    if (options.highest_batch < 1)
        return fail(Errc::invalid_input, "The highest batch must be at least 1.", "/highest_batch");
    BatchLimits out;
    out.limit_bytes = reserve_limit(gpu, options);
    const auto uncorrected =
        static_cast<std::int64_t>(static_cast<double>(out.limit_bytes) / options.correction);
    out.max_batch = largest_fitting(footprints, uncorrected, options.highest_batch,
                                    state_bytes(shape, settings));
    if (out.max_batch == 0) return out;
    out.round_batch = rounded(out.max_batch);
    const auto reserved = corrected(footprints.reserved(out.round_batch), options);
    const auto band = band_of(shape, settings, gpu);
    const double upper = static_cast<double>(reserved) * band.high;
    out.fit = upper <= static_cast<double>(gpu.usable_bytes() - options.reserved_elsewhere)
                  ? Fit::yes
                  : Fit::tight;
    return out;
}

}  // namespace plimsoll::training
