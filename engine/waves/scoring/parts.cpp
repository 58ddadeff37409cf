#include "engine/waves/scoring/parts.hpp"

#include <algorithm>

namespace plimsoll::waves {

std::string_view to_string(Part part) {
    constexpr std::array<std::string_view, kParts> kNames = {
        "fibonacci", "time", "alternation", "channel", "margins", "rules", "complexity"};
    return kNames[static_cast<std::size_t>(part)];
}

double total(const Parts& parts, const Weights& weights) {
    double sum = 0;
    double weight = 0;
    for (std::size_t i = 0; i < kParts; ++i) {
        if (((parts.present >> i) & 1) == 0) continue;
        sum += weights.value[i] * parts.value[i];
        weight += weights.value[i];
    }
    return weight > 0 ? std::clamp(sum / weight, 0.0, 1.0) : 0;
}

}  // namespace plimsoll::waves
