#include "engine/sentiment/vader/contrast.hpp"

#include <map>
#include <set>

namespace plimsoll::sentiment::vader {
namespace {

double turned(const Contribution& at, std::uint32_t turn) {
    if (at.token == turn) return at.valence;
    return at.valence * (at.token < turn ? 0.5 : 1.5);
}

void scan(std::vector<Contribution>& all, std::uint32_t turn) {
    for (std::size_t k = 0; k < all.size(); ++k) {
        std::size_t first = 0;
        while (all[first].valence != all[k].valence) ++first;
        all[first].valence = turned(all[first], turn);
    }
}

// The same in O(n log n): a text of many thousand words must not take seconds.
void scan_indexed(std::vector<Contribution>& all, std::uint32_t turn) {
    std::map<double, std::set<std::size_t>> places;
    for (std::size_t k = 0; k < all.size(); ++k) places[all[k].valence].insert(k);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto same = places.find(all[k].valence);
        const std::size_t first = *same->second.begin();
        const double value = turned(all[first], turn);
        same->second.erase(first);
        if (same->second.empty()) places.erase(same);
        places[value].insert(first);
        all[first].valence = value;
    }
}

}  // namespace

void apply_contrast(std::vector<Contribution>& contributions, std::uint32_t turn) {
    constexpr std::size_t kScanUpTo = 256;
    if (contributions.size() <= kScanUpTo) {
        scan(contributions, turn);
    } else {
        scan_indexed(contributions, turn);
    }
}

}  // namespace plimsoll::sentiment::vader
