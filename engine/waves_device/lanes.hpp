#pragma once

#include "engine/opencl/devices/device_info.hpp"
#include "engine/waves/scan/search_device.hpp"
#include "engine/waves_device/family.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

namespace plimsoll::waves {

// How the kernels are distributed over a device.
struct Flavour {
    std::string_view name;
    std::size_t group = 1;            // work-items that run in step
    std::size_t starts_per_item = 1;  // fewer: more parallelism, more overhead to start and to sum
    bool columns = false;             // bars as columns (structure of arrays)
    double work_per_launch =
        0;  // starts of series of 500 bars: about 10 ms, so that it can be stopped
    std::size_t counts_per_batch = 0;  // series are batched while they may hold fewer counts
    std::size_t kept_bytes = 0;        // larger buffers are freed after the search
};

// CPU: a core processes many starts in sequence, on bars of one cache line each. It uses host
// memory: batches take about 10 MB.
inline constexpr Flavour kCpuFlavour{"CPU flavour", 1, 64, false, 32'000, 1 << 18, 16 << 20};
// GPU: every start is its own work-item; a launch fills thousands of lanes.
inline constexpr Flavour kGpuFlavour{"GPU flavour", 64, 1, true, 1'000'000, 6'000'000, SIZE_MAX};

constexpr const Flavour& flavour_of(opencl::DeviceType type) {
    return type == opencl::DeviceType::cpu ? kCpuFlavour : kGpuFlavour;
}

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
