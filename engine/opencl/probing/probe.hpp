#pragma once

#include "engine/opencl/probing/capability.hpp"
#include "engine/opencl/runtime/device.hpp"

#include <chrono>
#include <functional>

namespace plimsoll::opencl {

struct ProbeOptions {
    // For listing all devices, and for the self-tests of each. A first compilation takes seconds.
    std::chrono::milliseconds inventory_deadline{20'000};
    std::chrono::milliseconds device_deadline{60'000};
};

// The two steps that touch drivers, replaceable so that a test can crash or hang one of them.
struct ProbeSteps {
    std::function<ProbeReport()> list;                     // devices without a verdict
    std::function<Capability(const DeviceInfo&)> try_out;  // verdict on one of them
    std::function<SelfTest(const DeviceInfo&, Feature)> try_feature;

    static ProbeSteps real();
};

// Runs the self-tests on an open device. A driver's crash or hang is the caller's: probe() below
// does this in a child process.
Capability assess(const Device& device);

// Lists all devices and tries each out, and on those that are ready every candidate feature; every
// step in a child process: a driver that crashes or hangs costs the child and becomes the device's
// state, or the end of the feature. This process loads no driver. Call it before threads exist (see
// run_in_child).
ProbeReport probe(const ProbeOptions& options = {}, const ProbeSteps& steps = ProbeSteps::real());

}  // namespace plimsoll::opencl
