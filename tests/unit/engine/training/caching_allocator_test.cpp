#include "engine/training/allocator/caching_allocator.hpp"

#include <fstream>
#include <unordered_map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::training {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

TEST(CachingAllocator, RoundsTo512AndStartsWithATwoMebibyteSegment) {
    CachingAllocator a;
    a.allocate(1);
    EXPECT_EQ(a.allocated(), 512);
    EXPECT_EQ(a.reserved(), 2 * kMiB);
}

TEST(CachingAllocator, SegmentsOfEverySizeClass) {
    CachingAllocator a;
    a.allocate(1);
    a.allocate(kMiB);
    EXPECT_EQ(a.reserved(), 2 * kMiB);
    a.allocate(kMiB);
    EXPECT_EQ(a.reserved(), 4 * kMiB);
    const auto d = a.allocate(kMiB + 1);
    EXPECT_EQ(a.reserved(), 24 * kMiB);
    const auto e = a.allocate(9 * kMiB);
    EXPECT_EQ(a.reserved(), 24 * kMiB) << "both live in one 20 MiB segment";
    const auto f = a.allocate(10 * kMiB);
    EXPECT_EQ(a.reserved(), 34 * kMiB);
    const auto g = a.allocate(11 * kMiB + 5);
    EXPECT_EQ(a.reserved(), 46 * kMiB);
    a.free(d);
    a.free(e);
    a.allocate(20 * kMiB);
    EXPECT_EQ(a.reserved(), 46 * kMiB) << "merged neighbours serve a larger request";
    a.free(f);
    const auto i = a.allocate(9 * kMiB + kMiB / 2);
    EXPECT_EQ(a.block_bytes(i), 10 * kMiB) << "a remainder of at most 1 MiB is not split off";
    a.free(g);
    EXPECT_EQ(a.reserved(), 46 * kMiB) << "nothing goes back to the driver by itself";
    a.set_limit(46 * kMiB);
    const auto j = a.allocate(12 * kMiB);
    EXPECT_EQ(a.reserved(), 46 * kMiB);
    a.free(j);
    EXPECT_EQ(a.allocate(13 * kMiB), CachingAllocator::kOutOfMemory);
    EXPECT_EQ(a.retries(), 1);
    EXPECT_EQ(a.reserved(), 34 * kMiB) << "unsplit cached segments were released first";
}

// Of two equal blocks, that at the lowest address: the driver places a segment below those before.
TEST(CachingAllocator, TakesTheSmallestFitAndTheLowestAddressOnTies) {
    for (const bool segments_rise : {false, true}) {
        CachingAllocator a({.segments_rise = segments_rise});
        const auto first = a.allocate(12 * kMiB);
        const auto guard = a.allocate(12 * kMiB);
        const auto small = a.allocate(10 * kMiB);
        a.free(first);
        a.free(small);
        const auto again = a.allocate(10 * kMiB);
        EXPECT_EQ(again, small);
        a.free(guard);
        EXPECT_EQ(a.allocate(12 * kMiB), segments_rise ? first : guard);
    }
}

TEST(CachingAllocator, ExpandableSegmentsGrowByPagesAndLeaveNoGaps) {
    CachingAllocator a({.limit = 0, .max_split = 0, .expandable_segments = true});
    const auto x = a.allocate(15 * kMiB);
    EXPECT_EQ(a.reserved(), 20 * kMiB);
    a.allocate(15 * kMiB);
    EXPECT_EQ(a.reserved(), 40 * kMiB) << "the 5 MiB left over are part of the second block";
    a.free(x);
    a.allocate(30 * kMiB);
    EXPECT_EQ(a.reserved(), 60 * kMiB);
    a.allocate(15 * kMiB);
    EXPECT_EQ(a.reserved(), 60 * kMiB);
}

TEST(CachingAllocator, StreamsShareNoBlocks) {
    for (const bool expandable : {false, true}) {
        CachingAllocator a({.limit = 0, .max_split = 0, .expandable_segments = expandable});
        a.free(a.allocate(100 * kMiB, 2));
        EXPECT_EQ(a.reserved(), 100 * kMiB);
        a.free(a.allocate(100 * kMiB));
        EXPECT_EQ(a.reserved(), 200 * kMiB);
        a.free(a.allocate(100 * kMiB, 1));
        EXPECT_EQ(a.reserved(), 300 * kMiB);
        const auto block = a.allocate(60 * kMiB, 2);
        EXPECT_EQ(a.reserved(), 300 * kMiB);
        a.free(block);
        EXPECT_EQ(a.allocated(), 0);
        EXPECT_EQ(a.largest_free(false), 100 * kMiB);
    }
}

TEST(CachingAllocator, MaxSplitSizeKeepsOversizeBlocksWhole) {
    CachingAllocator a({.limit = 0, .max_split = 20 * kMiB, .expandable_segments = false});
    const auto big = a.allocate(40 * kMiB);
    a.free(big);
    a.allocate(10 * kMiB);
    EXPECT_EQ(a.reserved(), 50 * kMiB) << "small requests stay out of oversize blocks";
    a.allocate(30 * kMiB);
    EXPECT_EQ(a.reserved(), 50 * kMiB);
    EXPECT_EQ(a.allocated(), 50 * kMiB) << "an oversize block is given whole";
}

// A trace that PyTorch 2.11 wrote about its own allocator (memory history), byte for byte.
// Above 128 GiB too, where sizes once overflowed a packed key.
TEST(CachingAllocator, OrdersHugeBlocks) {
    CachingAllocator a;
    const std::int64_t gib = std::int64_t{1} << 30;
    const auto huge = a.allocate(300 * gib);
    const auto less = a.allocate(200 * gib);
    a.free(huge);
    a.free(less);
    EXPECT_EQ(a.block_bytes(a.allocate(150 * gib)), 150 * gib);
    EXPECT_EQ(a.block_bytes(a.allocate(250 * gib)), 250 * gib);
    EXPECT_EQ(a.reserved(), 500 * gib) << "the smaller block served the smaller request";
}

TEST(CachingAllocator, ReplaysATraceOfPyTorchExactly) {
    std::ifstream file("tests/unit/engine/training/data/pytorch_2_11_trace.json");
    const auto trace = nlohmann::json::parse(file);
    CachingAllocator a;
    std::unordered_map<int, CachingAllocator::Block> live;
    for (const auto& event : trace.at("events")) {
        const int id = event[1];
        if (event[0] == 0) {
            live[id] = a.allocate(event[2]);
        } else if (live.contains(id)) {
            a.free(live[id]);
            live.erase(id);
        }
    }
    EXPECT_EQ(a.max_reserved(), trace.at("max_reserved").get<std::int64_t>());
}

}  // namespace
}  // namespace plimsoll::training
