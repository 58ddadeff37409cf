#pragma once

#include "engine/opencl/runtime/device.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::opencl {

// What one small kernel computed, against the same in double precision on the host.
struct SelfTest {
    std::string name;      // also the capability that it proves
    double max_error = 0;  // relative
    double tolerance = 0;  // inclusive
    std::string failure;   // empty when passed
    bool passed() const { return failure.empty(); }
};

// Runs every self-test; a driver's fault in one does not keep the others from running. Takes about
// 0.1 s with a warm compiler cache and some seconds without.
std::vector<SelfTest> run_self_tests(const Device& device);

// Instructions beyond plain OpenCL C that kernels of ours use where they work. A device is ready
// without any of them.
enum class Feature {
    fp16,         // half arithmetic
    avx512_bf16,  // vdpbf16ps of x86 processors
    amx_bf16,     // tiles of x86 processors
    mma_bf16,     // tensor cores of NVIDIA's GPUs through PTX
};

std::string_view to_string(Feature feature);

// What is worth trying on such a device. For a processor the CPUID is asked: an instruction that is
// not there need not be tried.
std::vector<Feature> candidate_features(const DeviceInfo& info);

// Tries one. An instruction that the system forbids ends the process: probe() does this in a child.
SelfTest run_feature_test(const Device& device, Feature feature);

}  // namespace plimsoll::opencl
