#include "engine/opencl/calls/cl.hpp"
#include "engine/opencl/calls/status.hpp"
#include "engine/opencl/devices/device_info.hpp"
#include "engine/opencl/devices/host_memory.hpp"
#include "engine/opencl/memory/ledger.hpp"

#include <cstdlib>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>

namespace plimsoll::opencl {
namespace {

TEST(DeviceAddress, ReadsWhatItWrites) {
    const DeviceAddress address{"pocl", 3};
    EXPECT_EQ(to_string(address), "opencl:pocl:3");
    EXPECT_EQ(parse_device_address("opencl:pocl:3").value(), address);
}

TEST(DeviceAddress, RefusesAnythingElse) {
    for (const auto* text : {"", "host", "opencl:", "opencl:pocl", "opencl::0", "opencl:pocl:",
                             "opencl:pocl:-1", "opencl:pocl:0x", "opencl:pocl:99999999999"}) {
        const auto address = parse_device_address(text);
        ASSERT_FALSE(address) << text;
        EXPECT_EQ(address.error().code, Errc::invalid_input);
        EXPECT_EQ(address.error().where, text);
    }
}

TEST(Status, NamesTheCallAndTheStatus) {
    const auto error = status_error("clFinish", CL_OUT_OF_RESOURCES, "opencl:nv:0");
    EXPECT_EQ(error.message, "clFinish failed with CL_OUT_OF_RESOURCES.");
    EXPECT_EQ(error.where, "opencl:nv:0");
    EXPECT_EQ(error.code, Errc::exhausted);
}

TEST(Status, KeepsTheNumberOfAnUnknownStatus) { EXPECT_EQ(status_name(-9999), "CL status -9999"); }

TEST(Status, DistinguishesShortageAbsenceAndBugs) {
    EXPECT_EQ(status_error("c", CL_MEM_OBJECT_ALLOCATION_FAILURE).code, Errc::exhausted);
    EXPECT_EQ(status_error("c", CL_INVALID_BUFFER_SIZE).code, Errc::too_large);
    EXPECT_EQ(status_error("c", -1001).code, Errc::not_found);
    EXPECT_EQ(status_error("c", CL_INVALID_KERNEL_ARGS).code, Errc::internal);
}

TEST(Ledger, GrantsOnlyFreeMemoryAndTakesItBack) {
    Ledger ledger(100);
    {
        const auto max = ledger.enter(80, "weights");
        ASSERT_TRUE(max);
        EXPECT_EQ(ledger.free(), 20U);
        const auto refused = ledger.enter(21, "activations");
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, Errc::exhausted);
        EXPECT_EQ(refused.error().where, "activations");
        EXPECT_EQ(refused.error().message,
                  "Not enough device memory: 21 bytes requested, 20 of 100 left.");
        EXPECT_FALSE(ledger.enter(std::numeric_limits<std::uint64_t>::max(), "overflow"));
        EXPECT_TRUE(ledger.enter(20, "the rest"));
    }
    EXPECT_EQ(ledger.used(), 0U);
}

TEST(Ledger, AnEntryThatMovedIsReturnedOnce) {
    Ledger ledger(10);
    {
        auto entry = ledger.enter(10, "a");
        const Ledger::Entry moved = std::move(*entry);
        EXPECT_EQ(ledger.used(), 10U);
    }
    EXPECT_EQ(ledger.free(), 10U);
}

namespace fs = std::filesystem;

// A little "/" with just the files that are looked at.
class HostMemory : public testing::Test {
  protected:
    void SetUp() override {
        std::string path = (fs::temp_directory_path() / "plimsoll-memory-XXXXXX").string();
        ASSERT_NE(mkdtemp(path.data()), nullptr);
        root_ = path;
    }
    void TearDown() override { fs::remove_all(root_); }

    void file(const std::string& path, const std::string& text) const {
        fs::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text;
    }
    MemorySize size() const { return available_host_memory(root_); }

    fs::path root_;
};

TEST_F(HostMemory, IsUnknownWithoutASource) { EXPECT_EQ(size(), (MemorySize{{}, "unknown"})); }

TEST_F(HostMemory, IsMemAvailableWithoutLimits) {
    file("proc/meminfo", "MemTotal: 2000 kB\nMemAvailable:     1000 kB\n");
    EXPECT_EQ(size(), (MemorySize{1000 * 1024, "mem-available"}));
}

TEST_F(HostMemory, UsesTheTightestLimitOfItsCgroup) {
    file("proc/meminfo", "MemAvailable: 1000000 kB\n");
    file("proc/self/cgroup", "0::/a/b\n");
    file("sys/fs/cgroup/a/b/memory.max", "max\n");
    file("sys/fs/cgroup/a/memory.max", "4096000\n");
    EXPECT_EQ(size(), (MemorySize{4096000, "cgroup-v2"}));
}

TEST_F(HostMemory, FindsAContainersLimitAtTheRootOfTheMount) {
    file("proc/meminfo", "MemAvailable: 1000000 kB\n");
    file("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/0123\n");
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", "8192000\n");
    EXPECT_EQ(size(), (MemorySize{8192000, "cgroup-v1"}));
}

TEST_F(HostMemory, TreatsTheLargestNumberOfVersion1AsNoLimit) {
    file("proc/meminfo", "MemAvailable: 1000 kB\n");
    file("proc/self/cgroup", "4:memory:/\n");
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    EXPECT_EQ(size(), (MemorySize{1000 * 1024, "mem-available"}));
}

TEST_F(HostMemory, IsMemAvailableWhenALooseLimitIsAboveIt) {
    file("proc/meminfo", "MemAvailable: 1000 kB\n");
    file("proc/self/cgroup", "0::/\n");
    file("sys/fs/cgroup/memory.max", "99999999999\n");
    EXPECT_EQ(size(), (MemorySize{1000 * 1024, "mem-available"}));
}

}  // namespace

}  // namespace plimsoll::opencl
