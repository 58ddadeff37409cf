#include "engine/waves/ranking/pool.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::waves {

Pool::Pool(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

void Pool::compact() {
    std::ranges::sort(items_, better);
    const auto same = [](const Found& a, const Found& b) { return a.same_count(b); };
    const auto rest = std::ranges::unique(items_, same);
    items_.erase(rest.begin(), rest.end());
    if (items_.size() > capacity_) {
        items_.resize(capacity_);
        overflowed_ = true;
    }
    if (items_.size() == capacity_) threshold_ = items_.back().standing;
}

std::vector<Found> Pool::take() {
    compact();
    return std::exchange(items_, {});
}

}  // namespace plimsoll::waves
