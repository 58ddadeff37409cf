#include "engine/opencl/probing/probe.hpp"

#include "engine/opencl/devices/processor.hpp"

#include <algorithm>
#include <csignal>

#include <gtest/gtest.h>
#include <unistd.h>

namespace plimsoll::opencl {
namespace {

using namespace std::chrono_literals;

Capability device(int index) {
    Capability capability;
    capability.info.address = {"fake", index};
    capability.info.name = "Fake \xff device";  // drivers are not obliged to write UTF-8
    capability.info.type = DeviceType::gpu;
    capability.info.compute_units = 7;
    capability.info.driver_memory_bytes = std::uint64_t{150} << 30;
    return capability;
}

ProbeReport three_devices() { return {{device(0), device(1), device(2)}, {"a driver is missing"}}; }

Capability ready(const DeviceInfo& info) {
    return {info, DeviceState::ready, {}, {{"fp32_fma", 1e-8, 1e-7, {}}}, {}};
}

SelfTest no_fp16(const DeviceInfo&, Feature feature) {
    return {std::string(to_string(feature)), 0, 0, "does not compile"};
}

TEST(Probe, ACrashAndAHangCostOneDeviceEach) {
    const ProbeSteps steps{three_devices,
                           [](const DeviceInfo& info) {
                               if (info.address.index == 0) std::raise(SIGILL);
                               if (info.address.index == 1) pause();
                               return ready(info);
                           },
                           no_fp16};
    // As long as this test takes, and long enough for the others on a busy machine.
    const auto report = probe({.inventory_deadline = 60s, .device_deadline = 15s}, steps);
    ASSERT_EQ(report.devices.size(), 3U);
    EXPECT_EQ(report.devices[0].state, DeviceState::crashed);
    EXPECT_EQ(report.devices[0].reason, "killed by SIGILL");
    EXPECT_EQ(report.devices[1].state, DeviceState::hung);
    EXPECT_EQ(report.devices[1].reason, "no response within 15000 ms");
    EXPECT_EQ(report.devices[2].state, DeviceState::ready);
    EXPECT_EQ(report.devices[2].tests.size(), 1U);
    EXPECT_EQ(report.problems, std::vector<std::string>{"a driver is missing"});
}

TEST(Probe, AFeatureThatKillsTheProcessIsAbsentAndNotAnError) {
    const auto one = [] { return ProbeReport{{device(0)}, {}}; };
    const auto crash = [](const DeviceInfo&, Feature) -> SelfTest {
        std::raise(SIGILL);
        return {};
    };
    auto report = probe({.inventory_deadline = 60s, .device_deadline = 60s}, {one, ready, crash});
    ASSERT_EQ(report.devices.size(), 1U);
    EXPECT_EQ(report.devices[0].state, DeviceState::ready);
    ASSERT_EQ(report.devices[0].features.size(), 1U);
    EXPECT_EQ(report.devices[0].features[0].name, "fp16");
    EXPECT_EQ(report.devices[0].features[0].failure, "killed by SIGILL");
    EXPECT_FALSE(report.devices[0].has(Feature::fp16));
    const auto works = [](const DeviceInfo&, Feature) -> SelfTest { return {"fp16", 0, 1e-3, {}}; };
    report = probe({.inventory_deadline = 60s, .device_deadline = 60s}, {one, ready, works});
    EXPECT_TRUE(report.devices[0].has(Feature::fp16));
    EXPECT_FALSE(report.devices[0].has(Feature::amx_bf16));
}

TEST(Probe, TheClassOfAProcessorFollowsWhatWorks) {
    auto zen = device(0);
    zen.info.type = DeviceType::cpu;
    zen.info.processor_class = "AVX512";
    const auto class_where = [&](std::vector<Feature> working) {
        const auto try_feature = [&](const DeviceInfo&, Feature feature) -> SelfTest {
            const bool works = std::ranges::find(working, feature) != working.end();
            return {std::string(to_string(feature)), 0, 0, works ? "" : "killed by SIGILL"};
        };
        const ProbeSteps steps{[&] { return ProbeReport{{zen}, {}}; }, ready, try_feature};
        const auto report = probe({.inventory_deadline = 60s, .device_deadline = 60s}, steps);
        return report.devices.at(0).info.processor_class;
    };
    EXPECT_EQ(class_where({}), "AVX512");
    const auto candidates = candidate_features(zen.info);
    const auto is_candidate = [&](Feature feature) {
        return std::ranges::find(candidates, feature) != candidates.end();
    };
    if (is_candidate(Feature::avx512_vnni))
        EXPECT_EQ(class_where({Feature::avx512_vnni}), "AVX512-VNNI");
    if (is_candidate(Feature::avx512_bf16))
        EXPECT_EQ(class_where({Feature::avx512_vnni, Feature::avx512_bf16}), "AVX512-BF16");
    if (is_candidate(Feature::amx_bf16))
        EXPECT_EQ(class_where({Feature::avx512_bf16, Feature::amx_bf16}), "AMX");
}

TEST(Probe, GenerationsOfGpusHaveOneWord) {
    EXPECT_EQ(nvidia_generation(7, 0), "Volta");
    EXPECT_EQ(nvidia_generation(7, 5), "Turing");
    EXPECT_EQ(nvidia_generation(8, 6), "Ampere");
    EXPECT_EQ(nvidia_generation(8, 9), "Ada");
    EXPECT_EQ(nvidia_generation(9, 0), "Hopper");
    EXPECT_EQ(nvidia_generation(99, 0), "");
    EXPECT_EQ(amd_generation("gfx942:sramecc+:xnack-"), "CDNA3");
    EXPECT_EQ(amd_generation("gfx1030"), "RDNA2");
    EXPECT_EQ(amd_generation("Intel Arc"), "");
}

TEST(Probe, FeaturesAreTestedOnlyWherePossible) {
    auto gpu = device(0).info;
    EXPECT_EQ(candidate_features(gpu), std::vector{Feature::fp16});
    gpu.vendor = "NVIDIA Corporation";
    EXPECT_EQ(candidate_features(gpu), (std::vector{Feature::fp16, Feature::mma_bf16}));
}

TEST(Probe, ADriverThatCrashesWhenListedIsAProblem) {
    const ProbeSteps steps{[]() -> ProbeReport { std::abort(); }, ready, no_fp16};
    const auto report = probe({.inventory_deadline = 60s}, steps);
    EXPECT_TRUE(report.devices.empty());
    ASSERT_EQ(report.problems.size(), 1U);
    EXPECT_EQ(report.problems[0], "Listing the OpenCL devices failed: killed by SIGABRT.");
}

TEST(Probe, JsonRoundTripsTheWholeReport) {
    auto report = three_devices();
    report.devices[1] = ready(report.devices[1].info);
    report.devices[1].info.memory = {std::uint64_t{1} << 40, "cgroup-v2"};
    report.devices[1].info.processor_class = "Hopper";
    const auto back = probe_report_from_json(to_json(report));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(to_json(*back), to_json(report));
    EXPECT_EQ(back->devices[0].info.memory, (MemorySize{{}, "unknown"}));
    EXPECT_EQ(back->devices[1].info.memory, (MemorySize{std::uint64_t{1} << 40, "cgroup-v2"}));
    EXPECT_EQ(back->devices[1].info.processor_class, "Hopper");
    EXPECT_EQ(back->devices[1].info.driver_memory_bytes, std::uint64_t{150} << 30);
}

TEST(Probe, HalfAReportIsCorrupt) {
    const auto text = to_json(three_devices());
    EXPECT_EQ(probe_report_from_json(text.substr(0, text.size() / 2)).error().code, Errc::corrupt);
    EXPECT_EQ(probe_report_from_json("{\"devices\":[{}],\"problems\":[]}").error().code,
              Errc::corrupt);
}

}  // namespace
}  // namespace plimsoll::opencl
