#pragma once

#include "engine/waves/ranking/found.hpp"

#include <cstddef>
#include <limits>
#include <vector>

namespace plimsoll::waves {

// The best counts of a search, each once however many windows it was found in. Exact: what remains
// does not depend on the order in which counts arrive. Memory: twice the capacity.
class Pool {
  public:
    explicit Pool(std::size_t capacity);

    // A count of lower standing cannot get in any more; none so far: below all.
    double threshold() const { return threshold_; }
    void add(const Found& found) {
        if (found.standing < threshold_) return;
        items_.push_back(found);
        if (items_.size() >= 2 * capacity_) compact();
    }
    // Best first; the pool is empty afterwards.
    std::vector<Found> take();
    // Whether a count was left out.
    bool overflowed() const { return overflowed_; }

  private:
    void compact();

    std::size_t capacity_;
    std::vector<Found> items_;
    double threshold_ = -std::numeric_limits<double>::infinity();
    bool overflowed_ = false;
};

}  // namespace plimsoll::waves
