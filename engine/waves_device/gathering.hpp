#pragma once

#include "engine/waves_device/runner.hpp"

namespace plimsoll::waves {

// Makes the result of one series out of what its lanes found: ranks what the device kept as the
// processor does, and says whether that was enough.
class Gathering {
  public:
    // What a lane keeps at first: this many counts, whatever they score.
    static std::uint32_t first_capacity(const SearchInput& input);
    static Keeping first_keeping(const FamilyView& family, const SearchInput& input);

    Gathering(const SearchInput& input, const Settings& settings, std::size_t keep);

    // The lane of a direction, later again with other floors.
    void take(const FamilyView& family, bool rising, LaneResult lane);

    // When the lanes of this series must be searched again since not all that may matter was kept:
    // with these. None: it is done.
    std::vector<std::pair<bool, Keeping>> missing();

    // Whether max_combinations may have ended a window: which start it ends at is for a search to
    // say that goes from one start to the next.
    bool may_be_cut() const;

    SearchResult result();

  private:
    struct Side {
        FamilyView family;
        LaneResult lane;
        std::vector<double> floors;  // empty: all was wanted
    };
    void rank();
    void add_lane(const Side& side, bool rising, Pool& counts, Pool& open) const;
    double standing_reached_by(std::size_t count) const;

    const SearchInput& input_;
    const Settings& settings_;
    std::size_t keep_;
    std::size_t target_;  // counts that the floors leave, at least
    Rarity rarity_;
    std::map<bool, Side> sides_;  // by rising
    std::vector<Found> counts_, open_;
    bool more_ = false;
};

}  // namespace plimsoll::waves
