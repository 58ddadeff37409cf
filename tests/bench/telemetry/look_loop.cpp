// telemetry_look_loop ROUNDS [PCI_ADDRESS]: what GPU_PROFILING_ENABLED=1 adds to a worker. Prints
// as JSON the processor's seconds of one look at the machine's sensors, or at those of an NVIDIA
// GPU, of telling it to the log without and with the line of readings (which comes every ten
// seconds), medians of interleaved rounds. The log goes to standard error.

#include "engine/telemetry/sensors.hpp"
#include "server/base/log.hpp"
#include "server/worker/device/device_log.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace plimsoll {
namespace {

constexpr int kCalls = 200;  // in a round
constexpr std::chrono::seconds kBetweenLines{10};

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

template <class Call>
double seconds_of(Call call) {
    const double start = processor_seconds();
    for (int i = 0; i < kCalls; ++i) call();
    return (processor_seconds() - start) / kCalls;
}

telemetry::Sensor sensor_at(const char* pci_address) {
    if (pci_address == nullptr) return telemetry::host_sensor();
    auto sensor = telemetry::nvidia_sensor(pci_address);
    if (sensor) return std::move(*sensor);
    std::fprintf(stderr, "%s\n", sensor.error().message.c_str());
    std::exit(1);
}

void run(int rounds, const char* pci_address) {
    const auto sensor = sensor_at(pci_address);
    telemetry::Snapshot snapshot{sensor(), {}, std::chrono::steady_clock::now()};
    worker::DeviceLog silent(false);
    worker::DeviceLog telling(true);
    std::vector<double> looks;
    std::vector<double> without;
    std::vector<double> with;
    for (int round = 0; round < rounds; ++round) {
        looks.push_back(seconds_of([&] { snapshot.reading = sensor(); }));
        without.push_back(seconds_of([&] { silent.tell("host", snapshot); }));
        with.push_back(seconds_of([&] {
            snapshot.at += kBetweenLines;
            telling.tell("host", snapshot);
        }));
    }
    std::printf("{\"look\":%.9f,\"without\":%.9f,\"with\":%.9f}\n", median(looks), median(without),
                median(with));
}

}  // namespace
}  // namespace plimsoll

int main(int argc, char** argv) {
    if (argc != 2 && argc != 3) return 2;
    plimsoll::log::start("bench", plimsoll::log::Level::info);
    plimsoll::run(std::atoi(argv[1]), argc == 3 ? argv[2] : nullptr);
    return 0;
}
