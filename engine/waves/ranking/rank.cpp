#include "engine/waves/ranking/rank.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::waves {

Pool::Pool(std::size_t capacity, bool repeats)
    : capacity_(std::max<std::size_t>(capacity, 1)), repeats_(repeats) {}

void Pool::compact() {
    if (repeats_) {
        sort_out();
    } else if (items_.size() > capacity_) {
        const auto last = items_.begin() + static_cast<std::ptrdiff_t>(capacity_) - 1;
        std::ranges::nth_element(items_, last, better);
    }
    if (items_.size() < capacity_) return;
    items_.resize(capacity_);
    overflowed_ = true;
    last_ = items_.back();
}

void Pool::sort_out() {
    std::ranges::sort(items_, better);
    const auto same = [](const Found& a, const Found& b) { return a.same_count(b); };
    const auto rest = std::ranges::unique(items_, same);
    items_.erase(rest.begin(), rest.end());
}

std::vector<Found> Pool::take() {
    compact();
    sort_out();
    return std::exchange(items_, {});
}

double overlap(const Found& a, const Found& b) {
    const std::int32_t shared = std::min(a.end(), b.end()) - std::max(a.begin(), b.begin()) + 1;
    if (shared <= 0) return 0;
    const std::int32_t joint = std::max(a.end(), b.end()) - std::min(a.begin(), b.begin()) + 1;
    return static_cast<double>(shared) / joint;
}

std::vector<Ranked> rank(std::span<const Found> candidates, std::size_t max, double max_overlap,
                         std::size_t alternates) {
    std::vector<Ranked> ranking;
    std::size_t missing = max * alternates;  // places for alternates that are still free
    for (const Found& candidate : candidates) {
        if (ranking.size() == max && missing == 0) break;
        // No two spans overlap by more than 1.
        const auto winner = max_overlap >= 1
                                ? ranking.end()
                                : std::ranges::find_if(ranking, [&](const Ranked& kept) {
                                      return overlap(kept.count, candidate) > max_overlap;
                                  });
        if (winner == ranking.end()) {
            if (ranking.size() == max) {
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
