#pragma once

#include "engine/base/result.hpp"
#include "engine/opencl/devices/device_info.hpp"
#include "engine/opencl/probing/self_test.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::opencl {

enum class DeviceState {
    ready,    // every self-test passed
    failed,   // it answers, but an API call or a self-test failed
    crashed,  // the process that tested it died
    hung,     // no answer before the deadline
};

inline constexpr Word<DeviceState> kDeviceStates[] = {{"ready", DeviceState::ready},
                                                      {"failed", DeviceState::failed},
                                                      {"crashed", DeviceState::crashed},
                                                      {"hung", DeviceState::hung}};
constexpr std::span<const Word<DeviceState>> words_of(DeviceState) { return kDeviceStates; }

// The result of testing one device.
struct Capability {
    DeviceInfo info;
    DeviceState state = DeviceState::failed;
    std::string reason;  // one line, empty when ready
    std::vector<SelfTest> tests;
    std::vector<SelfTest> features;  // optional, tested; a failed one is just not used

    bool has(Feature feature) const;
    // Sets info.processor_class by the best of the features that passed.
    void name_processor_class();
    std::vector<std::string> proven() const;  // names of the tests that passed

    static void members(auto& visit, auto& self) {
        DeviceInfo::members(visit, self.info);
        visit("state", self.state);
        visit("reason", self.reason);
        visit("self_tests", self.tests);
        visit("features", self.features);
        visit.derived("capabilities", self.proven());
    }
};

struct ProbeReport {
    std::vector<Capability> devices;
    std::vector<std::string> problems;  // drivers that failed to list their devices

    static void members(auto& visit, auto& self) {
        visit.always("devices", self.devices);
        visit.always("problems", self.problems);
    }
};

// The JSON of a report, as `plimsoll-engine probe --json` prints it: one line,
// {"devices":[{"device":"opencl:pocl:0","state":"ready",…}],"problems":[]}. An unknown memory size
// is null, what is empty is omitted. Errc::corrupt for any other text.
std::string to_json(const Capability& capability);
std::string to_json(const ProbeReport& report);
Result<Capability> capability_from_json(std::string_view text);
Result<ProbeReport> probe_report_from_json(std::string_view text);

}  // namespace plimsoll::opencl
