#include "engine/waves/ranking/rank.hpp"

#include <algorithm>

namespace plimsoll::waves {

double overlap(const Found& a, const Found& b) {
    const std::int32_t shared = std::min(a.end(), b.end()) - std::max(a.begin(), b.begin()) + 1;
    if (shared <= 0) return 0;
    const std::int32_t joint = std::max(a.end(), b.end()) - std::min(a.begin(), b.begin()) + 1;
    return static_cast<double>(shared) / joint;
}

std::vector<Ranked> rank(std::span<const Found> candidates, std::size_t most, double max_overlap,
                         std::size_t alternates) {
    std::vector<Ranked> ranking;
    for (const Found& candidate : candidates) {
        const auto winner = std::ranges::find_if(ranking, [&](const Ranked& kept) {
            return overlap(kept.count, candidate) > max_overlap;
        });
        if (winner == ranking.end()) {
            // Alternates of the kept ones may still follow, further counts may not.
            if (ranking.size() < most) ranking.push_back({candidate, {}, 0});
            continue;
        }
        ++winner->displaced;
        if (winner->alternates.size() < alternates) winner->alternates.push_back(candidate);
    }
    return ranking;
}

}  // namespace plimsoll::waves
