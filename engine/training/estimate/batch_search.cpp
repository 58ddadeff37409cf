#include "engine/training/estimate/batch_search.hpp"

#include "engine/training/tape/layout.hpp"

#include <algorithm>
#include <cmath>
#include <set>

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

namespace {

// Of the first step, the most that its tensors take at once: the allocator reserves no less.
std::int64_t most_alive(const Tape& tape) {
    std::int64_t alive = 0, most = 0;
    for (const auto* list : {&tape.setup, &tape.first})
        for (const auto& event : *list) {
            const auto bytes = tape.buffers[static_cast<std::size_t>(event.buffer)].bytes;
            alive += event.allocates ? bytes : -bytes;
            most = std::max(most, alive);
        }
    return most;
}

}  // namespace

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

bool FootprintByBatch::surely_exceeds(std::int64_t batch, std::int64_t limit) {
    work(batch);
    const auto recorded = tapes_.find(batch);
    return recorded != tapes_.end() && most_alive(recorded->second) > limit;
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
    const auto layout = layout_of(settings);
    const auto trained = count(parameters, true);
    const auto part = [&](bool shards) { return shards ? layout.shard(trained) : trained; };
    return layout.kept_weights(count(parameters, false)) * layout.weight_bytes +
           (layout.offloads_optimizer
                ? 0
                : part(layout.shards_gradients) * layout.compute_bytes +
                      part(layout.shards_optimizer) * 2 * layout.master_bytes);
}

// Largest batch within the limit, 0 if none. Memory is a line but for the allocator's rounding: the
// line between one that fits and one that does not predicts the answer, or before there are both
// the line through the last one and one of at most half of it; neighbours confirm it, and bisection
// is the fallback where memory is not linear. Known batches cost nothing.
std::int64_t largest_fitting(FootprintByBatch& footprints, std::int64_t limit, std::int64_t highest,
                             std::int64_t state) {
    struct Point {
        std::int64_t batch = 0;
        std::int64_t bytes = 0;
    };
    const auto below = [&](std::int64_t batch) {
        const auto& known = footprints.all_reserved();
        const auto above = known.upper_bound(batch);
        if (above == known.begin()) return Point{0, state};
        return Point{std::prev(above)->first, std::prev(above)->second};
    };
    std::set<std::int64_t> first(kFirstTried.begin(), kFirstTried.end());
    for (const auto& [batch, bytes] : footprints.all_reserved()) first.insert(batch);
    constexpr int predictions = 8;
    Point low;                   // fits (or is 0)
    Point high{highest + 1, 0};  // does not (or is too many, without bytes)
    Point last{std::min(kFirstTried[0], highest), 0};
    for (int predicted_ones = 0; high.batch - low.batch > 1;) {
        last.bytes = footprints.reserved(last.batch);
        if (last.bytes <= limit)
            low = last;
        else
            high = last;
        // Rounding spoils the line through close neighbours.
        const bool between = low.batch > 0 && high.bytes > 0;
        const Point from = between ? low : below(last.batch / 2), to = between ? high : last;
        const double slope =
            static_cast<double>(to.bytes - from.bytes) / static_cast<double>(to.batch - from.batch);
        const double predicted =
            static_cast<double>(to.batch) + static_cast<double>(limit - to.bytes) / slope;
        const bool usable =
            slope > 0 && predicted >= 1 && predicted < static_cast<double>(high.batch);
        const auto next = first.upper_bound(last.batch);
        if (predicted_ones == 0 && last.bytes <= limit && next != first.end() && *next <= highest)
            last.batch = *next;
        else if (usable && predicted_ones++ < predictions)
            last.batch = static_cast<std::int64_t>(predicted);
        else
            last.batch = low.batch + (high.batch - low.batch) / (low.batch == 0 ? 4 : 2);
        last.batch = std::clamp(last.batch, low.batch + 1, std::max(low.batch + 1, high.batch - 1));
    }
    return low.batch;
}

std::int64_t rounded(std::int64_t batch) {
    if (batch >= 16) return batch / 8 * 8;
    if (batch >= 8) return 8;
    return batch;
}

}  // namespace

std::vector<std::int64_t> unfitting_below(std::int64_t largest, const BatchLimits& limits,
                                          const SearchOptions& options,
                                          FootprintByBatch& footprints) {
    std::vector<std::int64_t> out;
    for (auto batch = std::max<std::int64_t>(1, largest - kExamined); batch < largest; ++batch)
        if (corrected(footprints.reserved(batch), options) > limits.limit_bytes)
            out.push_back(batch);
    return out;
}

Result<BatchLimits> find_batch(const ModelShape& shape, const TrainingSettings& settings,
                               const GpuProfile& gpu, const SearchOptions& options,
                               FootprintByBatch& footprints) {
    if (!std::isfinite(options.safety) || options.safety <= 0 || options.safety > 1)
        return fail(Errc::invalid_input, "The safety margin must be above 0 and at most 1.",
                    "/safety");
    if (!(options.correction > 0.1 && options.correction < 10))
        return fail(Errc::invalid_input, "The correction must be between 0.1 and 10.",
                    "/correction/factor");
    if (options.highest_batch < 1)
        return fail(Errc::invalid_input, "The highest batch must be at least 1.", "/highest_batch");
    BatchLimits out;
    out.limit_bytes = reserve_limit(gpu, options);
    const auto uncorrected =
        static_cast<std::int64_t>(static_cast<double>(out.limit_bytes) / options.correction);
    out.max_batch = largest_fitting(footprints, uncorrected, options.highest_batch,
                                    state_bytes(shape, settings));
    out.round_batch = rounded(out.max_batch);
    return out;
}

}  // namespace plimsoll::training
