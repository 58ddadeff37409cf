#pragma once

#include "engine/opencl/memory/ledger.hpp"
#include "engine/opencl/runtime/transfers.hpp"
#include "engine/waves_device/lanes.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace plimsoll::waves {

// A count in the device's layout.
struct DeviceCount {
    double score;
    std::int32_t at[6];
    std::int32_t window;
    std::int32_t what;

    int pattern() const { return what & 255; }
    int waves() const { return what >> 8; }
};
static_assert(sizeof(DeviceCount) == 40);

// Limits of a lane: its capacity. `floors`: by pattern, scores below which counts are dropped.
struct Keeping {
    std::vector<double> floors;
    std::uint32_t capacity = 0;
};

struct LaneResult {
    std::vector<double> best;              // by pattern; -1: none
    std::vector<std::uint32_t> counters;   // see source.hpp
    std::vector<std::uint32_t> histogram;  // of scores: kScoreBins per pattern
    std::vector<DeviceCount> kept;         // in any order; incomplete unless `all` is set
    bool all = true;
};

// Builds the wave kernels for a device and runs them over batches of series. Its device memory is
// recorded in `ledger`: Errc::exhausted when that is full.
class Runner {
  public:
    Runner(opencl::Device& device, opencl::Ledger& ledger, const Flavour& flavour)
        : device_(device), ledger_(ledger), flavour_(flavour) {}

    // Copies the series to the device and builds their tables there; they stay until the next call.
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

    // Bytes of the kept buffers.
    std::uint64_t held_bytes() const;
    // Frees large buffers after a search with many counts, see Flavour::kept_bytes.
    void drop_large_buffers();

  private:
    // Buffers are reused, and grow.
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
    // Builds it once; `source` is called only then.
    Result<const opencl::Kernel*> kernel(const std::string& key, const std::string& name,
                                         const std::function<std::string()>& source);
    // Runs after all copies so far; `items` are rounded up to whole groups.
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
    std::optional<opencl::Transfers> transfers_;  // on devices with a copy queue, once needed
};

// The patterns of a family selected by the settings, as bits.
unsigned wanted(const FamilyView& family, const Settings& settings);

}  // namespace plimsoll::waves
