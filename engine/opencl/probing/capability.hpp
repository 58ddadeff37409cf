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

std::string_view to_string(DeviceState state);

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
};

struct ProbeReport {
    std::vector<Capability> devices;
    std::vector<std::string> problems;  // drivers that failed to list their devices
};

// The JSON of a report, as `plimsoll-engine probe --json` prints it: one line,
// {"devices":[{"device":"opencl:pocl:0","state":"ready",…}],"problems":[]}. An unknown memory size
// is null. Errc::corrupt for any other text.
std::string to_json(const Capability& capability);
std::string to_json(const ProbeReport& report);
Result<Capability> capability_from_json(std::string_view text);
Result<ProbeReport> probe_report_from_json(std::string_view text);

}  // namespace plimsoll::opencl
