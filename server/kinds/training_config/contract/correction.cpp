#include "engine/base/json.hpp"
#include "server/kinds/training_config/contract/measurement.hpp"

#include <algorithm>

namespace plimsoll::jobs::training_config {

Correction correct(const std::vector<TeamRecord>& newest_first, std::string_view comparison_key) {
    Correction out;
    std::vector<double> ratios;
    for (const auto& record : newest_first) {
        if (record.section != comparison_key || ratios.size() == kMaxEvidence) continue;
        const json run = measurement_json(record);
        const std::int64_t predicted = run.at("predicted").at("peak_reserved_bytes");
        const std::int64_t measured = run.at("measured").at("peak_reserved_bytes");
        ratios.push_back(static_cast<double>(measured) / static_cast<double>(predicted));
        out.evidence.push_back({{"id", run.at("id")},
                                {"gpu", run.at("gpu").at("name")},
                                {"gpu_id", run.at("gpu").at("id")},
                                {"step_seconds", run.at("measured").value("step_seconds", json())},
                                {"model", run.at("model")},
                                {"batch", run.at("batch")},
                                {"predicted_bytes", predicted},
                                {"measured_bytes", measured},
                                {"created_at", run.at("created_at")}});
    }
    if (ratios.empty()) return out;
    std::ranges::sort(ratios);
    const auto middle = ratios.size() / 2;
    const double median =
        ratios.size() % 2 == 1 ? ratios[middle] : (ratios[middle - 1] + ratios[middle]) / 2;
    out.factor = std::clamp(median, 0.2, 5.0);
    return out;
}

}  // namespace plimsoll::jobs::training_config
