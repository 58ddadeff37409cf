#include "engine/opencl/probing/probe.hpp"

#include "engine/opencl/devices/inventory.hpp"
#include "engine/opencl/probing/child_process.hpp"

#include <utility>

namespace plimsoll::opencl {

namespace {

ProbeReport list_devices() {
    ProbeReport report;
    auto inventory = take_inventory();
    for (auto& found : inventory.devices)
        report.devices.push_back({std::move(found.info), DeviceState::failed, "not tried", {}, {}});
    for (const auto& problem : inventory.problems) {
        report.problems.push_back(problem.where.empty() ? problem.message
                                                        : problem.where + ": " + problem.message);
    }
    return report;
}

Capability try_device(const DeviceInfo& info) {
    const auto device = Device::open(info.address);
    if (!device) return {info, DeviceState::failed, device.error().message, {}, {}};
    return assess(*device);
}

SelfTest try_feature_of(const DeviceInfo& info, Feature feature) {
    const auto device = Device::open(info.address);
    if (!device) return {std::string(to_string(feature)), 0, 0, device.error().message};
    return run_feature_test(*device, feature);
}

DeviceState state_of(ChildEnd::Kind kind) {
    return kind == ChildEnd::Kind::hung ? DeviceState::hung : DeviceState::crashed;
}

// The child reports in the public JSON format.
Capability verdict(const DeviceInfo& info, const ProbeSteps& steps,
                   std::chrono::milliseconds deadline) {
    const auto end =
        run_in_child([&] { return to_json(ProbeReport{{steps.try_out(info)}, {}}); }, deadline);
    if (end.kind != ChildEnd::Kind::finished) return {info, state_of(end.kind), end.reason, {}, {}};
    auto report = probe_report_from_json(end.output);
    if (!report || report->devices.size() != 1)
        return {info, DeviceState::crashed, "its output is incomplete", {}, {}};
    return std::move(report->devices.front());
}

SelfTest feature_verdict(const DeviceInfo& info, Feature feature, const ProbeSteps& steps,
                         std::chrono::milliseconds deadline) {
    // A compiler that rejects a rare instruction is a result of the test: keep its message off the
    // terminal.
    const auto end = run_in_child(
        [&] {
            Capability tried{info, DeviceState::ready, {}, {}, {steps.try_feature(info, feature)}};
            return to_json(ProbeReport{{std::move(tried)}, {}});
        },
        deadline, ChildOutput::dropped);
    const std::string name(to_string(feature));
    if (end.kind != ChildEnd::Kind::finished) return {name, 0, 0, end.reason};
    auto report = probe_report_from_json(end.output);
    if (!report || report->devices.size() != 1 || report->devices[0].features.size() != 1)
        return {name, 0, 0, "its output is incomplete"};
    return std::move(report->devices[0].features[0]);
}

}  // namespace

Capability assess(const Device& device) {
    Capability capability{device.info(), DeviceState::ready, {}, run_self_tests(device), {}};
    for (const auto& test : capability.tests) {
        if (test.passed()) continue;
        capability.state = DeviceState::failed;
        capability.reason = test.name + ": " + test.failure;
        break;
    }
    return capability;
}

ProbeSteps ProbeSteps::real() { return {list_devices, try_device, try_feature_of}; }

ProbeReport probe(const ProbeOptions& options, const ProbeSteps& steps) {
    const auto end =
        run_in_child([&] { return to_json(steps.list()); }, options.inventory_deadline);
    if (end.kind != ChildEnd::Kind::finished)
        return {{}, {"Listing the OpenCL devices failed: " + end.reason + "."}};
    auto report = probe_report_from_json(end.output);
    if (!report) return {{}, {report.error().message}};
    for (auto& device : report->devices) {
        device = verdict(device.info, steps, options.device_deadline);
        if (device.state != DeviceState::ready) continue;
        for (const auto feature : candidate_features(device.info)) {
            device.features.push_back(
                feature_verdict(device.info, feature, steps, options.device_deadline));
        }
        device.name_processor_class();
    }
    return std::move(*report);
}

}  // namespace plimsoll::opencl
