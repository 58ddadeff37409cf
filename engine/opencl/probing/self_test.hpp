#pragma once

#include "engine/base/members.hpp"
#include "engine/opencl/runtime/device.hpp"

#include <string>
#include <vector>

namespace plimsoll::opencl {

// One small kernel's result, compared with double precision on the host.
struct SelfTest {
    std::string name;      // also the capability that it tests
    double max_error = 0;  // relative
    double tolerance = 0;  // inclusive
    std::string failure;   // empty when passed
    bool passed() const { return failure.empty(); }

    static void members(auto& visit, auto& self) {
        visit("name", self.name);
        visit.derived("passed", self.passed());
        visit("max_error", self.max_error);
        visit("tolerance", self.tolerance);
        visit("failure", self.failure);
    }
};

// Runs every self-test, also after one has failed. Takes about 0.1 s with a warm compiler cache and
// some seconds without.
std::vector<SelfTest> run_self_tests(const Device& device);

// Instructions beyond plain OpenCL C that our kernels use where available. A device is ready
// without any of them.
enum class Feature {
    fp16,         // half arithmetic
    avx2,         // vpmaddubsw of x86 processors: products of bytes
    avx512_vnni,  // vpdpbusd of x86 processors: the same in one instruction
    avx512_bf16,  // vdpbf16ps of x86 processors
    amx_bf16,     // tiles of x86 processors
    mma_bf16,     // tensor cores of NVIDIA's GPUs through PTX
};

inline constexpr Word<Feature> kFeatures[] = {
    {"fp16", Feature::fp16},
    {"avx2", Feature::avx2},
    {"avx512_vnni", Feature::avx512_vnni},
    {"avx512_bf16", Feature::avx512_bf16},
    {"amx_bf16", Feature::amx_bf16},
    {"mma_bf16", Feature::mma_bf16},
};
constexpr std::span<const Word<Feature>> words_of(Feature) { return kFeatures; }

// Features worth testing on this device. On CPU devices only those that CPUID reports.
std::vector<Feature> candidate_features(const DeviceInfo& info);

// Tests one feature. An instruction that the system forbids kills the process: probe() does this in
// a child process.
SelfTest run_feature_test(const Device& device, Feature feature);

}  // namespace plimsoll::opencl
