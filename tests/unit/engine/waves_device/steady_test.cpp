// A worker keeps its search between tasks: what the first one made room for serves the next. What
// is taken of the device's memory stands in the ledger.
#include "engine/opencl/calls/cl.hpp"
#include "tests/unit/engine/waves/random_series.hpp"
#include "tests/unit/engine/waves_device/tested_device.hpp"

#include <atomic>

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace {
std::atomic<int> allocations = 0;
std::atomic<std::uint64_t> allocated_bytes = 0;
}  // namespace

// The engine is linked statically, so its calls come here first: every allocation is counted.
extern "C" CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags,
                                                          size_t size, void* host, cl_int* status) {
    ++allocations;
    allocated_bytes += size;
    static const auto real =
        reinterpret_cast<decltype(&clCreateBuffer)>(dlsym(RTLD_NEXT, "clCreateBuffer"));
    return real(context, flags, size, host, status);
}

namespace plimsoll::waves::testing {
namespace {

// One series, everywhere.
Result<SearchResult> search_and_score(SearchDevice& device, std::size_t bars) {
    const Settings settings;
    const Series series = random_series(7, bars, Kind::ohlc);
    BarTable table;
    table.build(series.low, series.high);
    const Itinerary itinerary = make_itinerary(table, series.close, 5, settings);
    const std::vector<SearchInput> inputs{{series.low, series.high, &itinerary, &table}};
    auto found = device.search(inputs, settings, 5, {});
    if (!found) return fail(found.error());
    const auto best = device.best_scores(inputs, settings, {});
    if (!best) return fail(best.error());
    return std::move(found->front());
}

TEST(WavesSteady, SearchesOfOneSizeAllocateNothingOnTheDevice) {
    bool room_is_made = false;
    // The larger series first: room is made for the largest and kept.
    for (const std::size_t bars : {std::size_t{120}, std::size_t{120}, std::size_t{80}}) {
        const int before = allocations;
        const auto held = ledger().used();
        for (const Flavour* flavour : {&kCpuFlavour, &kGpuFlavour}) {
            const auto found = search_and_score(search_on(*flavour), bars);
            ASSERT_TRUE(found) << found.error().message;
        }
        ASSERT_GT(allocations, 0) << "the hook is not called";
        if (room_is_made) {
            EXPECT_EQ(allocations, before) << bars << " bars";
            EXPECT_EQ(ledger().used(), held) << bars << " bars";
        }
        room_is_made = true;
    }
}

TEST(WavesSteady, SearchesByASecondQueueAllocateNothingEither) {
    auto device =
        opencl::Device::open(opencl::tested_address(), opencl::SecondQueue::always).value();
    const auto search = OpenclSearch::open(device, ledger(), kGpuFlavour).value();
    ASSERT_TRUE(search_and_score(*search, 120));
    const int before = allocations;
    ASSERT_TRUE(search_and_score(*search, 120));
    EXPECT_EQ(allocations, before);
}

TEST(WavesLedger, RecordsEveryByteAllocated) {
    opencl::Ledger book(std::uint64_t{1} << 30);
    auto search = OpenclSearch::open(tested_device(), book, kGpuFlavour).value();
    EXPECT_EQ(book.used(), 0U);
    const auto before = allocated_bytes.load();
    ASSERT_TRUE(search_and_score(*search, 120));
    EXPECT_GT(book.used(), 0U);
    EXPECT_EQ(book.used(), search->held_bytes());
    EXPECT_LE(book.used(), allocated_bytes - before) << "of buffers that grew, the last is held";
    search.reset();
    EXPECT_EQ(book.used(), 0U);
}

TEST(WavesLedger, RejectsWhatDoesNotFitBeforeCallingTheDriver) {
    std::uint64_t needed = 0;
    {
        opencl::Ledger book(std::uint64_t{1} << 30);
        const auto search = OpenclSearch::open(tested_device(), book, kGpuFlavour).value();
        ASSERT_TRUE(search_and_score(*search, 120));
        needed = book.used();
    }
    opencl::Ledger book(needed / 2);
    auto search = OpenclSearch::open(tested_device(), book, kGpuFlavour).value();
    for (int attempt = 0; attempt < 2; ++attempt) {
        const auto found = search_and_score(*search, 120);
        ASSERT_FALSE(found);
        EXPECT_EQ(found.error().code, Errc::exhausted);
        EXPECT_LE(book.used(), book.limit());
    }
    // Once that is let go of, as a worker does at once, what fits still goes.
    search.reset();
    search = OpenclSearch::open(tested_device(), book, kGpuFlavour).value();
    const auto smaller = search_and_score(*search, 12);
    EXPECT_TRUE(smaller) << smaller.error().message;
}

}  // namespace
}  // namespace plimsoll::waves::testing
