// Which queue the bytes of a search take: the one that computes, or one of their own.
#include "engine/opencl/calls/cl.hpp"
#include "tests/unit/engine/waves/random_series.hpp"
#include "tests/unit/engine/waves_device/tested_device.hpp"

#include <map>

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace {
std::map<cl_command_queue, int> copies;
}

// The engine is linked statically, so its calls come here first: every copy is counted.
extern "C" CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(
    cl_command_queue queue, cl_mem buffer, cl_bool wait, size_t offset, size_t size,
    const void* from, cl_uint event_count, const cl_event* events, cl_event* done) {
    ++copies[queue];
    static const auto real =
        reinterpret_cast<decltype(&clEnqueueWriteBuffer)>(dlsym(RTLD_NEXT, "clEnqueueWriteBuffer"));
    return real(queue, buffer, wait, offset, size, from, event_count, events, done);
}

namespace plimsoll::waves::testing {
namespace {

using opencl::SecondQueue;

struct Searched {
    SearchResult result;
    bool copies_apart = false;
    int beside_computing = 0;  // copies in the queue that computes
    int apart = 0;             // and in others
};

// Two searches of different series, the larger last: what the first left on the device must not be
// read by the second.
Searched search_by(SecondQueue second_queue, const Flavour& flavour) {
    auto device = opencl::Device::open(opencl::tested_address(), second_queue).value();
    opencl::Ledger ledger(std::uint64_t{1} << 30);
    auto device_search = OpenclSearch::open(device, ledger, flavour).value();
    const Settings settings;
    copies.clear();
    Searched searched;
    for (const std::size_t bars : {std::size_t{90}, std::size_t{400}}) {
        const Series series = random_series(bars, bars, Kind::ohlc);
        BarTable table;
        table.build(series.low, series.high);
        const Itinerary itinerary = make_itinerary(table, series.close, 5, settings);
        const std::vector<SearchInput> inputs{{series.low, series.high, &itinerary, &table}};
        auto found = device_search->search(inputs, settings, 5, {});
        searched.result = std::move(found.value().at(0));
        const auto expected = waves::search(table, itinerary, settings, 5).value();
        EXPECT_EQ(searched.result.coverage.nodes, expected.coverage.nodes);
        EXPECT_EQ(searched.result.best, expected.best);
        EXPECT_EQ(searched.result.counts.size(), expected.counts.size());
    }
    searched.copies_apart = device.copies_apart();
    for (const auto& [queue, count] : copies)
        (queue == device.queue() ? searched.beside_computing : searched.apart) += count;
    return searched;
}

TEST(WavesCopies, UseTheOnlyQueueByDefault) {
    for (const Flavour* flavour : {&kCpuFlavour, &kGpuFlavour}) {
        const auto searched = search_by(SecondQueue::none, *flavour);
        EXPECT_FALSE(searched.copies_apart);
        EXPECT_GT(searched.beside_computing, 0) << "the hook is not called";
        EXPECT_EQ(searched.apart, 0);
    }
}

TEST(WavesCopies, UseTheSecondQueueOnRequest) {
    for (const Flavour* flavour : {&kCpuFlavour, &kGpuFlavour}) {
        const auto searched = search_by(SecondQueue::always, *flavour);
        EXPECT_TRUE(searched.copies_apart);
        EXPECT_EQ(searched.beside_computing, 0);
        EXPECT_GT(searched.apart, 0);
    }
}

TEST(WavesCopies, UseOneQueueWhereMemoryIsShared) {
    const auto& info = tested_device().info();
    const auto searched = search_by(SecondQueue::if_own_memory, flavour_of(info.type));
    const bool own = has_own_memory(info);
    EXPECT_EQ(searched.copies_apart, own);
    EXPECT_EQ(searched.beside_computing > 0, !own);
    EXPECT_EQ(searched.apart > 0, own);
}

}  // namespace
}  // namespace plimsoll::waves::testing
