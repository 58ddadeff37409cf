#include "tests/unit/engine/waves_device/tested_device.hpp"

#include "tests/unit/engine/opencl/kernel_cache.hpp"

#include <gtest/gtest.h>

namespace plimsoll::waves::testing {
namespace {

const auto* const kCache = ::testing::AddGlobalTestEnvironment(new opencl::KernelCache);

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
