#include "engine/training/estimate/oom_batches.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace plimsoll::training {
namespace {

// The known batches of one run on one card.
class Replayed {
  public:
    Replayed(const BatchLimits& limits, const SearchOptions& options, FootprintByBatch& footprints)
        : limits_(limits), options_(options), footprints_(footprints) {}

    // False if it was known.
    bool replay(std::int64_t batch) {
        const auto [place, is_new] = by_batch_.try_emplace(batch);
        if (!is_new) return false;
        const auto reserved = footprints_.glance(batch);
        const auto alive = static_cast<double>(footprints_.peak_alive(batch));
        place->second = {static_cast<double>(reserved) / alive - 1,
                         corrected(reserved, options_) <= limits_.limit_bytes};
        return true;
    }

    bool surely_fits(std::int64_t batch) const {
        double lost = 0;
        for (auto at = by_batch_.lower_bound(batch / 2); at != by_batch_.end(); ++at)
            lost = std::max(lost, at->second.lost);
        const auto alive = static_cast<double>(footprints_.peak_alive(batch));
        return alive * (1 + kMoreLost * lost + kMinLost) * options_.correction <=
               static_cast<double>(limits_.limit_bytes);
    }

    // Below `batch`, the next whose smaller neighbours lost a share that did not count yet. 0:
    // none.
    std::int64_t next_below(std::int64_t batch) const {
        const auto half = by_batch_.lower_bound((batch + 1) / 2);
        return half == by_batch_.begin() ? 0 : std::min(batch - 1, 2 * std::prev(half)->first + 1);
    }

    OomBatches result(std::int64_t largest) const {
        OomBatches out;
        for (const auto& [batch, one] : by_batch_)
            if (!one.fits) out.batches.push_back(batch);
        out.replayed_from = largest;
        while (by_batch_.contains(out.replayed_from - 1)) --out.replayed_from;
        return out;
    }

  private:
    struct One {
        double lost = 0;  // beyond what its tensors take, as a share of it
        bool fits = true;
    };
    const BatchLimits& limits_;
    const SearchOptions& options_;
    FootprintByBatch& footprints_;
    std::map<std::int64_t, One> by_batch_;
};

}  // namespace

OomBatches oom_batches_below(std::int64_t largest, const BatchLimits& limits,
                             const SearchOptions& options, FootprintByBatch& footprints,
                             std::int64_t max_replays) {
    Replayed replayed(limits, options, footprints);
    if (largest < 1) return {};
    const auto near = max_replays > 0 ? max_replays : largest <= kAll ? largest : kNear;
    for (auto batch = largest - 1; batch >= std::max<std::int64_t>(1, largest - near); --batch)
        replayed.replay(batch);
    if (max_replays > 0) return replayed.result(largest);
    for (std::int64_t i = 1; i <= kSpread; ++i)
        replayed.replay(std::max<std::int64_t>(1, largest * i / kSpread));
    for (bool more = true; more;) {
        more = false;
        for (auto batch = largest - 1; batch >= 1;) {
            if (replayed.surely_fits(batch)) {
                batch = replayed.next_below(batch);
            } else {
                more = replayed.replay(batch) || more;
                --batch;
            }
        }
    }
    return replayed.result(largest);
}

}  // namespace plimsoll::training
