#pragma once

#include "engine/opencl/memory/ledger.hpp"
#include "engine/opencl/runtime/transfers.hpp"
#include "engine/waves_device/lanes.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace plimsoll::waves {

// A count as the device writes it.
struct DeviceCount {
    double score;
    std::int32_t at[6];
    std::int32_t window;
    std::int32_t what;

    int pattern() const { return what & 255; }
    int waves() const { return what >> 8; }
};
static_assert(sizeof(DeviceCount) == 40);

// Of a lane: what is kept, at most. `floors`: by pattern, scores below which counts are not wanted.
struct Keeping {
    std::vector<double> floors;
    std::uint32_t capacity = 0;
};

struct LaneResult {
    std::vector<double> best;              // by pattern; -1: none
    std::vector<std::uint32_t> counters;   // see source.hpp
    std::vector<std::uint32_t> histogram;  // of scores: kScoreBins to each pattern
    std::vector<DeviceCount> kept;  // in no set order; some are missing where `all` is not set
    bool all = true;
};

// Builds the kernels of the waves for a device, and runs them over batches of series. What it takes
// of the device's memory is entered in `ledger`: Errc::exhausted where that is full.
class Runner {
  public:
    Runner(opencl::Device& device, opencl::Ledger& ledger, const Flavour& flavour)
        : device_(device), ledger_(ledger), flavour_(flavour) {}

    // Puts the series on the device and builds their tables there; they stay until the next call.
    Result<void> load(std::span<const SearchInput> inputs);

    // Searches lanes of the loaded series.
    Result<std::vector<LaneResult>> count(const FamilyView& family, std::span<const Lane> lanes,
                                          std::span<const SearchInput> inputs,
                                          std::span<const Keeping> keeping,
                                          const Settings& settings, const Watch& watch);
    // By lane and pattern.
    Result<std::vector<double>> best(const FamilyView& family, std::span<const Lane> lanes,
                                     std::span<const SearchInput> inputs, const Settings& settings,
                                     const Watch& watch);

    // Of the buffers that are kept.
    std::uint64_t held_bytes() const;
    // Those that a search of many counts left, see Flavour::kept_bytes.
    void drop_large_buffers();

  private:
    // Buffers are kept, and grow.
    enum class Place {
        table,
        lows,
        highs,
        working,
        series,
        lanes,
        items,
        visits,
        first_items,
        weights,
        hints,
        item_best,
        lane_best,
        counters,
        histogram,
        floors,
        found,
        regions,
        kept
    };

    Result<const opencl::Buffer*> room(Place place, std::size_t bytes);
    Result<void> send(const opencl::Buffer& to, std::span<const std::byte> from);
    template <class T>
    Result<const opencl::Buffer*> put(Place place, std::span<const T> values);
    template <class T>
    Result<std::vector<T>> fetch(Place place, std::size_t count);
    // Builds it once; `source` is asked for then.
    Result<const opencl::Kernel*> kernel(const std::string& key, const std::string& name,
                                         const std::function<std::string()>& source);
    // After all that was put; `items` are rounded up to whole groups.
    Result<void> launch(const opencl::Kernel& kernel, std::size_t items);
    Result<void> launch_search(const FamilyView& family, const LanePlan& plan,
                               std::size_t lane_count, bool counts, const Settings& settings,
                               const Watch& watch);

    struct Held {
        opencl::Buffer buffer;
        opencl::Ledger::Entry entry;
    };

    opencl::Device& device_;
    opencl::Ledger& ledger_;
    const Flavour& flavour_;
    BatchPrices prices_{{}};
    std::map<Place, Held> buffers_;
    std::map<std::string, opencl::Kernel> kernels_;
    std::optional<opencl::Transfers> transfers_;  // where the device copies apart, once needed
};

// The patterns of a family that the settings ask for, as bits.
unsigned wanted(const FamilyView& family, const Settings& settings);

}  // namespace plimsoll::waves
