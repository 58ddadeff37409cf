#pragma once

#include "engine/waves_device/runner.hpp"

namespace plimsoll::waves {

// Assembles the result of one series from its lanes: ranks the counts that the device kept, like
// the processor, and decides whether they were enough.
class Gathering {
  public:
    // Capacity of a lane at first: this many counts, whatever their score.
    static std::uint32_t first_capacity(const SearchInput& input);
    static Keeping first_keeping(const FamilyView& family, const SearchInput& input);

    Gathering(const SearchInput& input, const Settings& settings, std::size_t keep);

    // Takes the lane of a direction; called again if it was searched with other floors.
    void take(const FamilyView& family, bool rising, LaneResult lane);

    // The floors with which the lanes must be searched again, since relevant counts may have been
    // dropped. None: done.
    std::vector<std::pair<bool, Keeping>> missing();

    // Whether max_combinations may have ended a window: only a sequential search can tell at which
    // start.
    bool may_be_cut() const;

    SearchResult result();

  private:
    struct Side {
        FamilyView family;
        LaneResult lane;
        std::vector<double> floors;  // empty: no floor
    };
    void rank();
    void add_lane(const Side& side, bool rising, Pool& counts, Pool& open) const;
    double standing_reached_by(std::size_t count) const;

    const SearchInput& input_;
    const Settings& settings_;
    std::size_t keep_;
    std::size_t target_;  // minimum number of counts that the floors leave
    Rarity rarity_;
    std::map<bool, Side> sides_;  // by rising
    std::vector<Found> counts_, open_;
    bool more_ = false;
};

}  // namespace plimsoll::waves
