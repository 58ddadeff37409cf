#pragma once

#include "engine/waves/ranking/found.hpp"

#include <cstddef>
#include <limits>
#include <vector>

namespace plimsoll::waves {

// The best counts of a search, without duplicates from overlapping windows. Exact: the result does
// not depend on the order of insertion. Memory: twice the capacity.
class Pool {
  public:
    // `repeats`: the same count may be added more than once.
    Pool(std::size_t capacity, bool repeats);

    // Counts of lower standing are rejected; below every standing while the pool has room.
    double threshold() const { return last_.standing; }
    void add(const Found& found) {
        if (!better(found, last_)) return;
        items_.push_back(found);
        if (items_.size() >= 2 * capacity_) compact();
    }
    // Best first; the pool is empty afterwards.
    std::vector<Found> take();
    // Whether a count may have been dropped: the pool was full once.
    bool overflowed() const { return overflowed_; }

  private:
    void compact();
    void sort_out();

    std::size_t capacity_;
    bool repeats_;
    std::vector<Found> items_;
    Found last_{.standing = -std::numeric_limits<double>::infinity()};  // the worst of a full pool
    bool overflowed_ = false;
};

}  // namespace plimsoll::waves
