// Against the OpenCL devices of this machine; PoCL is one of them wherever the tests run.

#include "engine/opencl/probing/child_process.hpp"
#include "engine/opencl/probing/probe.hpp"
#include "engine/opencl/runtime/device.hpp"
#include "tests/unit/engine/opencl/kernel_cache.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace plimsoll::opencl {
namespace {

const auto* const kCache = testing::AddGlobalTestEnvironment(new KernelCache);

// One probe for all tests; made before this process opens a device, as probe() demands.
const ProbeReport& report() {
    static const ProbeReport once = probe({.inventory_deadline = std::chrono::minutes(10),
                                           .device_deadline = std::chrono::minutes(10)});
    return once;
}

const Capability* pocl() {
    const auto& devices = report().devices;
    const auto found = std::ranges::find_if(
        devices, [](const auto& d) { return d.info.address == DeviceAddress{"pocl", 0}; });
    return found == devices.end() ? nullptr : &*found;
}

TEST(RealDevices, PoclPassesEverySelfTest) {
    ASSERT_NE(pocl(), nullptr) << to_json(report());
    EXPECT_EQ(pocl()->state, DeviceState::ready) << pocl()->reason;
    std::vector<std::string> passed;
    for (const auto& test : pocl()->tests) {
        EXPECT_TRUE(test.passed()) << test.name << ": " << test.failure;
        EXPECT_LE(test.max_error, test.tolerance);
        passed.push_back(test.name);
    }
    EXPECT_EQ(passed, (std::vector<std::string>{"fp32_fma", "half_load", "reduction"}));
}

TEST(RealDevices, FeaturesMatchCpuid) {
    ASSERT_NE(pocl(), nullptr);
    EXPECT_FALSE(pocl()->features.empty());
    for (const auto& test : pocl()->features)
        if (test.passed()) EXPECT_LE(test.max_error, test.tolerance) << test.name;
#if defined(__x86_64__)
    EXPECT_EQ(pocl()->has(Feature::avx512_bf16), __builtin_cpu_supports("avx512bf16") != 0);
#endif
}

TEST(RealDevices, PoclsMemoryIsTheMachinesNotTheDrivers) {
    ASSERT_NE(pocl(), nullptr);
    EXPECT_EQ(pocl()->info.type, DeviceType::cpu);
    EXPECT_GT(pocl()->info.compute_units, 0U);
    ASSERT_TRUE(pocl()->info.memory.bytes);
    const auto physical = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
    EXPECT_LE(*pocl()->info.memory.bytes, physical);
}

// Opened in a child: a driver's threads would not survive the fork of a later probe.
void with_pocl(const std::function<std::string(const Device&)>& work) {
    const auto end = run_in_child(
        [&] {
            const auto device = Device::open({"pocl", 0});
            return device ? work(*device) : device.error().message;
        },
        std::chrono::minutes(10));
    EXPECT_EQ(end.kind, ChildEnd::Kind::finished) << end.reason;
    EXPECT_EQ(end.output, "");
}

TEST(RealDevices, AFailedBuildCarriesTheCompilersLog) {
    with_pocl([](const Device& device) -> std::string {
        const auto kernel = device.build("__kernel void k() { no_such_name = 1; }", "k");
        if (kernel) return "built";
        const auto& message = kernel.error().message;
        if (message.find("clBuildProgram failed with CL_BUILD_PROGRAM_FAILURE") != 0)
            return message;
        return message.find("no_such_name") == std::string::npos ? message : "";
    });
}

TEST(RealDevices, AMissingKernelNamesItself) {
    with_pocl([](const Device& device) -> std::string {
        const auto kernel = device.build("__kernel void k() {}", "other");
        if (kernel) return "built";
        return kernel.error().where == "other" ? "" : kernel.error().message;
    });
}

TEST(RealDevices, AnEmptyBufferIsRefusedByName) {
    with_pocl([](const Device& device) -> std::string {
        const auto buffer = device.allocate(0);
        if (buffer) return "allocated";
        const auto& message = buffer.error().message;
        return message == "clCreateBuffer failed with CL_INVALID_BUFFER_SIZE." ? "" : message;
    });
}

TEST(RealDevices, OptionsReachTheCompilerAndResultsComeBack) {
    with_pocl([](const Device& device) -> std::string {
        const auto kernel =
            device.build("__kernel void k(__global float* out) { out[get_global_id(0)] = SEVEN; }",
                         "k", "-DSEVEN=7.0f");
        if (!kernel) return kernel.error().message;
        std::vector<float> out(128, 0.0F);
        auto buffer = device.allocate(out.size() * sizeof(float));
        if (!buffer) return buffer.error().message;
        if (!device.write(*buffer, std::as_bytes(std::span(out)))) return "write";
        if (!device.set_argument(*kernel, 0, *buffer)) return "argument";
        if (!device.launch(*kernel, out.size(), 64)) return "launch";
        if (!device.finish()) return "finish";
        if (!device.read(*buffer, std::as_writable_bytes(std::span(out)))) return "read";
        return std::ranges::all_of(out, [](float v) { return v == 7.0F; }) ? "" : "wrong values";
    });
}

TEST(RealDevices, AnUnknownDeviceIsNotFound) {
    const auto end = run_in_child(
        [] {
            const auto device = Device::open({"no-such-driver", 0});
            return std::string(device ? "opened" : to_string(device.error().code));
        },
        std::chrono::minutes(10));
    EXPECT_EQ(end.output, "not_found");
}

}  // namespace
}  // namespace plimsoll::opencl
