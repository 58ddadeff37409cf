#include "engine/opencl/probing/probe.hpp"

#include "engine/cli/commands.hpp"

#include <cstdio>
#include <cstdlib>

namespace plimsoll::cli {
namespace {

// In MiB; a size without a reliable source is unknown.
std::string text_of(const opencl::MemorySize& memory) {
    if (!memory.bytes) return "memory unknown";
    return std::to_string(*memory.bytes >> 20) + " MiB (" + memory.source + ")";
}

void print(const opencl::ProbeReport& report) {
    for (const auto& device : report.devices) {
        const auto& shown = device.info.processor_class;
        std::printf("%s  %s  %s, %s%u compute units, %s, driver %s\n",
                    to_string(device.info.address).c_str(),
                    std::string(to_string(device.state)).c_str(), device.info.name.c_str(),
                    shown.empty() ? "" : (shown + ", ").c_str(), device.info.compute_units,
                    text_of(device.info.memory).c_str(), device.info.driver_version.c_str());
        if (!device.reason.empty()) std::printf("    %s\n", device.reason.c_str());
        for (const auto& test : device.tests) {
            std::printf("    %-10s %s  error %.2g, tolerance %.2g\n", test.name.c_str(),
                        test.passed() ? "passed" : "FAILED", test.max_error, test.tolerance);
        }
    }
    for (const auto& problem : report.problems) std::printf("problem: %s\n", problem.c_str());
    if (report.devices.empty()) std::printf("No OpenCL device found.\n");
}

}  // namespace

Result<int> probe(const ProbeOptions& options) {
    const auto report = opencl::probe();
    if (options.json)
        std::printf("%s\n", to_json(report).c_str());
    else
        print(report);
    return EXIT_SUCCESS;
}

}  // namespace plimsoll::cli
