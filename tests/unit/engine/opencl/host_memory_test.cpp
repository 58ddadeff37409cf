#include "engine/opencl/devices/host_memory.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

namespace plimsoll::opencl {
namespace {

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

TEST_F(HostMemory, IsUnknownWithoutASource) {
    EXPECT_EQ(size(), (MemorySize{{}, "unknown"}));
}

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
