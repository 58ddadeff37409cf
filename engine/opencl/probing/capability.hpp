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
    crashed,  // the process that tried it died
    hung,     // no answer before the deadline
};

std::string_view to_string(DeviceState state);

// What was found out about one device by trying it.
struct Capability {
    DeviceInfo info;
    DeviceState state = DeviceState::failed;
    std::string reason;  // one line, empty when ready
    std::vector<SelfTest> tests;
    std::vector<SelfTest> features;  // those tried; one that failed is not used, and no fault

    bool has(Feature feature) const;
};

struct ProbeReport {
    std::vector<Capability> devices;
    std::vector<std::string> problems;  // drivers that could not even list their devices
};

// The JSON of a report, as `plimsoll-engine probe --json` prints it: one line,
// {"devices":[{"device":"opencl:pocl:0","state":"ready",…}],"problems":[]}. An unknown memory size
// is null. Errc::corrupt when the text is not such a report.
std::string to_json(const Capability& capability);
std::string to_json(const ProbeReport& report);
Result<ProbeReport> probe_report_from_json(std::string_view text);

}  // namespace plimsoll::opencl
