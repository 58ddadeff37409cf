#pragma once

#include "engine/waves/scan/search.hpp"

#include <cmath>
#include <span>
#include <string>

namespace plimsoll::waves {

// One series to search; refers to data that must outlive the call.
struct SearchInput {
    std::span<const double> lows, highs;
    const Itinerary* itinerary = nullptr;
    const BarTable* table = nullptr;  // of the series; may be null for best_scores()
};

// The amount of work, in starts in windows of 500 bars; the cost per start grows with the power 0.6
// of the window's length.
struct Work {
    double counted = 0;  // searched for all counts
    double scored = 0;   // searched for the best scores only

    static double of(const Itinerary& itinerary) {
        return static_cast<double>(itinerary.rising.size() + itinerary.falling.size()) *
               std::pow(itinerary.longest_window() / 500.0, 0.6);
    }
};

struct Forecast {
    double device_seconds = 0;
    double core_seconds = 0;
};

// A search on a device other than the processor's cores, with the same results: counts, ranks and
// numbers of nodes are equal, scores except for the last bits. Not thread-safe.
class SearchDevice {
  public:
    virtual ~SearchDevice() = default;

    // Display name: "opencl:pocl:0 (CPU flavour)".
    virtual std::string name() const = 0;

    // search() and best_scores() for every input. Errors are `cancelled`, or the reason why the
    // device cannot; the caller then uses the processor.
    virtual Result<std::vector<SearchResult>> search(std::span<const SearchInput> inputs,
                                                     const Settings& settings, std::size_t keep,
                                                     const Watch& watch) = 0;
    virtual Result<std::vector<std::array<double, kKinds>>> best_scores(
        std::span<const SearchInput> inputs, const Settings& settings, const Watch& watch) = 0;

    // Predicted times of this device and of one processor core for `work`, from random walks that
    // both search once per machine and mode; an error if their results differ.
    virtual Result<Forecast> forecast(const Work& work, const Settings& settings) = 0;
};

}  // namespace plimsoll::waves
