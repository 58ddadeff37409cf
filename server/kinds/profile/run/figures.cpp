#include "server/kinds/profile/run/figures.hpp"

#include <algorithm>

namespace plimsoll::jobs::profile {

using Json = nlohmann::ordered_json;
using profiling::BatchPoint;

namespace {

constexpr double kMilli = 1e3;
constexpr double kMegabyte = 1e6;

// The keys of the guide first.
Json point_json(const BatchPoint& point, double first_items_per_second) {
    Json json{{"batch_size", point.batch},
              {"avg_time_ms", point.timing.mean * kMilli},
              {"items_per_second", point.items_per_second()},
              {"speedup_vs_1", point.items_per_second() / first_items_per_second},
              {"memory_mb", static_cast<double>(point.memory_bytes) / kMegabyte}};
    json.update(timing_json(point.timing));
    return json;
}

const char* queue_note(bool own_memory, bool worth_it, bool enabled) {
    if (!own_memory)
        return "FEATURE_CUDA_STREAMS has no effect: this device reads the host's memory.";
    if (worth_it) {
        return enabled ? "FEATURE_CUDA_STREAMS is on and useful on this device."
                       : "Turn FEATURE_CUDA_STREAMS on: it is useful on this device.";
    }
    return enabled ? "Turn FEATURE_CUDA_STREAMS off: it is useful only above a speedup of 1.1."
                   : "Leave FEATURE_CUDA_STREAMS off: it is useful only above a speedup of 1.1.";
}

}  // namespace

profiling::BatchLimits limits_of(const Request& request) {
    profiling::BatchLimits limits;
    limits.largest_batch = request.largest_batch;
    if (request.latency_ms) limits.latency_seconds = *request.latency_ms / kMilli;
    if (request.memory_mb)
        limits.memory_bytes = static_cast<std::uint64_t>(*request.memory_mb * kMegabyte);
    return limits;
}

Json timing_json(const profiling::Timing& timing) {
    return {{"median_ms", timing.median * kMilli},
            {"p95_ms", timing.p95 * kMilli},
            {"spread_ms", timing.spread * kMilli},
            {"runs", timing.runs},
            {"warm_up_runs", timing.warm_up_runs}};
}

Json rate_json(const profiling::Rate& rate, const std::string& unit, Statistic statistic) {
    const double value =
        statistic == Statistic::fastest ? rate.max_per_second() : rate.per_second();
    Json json{{"name", rate.name},
              {"method", rate.method},
              {"value", value / 1e9},
              {"unit", unit},
              {"fraction_of_peak", or_null(rate.share_of_peak)}};
    json.update(timing_json(rate.timing));
    return json;
}

Json curve_json(const profiling::KneeSearch& search, const std::string& name,
                const std::string& items, std::optional<double> peak) {
    const auto& found = search.recommendation;
    Json points = Json::array();
    for (const auto& point : search.points)
        points.push_back(point_json(point, search.points.front().items_per_second()));
    return {{"name", name},
            {"items", items},
            {"recommended_batch", found.batch ? Json(*found.batch) : Json()},
            {"recommended_items_per_second", found.batch ? Json(found.items_per_second) : Json()},
            {"best_batch", found.batch ? Json(found.best_batch) : Json()},
            {"best_items_per_second", found.batch ? Json(found.best_items_per_second) : Json()},
            {"peak_items_per_second", or_null(peak)},
            {"reason", found.reason},
            {"measured", search.points.size()},
            {"full_sweep", search.full_sweep},
            {"points", std::move(points)}};
}

Json overlap_json(const profiling::Overlap& overlap, bool own_memory, bool enabled) {
    const bool worth_it = own_memory && overlap.speedup() > profiling::kWorthASecondQueue;
    return {{"speedup", overlap.speedup()},
            {"recommended", worth_it},
            {"enabled", enabled},
            {"note", queue_note(own_memory, worth_it, enabled)},
            {"compute_ms", overlap.compute.median * kMilli},
            {"copy_ms", overlap.copy.median * kMilli},
            {"both_ms", overlap.both.median * kMilli}};
}

Json curve_row(const Json& curve) {
    Json row{{"name", curve.at("name")},
             {"value", curve.at("recommended_items_per_second")},
             {"unit", curve.at("items").get<std::string>() + "/s"},
             {"batch", curve.at("recommended_batch")}};
    for (const auto& point : curve.at("points")) {
        if (point.at("batch_size") != row["batch"]) continue;
        for (const auto* member : {"median_ms", "p95_ms", "spread_ms", "runs"})
            row[member] = point.at(member);
        if (const auto& peak = curve.at("peak_items_per_second"); peak.is_number()) {
            row["fraction_of_peak"] =
                point.at("items_per_second").get<double>() / peak.get<double>();
        }
    }
    return row;
}

Json rate_row(const Json& rate) {
    Json row;
    for (const auto* member : {"name", "value", "unit", "median_ms", "p95_ms", "spread_ms", "runs",
                               "fraction_of_peak"}) {
        row[member] = rate.at(member);
    }
    return row;
}

}  // namespace plimsoll::jobs::profile
