// A worker keeps its search between tasks: what the first one made room for serves the next.
#include "engine/opencl/cl.hpp"
#include "tests/unit/engine/waves/random_series.hpp"
#include "tests/unit/engine/waves_opencl/pocl.hpp"

#include <atomic>

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace {
std::atomic<int> allocations = 0;
}

// The engine is linked statically, so its calls come here first: every allocation is counted.
extern "C" CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags,
                                                          size_t size, void* host, cl_int* status) {
    ++allocations;
    static const auto real =
        reinterpret_cast<decltype(&clCreateBuffer)>(dlsym(RTLD_NEXT, "clCreateBuffer"));
    return real(context, flags, size, host, status);
}

namespace plimsoll::waves::testing {
namespace {

TEST(WavesSteady, SearchesOfOneSizeAllocateNothingOnTheDevice) {
    const Settings settings;
    bool room_is_made = false;
    // The larger series first: room is made for the largest and kept.
    for (const std::size_t bars : {std::size_t{120}, std::size_t{120}, std::size_t{80}}) {
        const Series series = random_series(7, bars, Kind::ohlc);
        BarTable table;
        table.build(series.low, series.high);
        const Itinerary itinerary = make_itinerary(table, series.close, 5, settings);
        const std::vector<Errand> errands{{series.low, series.high, &itinerary, &table}};
        const int before = allocations;
        for (const Flavour* flavour : {&kCpuFlavour, &kGpuFlavour}) {
            const auto found = search_on(*flavour).search(errands, settings, 5, {});
            ASSERT_TRUE(found) << found.error().message;
            const auto best = search_on(*flavour).best_scores(errands, settings, {});
            ASSERT_TRUE(best) << best.error().message;
        }
        ASSERT_GT(allocations, 0) << "the hook is not called";
        if (room_is_made) EXPECT_EQ(allocations, before) << bars << " bars";
        room_is_made = true;
    }
}

}  // namespace
}  // namespace plimsoll::waves::testing
