#include "engine/waves_device/lanes.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::waves {

BatchPrices::BatchPrices(std::span<const SearchInput> inputs) {
    for (const SearchInput& input : inputs) {
        series.push_back(static_cast<std::int32_t>(lows.size()));
        series.push_back(static_cast<std::int32_t>(input.lows.size()));
        lows.insert(lows.end(), input.lows.begin(), input.lows.end());
        highs.insert(highs.end(), input.highs.begin(), input.highs.end());
    }
}

// By bar: results of a start in one window are reused in the next.
LanePlan::Range LanePlan::visits_of(const Itinerary& itinerary, bool rising) {
    const auto [known, fresh] = known_.try_emplace({&itinerary, rising});
    if (!fresh) return known->second;
    std::vector<Start> starts = itinerary.starts(rising);
    if (itinerary.windows.size() > 1)
        std::ranges::sort(starts, {}, [](const Start& it) { return std::pair(it.bar, it.window); });
    known->second.begin = static_cast<std::int32_t>(visits.size() / 3);
    for (const Start& start : starts) {
        const Window& window = itinerary.windows[static_cast<std::size_t>(start.window)];
        visits.insert(visits.end(), {start.bar, window.end, start.window});
    }
    known->second.end = static_cast<std::int32_t>(visits.size() / 3);
    return known->second;
}

LanePlan::LanePlan(std::span<const Lane> all, std::span<const SearchInput> inputs,
                   const BatchPrices& prices, const Flavour& flavour) {
    const auto bar = [this](std::int32_t visit) {
        return visits[3 * static_cast<std::size_t>(visit)];
    };
    for (const Lane& lane : all) {
        const std::int32_t first = prices.series[2 * lane.input];
        const std::int32_t n = prices.series[2 * lane.input + 1];
        const auto number = static_cast<std::int32_t>(lanes.size() / 2);
        lanes.insert(lanes.end(), {2 * first + (lane.rising ? 0 : n), n});
        first_items.push_back(static_cast<std::int32_t>(item_work.size()));
        const Itinerary& itinerary = *inputs[lane.input].itinerary;
        const Range range = visits_of(itinerary, lane.rising);
        // The longer the window, the more work per start.
        const double work = std::pow(itinerary.longest_window() / 500.0, 0.6);
        for (std::int32_t begin = range.begin; begin < range.end;) {
            std::int32_t end =
                begin + static_cast<std::int32_t>(std::min<std::size_t>(
                            flavour.starts_per_item, static_cast<std::size_t>(range.end - begin)));
            while (end < range.end && bar(end) == bar(end - 1)) ++end;
            items.insert(items.end(), {number, begin, end});
            item_work.push_back(work * (end - begin));
            begin = end;
        }
    }
    first_items.push_back(static_cast<std::int32_t>(item_work.size()));
}

}  // namespace plimsoll::waves
