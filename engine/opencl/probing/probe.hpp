#pragma once

#include "engine/opencl/probing/capability.hpp"
#include "engine/opencl/runtime/device.hpp"

#include <chrono>
#include <functional>

namespace plimsoll::opencl {

struct ProbeOptions {
    // Deadline for listing all devices, and for the self-tests of each. A first compilation takes
    // seconds.
    std::chrono::milliseconds inventory_deadline{20'000};
    std::chrono::milliseconds device_deadline{60'000};
};

// The two steps that call drivers, replaceable so that a test can crash or hang them.
struct ProbeSteps {
    std::function<ProbeReport()> list;                     // devices without a verdict
    std::function<Capability(const DeviceInfo&)> try_out;  // tests one of them
    std::function<SelfTest(const DeviceInfo&, Feature)> try_feature;

    static ProbeSteps real();
};

// Runs the self-tests on an open device. A driver's crash or hang hits the caller: probe() below
// uses child processes.
Capability assess(const Device& device);

// Lists all devices, tests each, and tests every candidate feature of the ready ones. Every step
// runs in a child process: a driver's crash or hang kills only the child and becomes the device's
// state, or disables the feature. This process loads no driver. Call it before threads exist (see
// run_in_child).
ProbeReport probe(const ProbeOptions& options = {}, const ProbeSteps& steps = ProbeSteps::real());

}  // namespace plimsoll::opencl
