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
    std::size_t missing = most * alternates;  // places for alternates that are still free
    for (const Found& candidate : candidates) {
        if (ranking.size() == most && missing == 0) break;
        // No two spans overlap by more than 1.
        const auto winner = max_overlap >= 1
                                ? ranking.end()
                                : std::ranges::find_if(ranking, [&](const Ranked& kept) {
                                      return overlap(kept.count, candidate) > max_overlap;
                                  });
        if (winner == ranking.end()) {
            if (ranking.size() == most) {
                if (max_overlap >= 1) break;
                continue;  // alternates may still follow
            }
            ranking.push_back({candidate, {}});
        } else if (winner->alternates.size() < alternates) {
            winner->alternates.push_back(candidate);
            --missing;
        }
    }
    return ranking;
}

}  // namespace plimsoll::waves
