#pragma once

#include "engine/opencl/device.hpp"

#include <string>
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

}  // namespace plimsoll::opencl
