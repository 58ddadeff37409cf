#pragma once

#include "engine/waves/scan/count_parts.hpp"
#include "engine/waves/scan/search.hpp"
#include "engine/waves/series/series.hpp"

namespace plimsoll::waves::testing {

// Every valid count of the whole series from every bar, best first.
inline SearchResult all_counts(const Series& series, const Settings& settings) {
    BarTable table;
    table.build(series.low, series.high);
    const auto itinerary = make_itinerary(table, series.close, 5, settings);
    return search(table, itinerary, settings, 1'000'000).value();
}

inline Settings compatible_settings(int up_to = 0) {
    Settings settings;
    settings.mode = Mode::compatible;
    settings.weights = Weights::compatible();
    settings.up_to = up_to;
    return settings;
}

// The name that the old pipeline gives a count.
inline std::string compatible_rule(const Found& found) {
    if (found.shape == Shape::impulse && !found.rising) return "bearish_impulse";
    return std::string(to_string(found.shape));
}

inline std::vector<int> pivots(const Found& found) {
    return {found.at.begin(), found.at.begin() + found.waves + 1};
}

}  // namespace plimsoll::waves::testing
