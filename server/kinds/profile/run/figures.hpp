#pragma once

#include "engine/base/watch.hpp"
#include "engine/opencl/runtime/device.hpp"
#include "engine/profiling/device/rates.hpp"
#include "engine/profiling/model_profile.hpp"
#include "server/kinds/profile/contract/request.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::profile {

using Json = nlohmann::ordered_json;

// The output of a part: the result row that summarizes it ("name", "value", "unit", "batch",
// "median_ms" …, as available). The area decides its place in the report.
struct PartResult {
    Json row;
};

// One area of a profile: measures its parts one by one, and reports the results.
class Area {
  public:
    virtual ~Area() = default;
    // `part` without the area's name: "peak".
    virtual Result<PartResult> measure(std::string_view part) = 0;
    // The area's member of the report, with the parts that could be measured.
    virtual Json report() const = 0;
};

// The device of `context` itself, with its proven instructions, and with the programs and plans of
// the settings' cache. Errc::not_found, an error of the item, if there is no device. What `context`
// points to outlives the area.
std::unique_ptr<Area> engine_area(const Request& request, const RunContext& context, Watch watch);

// For a job without a task: measures nothing.
std::unique_ptr<Area> no_engine_area();

// A language model behind one of the settings' endpoints; one entry of the guide's `results`.
std::unique_ptr<Area> llm_area(const Request& request, LlmSettings settings, Watch watch);

// A sentiment model, a published one on the device of `context`, which outlives the area; one entry
// of the guide's `results`.
std::unique_ptr<Area> sentiment_area(const Request& request, const RunContext& context,
                                     Watch watch);

// For a job without a task: measures nothing.
std::unique_ptr<Area> no_sentiment_area();

struct SentimentModel {
    profiling::Model model;
    // Device memory recorded in the ledger when it was loaded; empty: it needs none.
    std::function<std::uint64_t()> held_bytes;
};

// The sentiment model of the request with texts of three lengths, "short", "medium" and "long". It
// must not outlive what `context` points to. Errc::unavailable: this worker no longer has it.
Result<SentimentModel> sentiment_model(const Request& request, const RunContext& context);

// A sentiment model and a language model at once, as sentiment_area and llm_area have them; the
// report's `pair`.
std::unique_ptr<Area> pair_area(const Request& request, const RunContext& context,
                                LlmSettings settings, Watch watch);

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
