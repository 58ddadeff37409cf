#pragma once

#include "engine/waves/ranking/found.hpp"
#include "engine/waves/search/bar_table.hpp"
#include "engine/waves/settings/settings.hpp"

#include <array>
#include <memory>
#include <vector>

namespace plimsoll::waves {

// Keeps the counts of a growing series, every bar a start, up to date: a new bar searches only
// those starts again whose search looked at the end of the data. Most are settled early, since a
// wave that was undercut or a rule that broke ends their search before that. The settings' mode,
// patterns, directions, up_to and weights count; windows, filters and caps do not.
class Tracker {
  public:
    explicit Tracker(Settings settings);
    ~Tracker();
    Tracker(const Tracker&) = delete;
    Tracker& operator=(const Tracker&) = delete;

    // Low and high of the next bar: positive, finite, high at least low.
    void append(double low, double high);

    // What a search of the whole series would find, best first.
    std::vector<Found> counts() const;
    std::vector<Found> open() const;  // under way at the last bar
    // Starts, rising and falling ones, that the last bar made search again.
    std::size_t searched() const { return searched_; }

  private:
    struct Side;

    std::vector<Found> ranked(std::vector<Found> all) const;

    Settings settings_;
    std::vector<double> lows_, highs_;
    BarTable table_;
    std::unique_ptr<std::array<Side, 2>> sides_;  // rising, falling
    std::size_t searched_ = 0;
};

}  // namespace plimsoll::waves
