#include "engine/waves/ranking/pool.hpp"

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

}  // namespace plimsoll::waves
