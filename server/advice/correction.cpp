#include "server/advice/correction.hpp"

#include <algorithm>

namespace plimsoll::advice {

Correction correct(const std::vector<Measurement>& newest_first, std::string_view comparison_key) {
    Correction out;
    std::vector<double> ratios;
    for (const auto& m : newest_first) {
        if (m.comparison_key != comparison_key || out.evidence.size() == kMostEvidence) continue;
        out.evidence.push_back(m);
        ratios.push_back(static_cast<double>(m.measured_bytes) /
                         static_cast<double>(m.predicted_bytes));
    }
    if (ratios.empty()) return out;
    std::ranges::sort(ratios);
    const auto middle = ratios.size() / 2;
    const double median =
        ratios.size() % 2 == 1 ? ratios[middle] : (ratios[middle - 1] + ratios[middle]) / 2;
    out.factor = std::clamp(median, 0.2, 5.0);
    return out;
}

}  // namespace plimsoll::advice
