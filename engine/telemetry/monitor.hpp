#pragma once

#include "engine/telemetry/sensors.hpp"
#include "engine/telemetry/warnings.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace plimsoll::telemetry {

struct Snapshot {
    Reading reading;
    std::vector<Warning> warnings;
    std::chrono::steady_clock::time_point at;
};

// Polls a device every `interval` on its own thread, because a driver whose device fell off the bus
// may never answer: reading the latest snapshot never blocks, and a hung thread is abandoned. Only
// that thread uses the sensor.
class Monitor {
  public:
    Monitor(Sensor sensor, Watch watch, std::chrono::milliseconds interval);
    ~Monitor();
    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;

    // Nothing before the first reading, or when the last one is older than five intervals.
    std::optional<Snapshot> latest() const;

  private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace plimsoll::telemetry
