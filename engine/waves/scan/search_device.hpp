#pragma once

#include "engine/waves/scan/search.hpp"

#include <cmath>
#include <span>
#include <string>

namespace plimsoll::waves {

// One series to search. What it refers to lives as long as the call.
struct SearchInput {
    std::span<const double> lows, highs;
    const Itinerary* itinerary = nullptr;
    const BarTable* table = nullptr;  // of the series; may be missing where scores alone are asked
};

// What there is to do, in starts in windows of 500 bars: in longer ones there is more to find, as
// the power 0.6 of their length.
struct Work {
    double counted = 0;  // searched for all counts
    double scored = 0;   // searched for the best scores alone

    static double of(const Itinerary& itinerary) {
        return static_cast<double>(itinerary.rising.size() + itinerary.falling.size()) *
               std::pow(itinerary.longest_window() / 500.0, 0.6);
    }
};

struct Forecast {
    double device_seconds = 0;
    double core_seconds = 0;
};

// Something that searches other than the processor's cores, with the same results: counts, ranks
// and numbers of nodes are equal, scores to the last bits. Used by one thread.
class SearchDevice {
  public:
    virtual ~SearchDevice() = default;

    // For people: "opencl:pocl:0 (CPU flavour)".
    virtual std::string name() const = 0;

    // search() and best_scores() of every input. Errors are `cancelled`, or say why the device
    // cannot: then the processor does it.
    virtual Result<std::vector<SearchResult>> search(std::span<const SearchInput> inputs,
                                                     const Settings& settings, std::size_t keep,
                                                     const Watch& watch) = 0;
    virtual Result<std::vector<std::array<double, kKinds>>> best_scores(
        std::span<const SearchInput> inputs, const Settings& settings, const Watch& watch) = 0;

    // How long this device and one core of the processor take for so much work: measured once on
    // this machine, in this mode, on random walks that both search; an error where their results
    // differ.
    virtual Result<Forecast> forecast(const Work& work, const Settings& settings) = 0;
};

}  // namespace plimsoll::waves
