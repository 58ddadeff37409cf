#include "engine/training/estimate/batch_search.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace plimsoll::training {

const TapeLine& RunTapes::at(std::int64_t batch) {
    for (const auto& line : lines_)
        if (line.covers(batch)) return line;
    const auto known = single_.find(batch);
    return known != single_.end() ? known->second : record(batch);
}

const TapeLine& RunTapes::record(std::int64_t batch) {
    auto settings = settings_;
    settings.batch = batch;
    TapeLine one(record_tape(shape_, settings, device_), batch, device_);
    for (auto& line : lines_)
        if (line.extend(one)) return line;
    const auto added = single_.emplace(batch, std::move(one)).first;
    const auto* line = draw_line(added);
    return line != nullptr ? *line : added->second;
}

// Through the tape and its neighbours on no line: two give it, the one between them confirms it.
const TapeLine* RunTapes::draw_line(Singles::iterator added) {
    constexpr int points = 3;
    auto first = added;
    for (int back = 1; back < points && first != single_.begin(); ++back) --first;
    for (;; ++first) {
        auto last = first;
        for (int on = 1; on < points; ++on)
            if (++last == single_.end()) return nullptr;
        if (auto line = TapeLine::through(first->second, last->second);
            line && line->extend(std::next(first)->second)) {
            single_.erase(first, std::next(last));
            return &lines_.emplace_back(std::move(*line));
        }
        if (first == added) return nullptr;
    }
}

std::int64_t FootprintByBatch::reserved(std::int64_t batch) {
    const auto known = reserved_.find(batch);
    if (known != reserved_.end()) return known->second;
    work(batch);
    return reserved_.emplace(batch, glance(batch)).first->second;
}

std::int64_t FootprintByBatch::glance(std::int64_t batch) {
    return peaks_(tapes_.at(batch), batch, device_, options_);
}

const Work& FootprintByBatch::work(std::int64_t batch) {
    const auto known = works_.find(batch);
    if (known != works_.end()) return known->second;
    return works_.emplace(batch, tapes_.at(batch).work_at(batch, device_)).first->second;
}

void FootprintByBatch::learn(std::int64_t batch, const Estimate& estimate) {
    works_.emplace(batch, estimate.work);
    reserved_.emplace(batch, estimate.peak_reserved);
}

// Same framework and a Hopper card: the comparison applies. Other cards take other attention
// kernels and are extrapolated; cuDNN's LSTM reserve follows from two runs.
Band band_of(const ModelShape& shape, const TrainingSettings& settings, const GpuProfile& gpu) {
    if (shape.family == Family::lstm) return {0.9, 1.15};
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

std::int64_t reserve_limit(const GpuProfile& gpu, const SearchOptions& options) {
    const double total = static_cast<double>(gpu.total_bytes()) * options.safety;
    return static_cast<std::int64_t>(total) - (gpu.total_bytes() - gpu.usable_bytes()) -
           options.reserved_elsewhere;
}

std::int64_t corrected(std::int64_t reserved, const SearchOptions& options) {
    return std::llround(static_cast<double>(reserved) * options.correction);
}

namespace {

// Largest batch within the limit, 0 if none. The tensors' memory is linear except for the peak's
// phase, and much cheaper to compute than the reserved memory: it predicts the result, replays of
// predicted batches correct the prediction, neighbours confirm it, and bisection is the fallback
// where memory is not linear.
std::int64_t largest_fitting(FootprintByBatch& footprints, std::int64_t limit,
                             std::int64_t highest) {
    struct Point {
        std::int64_t batch = 0;
        double bytes = 0;
    };
    const auto tensors = [&](std::int64_t batch) {
        return Point{batch, static_cast<double>(footprints.peak_alive(batch))};
    };
    const auto slope = [](const Point& a, const Point& b) {
        return (b.bytes - a.bytes) / static_cast<double>(b.batch - a.batch);
    };
    constexpr double usually_lost = 1.02;
    constexpr int predictions = 8;
    const auto room = static_cast<double>(limit);
    Point low;                   // fits (or is 0)
    Point high{highest + 1, 0};  // does not (or is too many, without bytes)
    const auto clamped = [&](double batch) {
        const auto max = static_cast<double>(std::max(low.batch + 1, high.batch - 1));
        return static_cast<std::int64_t>(
            std::clamp(std::floor(batch), static_cast<double>(low.batch + 1), max));
    };
    const Point few = tensors(std::min(kFirstTried[0], highest));
    const Point more = tensors(std::min(kFirstTried[1], std::max(highest, few.batch + 1)));
    double growth = slope(few, more);
    auto next = clamped(growth > 0 ? static_cast<double>(few.batch) +
                                         (room / usually_lost - few.bytes) / growth
                                   : static_cast<double>(highest));
    for (int predicted = 1; high.batch - low.batch > 1; ++predicted) {
        const Point alive = tensors(next);
        const bool surely_over = alive.bytes > room;
        const Point at{next, surely_over ? alive.bytes * usually_lost
                                         : static_cast<double>(footprints.reserved(next))};
        (at.bytes <= room ? low : high) = at;
        if (alive.batch != few.batch) growth = slope(few, alive);
        const double by_batch = low.batch > 0 && high.bytes > 0
                                    ? slope(low, high)
                                    : growth * at.bytes / std::max(1.0, alive.bytes);
        const double guess = static_cast<double>(at.batch) + (room - at.bytes) / by_batch;
        next = by_batch > 0 && predicted < predictions && std::isfinite(guess)
                   ? clamped(guess)
                   : low.batch + std::max<std::int64_t>(1, (high.batch - low.batch) / 2);
    }
    return low.batch;
}

std::int64_t rounded(std::int64_t batch) {
    if (batch >= 16) return batch / 8 * 8;
    if (batch >= 8) return 8;
    return batch;
}

}  // namespace

Result<BatchLimits> find_batch(const GpuProfile& gpu, const SearchOptions& options,
                               FootprintByBatch& footprints) {
    if (!std::isfinite(options.safety) || options.safety <= 0 || options.safety > 1)
        return fail(Errc::invalid_input, "The safety margin must be above 0 and at most 1.",
                    "/safety_margin");
    if (!(options.correction > 0.1 && options.correction < 10))
        return fail(Errc::invalid_input, "The correction must be between 0.1 and 10.",
                    "/correction/factor");
    if (options.highest_batch < 1)
        return fail(Errc::invalid_input, "The highest batch must be at least 1.", "/highest_batch");
    BatchLimits out;
    out.limit_bytes = reserve_limit(gpu, options);
    const auto uncorrected =
        static_cast<std::int64_t>(static_cast<double>(out.limit_bytes) / options.correction);
    out.max_batch = largest_fitting(footprints, uncorrected, options.highest_batch);
    out.round_batch = rounded(out.max_batch);
    return out;
}

}  // namespace plimsoll::training
