#include "engine/telemetry/nvidia_memory.hpp"

#include <gtest/gtest.h>

namespace plimsoll::telemetry {
namespace {

constexpr std::uint64_t kGigabyte = 1'000'000'000;

TEST(NvidiaMemory, EachReadingSeesTheCurrentUsageOfOthers) {
    const auto probe = nvidia_memory("0000:3b:00.0", FAKE_NVML);
    ASSERT_TRUE(probe) << probe.error().message;
    EXPECT_EQ((*probe)(), (DeviceMemory{80 * kGigabyte, 29 * kGigabyte}));
    EXPECT_EQ((*probe)(), (DeviceMemory{80 * kGigabyte, 28 * kGigabyte}));
    const auto copy = *probe;
    EXPECT_EQ(copy()->free, 27 * kGigabyte);
    EXPECT_FALSE((*probe)()) << "a look that failed is no reading";
}

TEST(NvidiaMemory, AnotherGpuIsNotFound) {
    const auto probe = nvidia_memory("0000:af:00.0", FAKE_NVML);
    ASSERT_FALSE(probe);
    EXPECT_EQ(probe.error().code, Errc::not_found);
}

TEST(NvidiaMemory, WithoutTheLibraryThereIsNoProbe) {
    for (const auto* library : {"libplimsoll-nothing.so", "libm.so.6"}) {
        const auto probe = nvidia_memory("0000:3b:00.0", library);
        ASSERT_FALSE(probe) << library;
        EXPECT_EQ(probe.error().code, Errc::unavailable);
    }
}

}  // namespace
}  // namespace plimsoll::telemetry
