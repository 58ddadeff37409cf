#include "engine/profiling/batches.hpp"

#include "engine/base/format_number.hpp"

#include <algorithm>

namespace plimsoll::profiling {

namespace {

// Which limit a point breaks, as a clause.
std::string broken_limit(const BatchPoint& point, const BatchLimits& limits) {
    const std::string batch = format_count(point.batch);
    if (limits.latency_seconds && point.timing.p95 > *limits.latency_seconds) {
        return "batches of " + batch + " take " + format_figure(point.timing.p95 * 1e3) +
               " ms at the 95th percentile, and the limit is " +
               format_figure(*limits.latency_seconds * 1e3) + " ms";
    }
    return "batches of " + batch + " use " +
           format_figure(static_cast<double>(point.memory_bytes) / 1e6) + " MB, and the limit is " +
           format_figure(static_cast<double>(limits.memory_bytes.value_or(0)) / 1e6) + " MB";
}

}  // namespace

bool BatchLimits::allow(const BatchPoint& point) const {
    return point.batch <= largest_batch &&
           (!latency_seconds || point.timing.p95 <= *latency_seconds) &&
           (!memory_bytes || point.memory_bytes <= *memory_bytes);
}

std::vector<std::int64_t> sweep_batches(std::int64_t largest) {
    std::vector<std::int64_t> batches;
    for (std::int64_t batch = 1; batch < largest;) {
        batches.push_back(batch);
        std::int64_t doubling = 4;
        while (doubling * 2 <= batch) doubling *= 2;
        batch += std::max<std::int64_t>(1, doubling / 4);
    }
    batches.push_back(std::max<std::int64_t>(1, largest));
    return batches;
}

Recommendation recommend(const std::vector<BatchPoint>& points, const BatchLimits& limits) {
    Recommendation result;
    const BatchPoint* ruled_out = nullptr;  // the smallest
    for (const auto& point : points) {
        if (!limits.allow(point)) {
            if (ruled_out == nullptr) ruled_out = &point;
        } else if (point.items_per_second() > result.best_items_per_second) {
            result.best_batch = point.batch;
            result.best_items_per_second = point.items_per_second();
        }
    }
    if (result.best_batch == 0) {
        result.reason = "No batch is within the limits: " + broken_limit(*ruled_out, limits) + ".";
        return result;
    }
    const auto chosen = std::ranges::find_if(points, [&](const BatchPoint& point) {
        return limits.allow(point) &&
               point.items_per_second() >= kNearBest * result.best_items_per_second;
    });
    result.batch = chosen->batch;
    result.items_per_second = chosen->items_per_second();
    result.reason = "The smallest batch within 5 % of the best throughput (" +
                    format_figure(result.best_items_per_second) + " a second at a batch of " +
                    format_count(result.best_batch) + ").";
    if (ruled_out != nullptr) {
        result.reason +=
            " Larger batches exceed the limits: " + broken_limit(*ruled_out, limits) + ".";
    }
    return result;
}

}  // namespace plimsoll::profiling
