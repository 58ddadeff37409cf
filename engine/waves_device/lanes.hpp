#pragma once

#include "engine/waves/scan/search_device.hpp"
#include "engine/waves_device/family.hpp"
#include "engine/waves_device/flavour.hpp"

#include <map>

namespace plimsoll::waves {

// The concatenated series of a batch.
struct BatchPrices {
    std::vector<double> lows, highs;
    std::vector<std::int32_t> series;  // first bar and number of bars of each series

    explicit BatchPrices(std::span<const SearchInput> inputs);
    std::size_t bars() const { return lows.size(); }
};

// A direction of a series.
struct Lane {
    std::size_t input = 0;
    bool rising = true;
};

// The lane arrays that a search launch reads; the layout is that of
// engine/kernels/waves/waves_search.cl.
struct LanePlan {
    std::vector<std::int32_t> lanes, items, visits;
    std::vector<std::int32_t> first_items;  // of each lane, followed by the total
    std::vector<double> item_work;          // see Flavour::work_per_launch

    LanePlan(std::span<const Lane> lanes, std::span<const SearchInput> inputs,
             const BatchPrices& prices, const Flavour& flavour);
    std::size_t item_count() const { return item_work.size(); }

  private:
    struct Range {
        std::int32_t begin = 0, end = 0;
    };
    Range visits_of(const Itinerary& itinerary, bool rising);
    std::map<std::pair<const Itinerary*, bool>, Range> known_;  // shared by chance series
};

}  // namespace plimsoll::waves
