#pragma once

#include "engine/profiling/device/rates.hpp"
#include "server/kinds/profile/contract/request.hpp"

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::profile {

// Measurements as members of the report.

// null if unknown
inline nlohmann::ordered_json or_null(const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

profiling::BatchLimits limits_of(const Request& request);

// median_ms, p95_ms, spread_ms, runs and warm_up_runs.
nlohmann::ordered_json timing_json(const profiling::Timing& timing);

// `unit` counts 1e9 of `work` per second: "GFLOP/s", "GB/s". A peak reports its fastest run.
enum class Statistic { median, fastest };
nlohmann::ordered_json rate_json(const profiling::Rate& rate, const std::string& unit,
                                 Statistic statistic = Statistic::median);

// `items` names the contents of batches; `peak` is the device's upper bound, if known.
nlohmann::ordered_json curve_json(const profiling::KneeSearch& search, const std::string& name,
                                  const std::string& items, std::optional<double> peak);

// `own_memory`: the device has its own, so there is something to copy; `enabled`: this worker
// copies through a second queue now (FEATURE_CUDA_STREAMS).
nlohmann::ordered_json overlap_json(const profiling::Overlap& overlap, bool own_memory,
                                    bool enabled);

// The result row of a curve and of a rate.
nlohmann::ordered_json curve_row(const nlohmann::ordered_json& curve);
nlohmann::ordered_json rate_row(const nlohmann::ordered_json& rate);

}  // namespace plimsoll::jobs::profile
