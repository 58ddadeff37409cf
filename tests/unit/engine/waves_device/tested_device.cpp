#include "tests/unit/engine/waves_device/tested_device.hpp"

#include "engine/opencl/runtime/cache_directory.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

namespace plimsoll::waves::testing {
namespace {

namespace fs = std::filesystem;

// Before the first OpenCL call, so that no test reads or writes the user's own cache.
class PrivateCache : public ::testing::Environment {
  public:
    void SetUp() override {
        std::string path = (fs::temp_directory_path() / "plimsoll-cache-XXXXXX").string();
        ASSERT_NE(mkdtemp(path.data()), nullptr);
        directory_ = path;
        ASSERT_TRUE(opencl::use_kernel_cache(directory_));
    }
    void TearDown() override { fs::remove_all(directory_); }

  private:
    fs::path directory_;
};
const auto* const kCache = ::testing::AddGlobalTestEnvironment(new PrivateCache);

}  // namespace

opencl::Device& tested_device() {
    static opencl::Device device = opencl::Device::open(opencl::tested_address()).value();
    return device;
}

opencl::Ledger& ledger() {
    static opencl::Ledger book(std::uint64_t{4} << 30);
    return book;
}

SearchDevice& search_on(const Flavour& flavour) {
    static const auto kCpu = OpenclSearch::open(tested_device(), ledger(), kCpuFlavour).value();
    static const auto kGpu = OpenclSearch::open(tested_device(), ledger(), kGpuFlavour).value();
    return &flavour == &kCpuFlavour ? *kCpu : *kGpu;
}

}  // namespace plimsoll::waves::testing
