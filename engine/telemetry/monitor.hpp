#pragma once

#include "engine/telemetry/reading.hpp"
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

// Looks at a device every `interval` on a thread of its own, because a driver whose device fell off
// the bus may never answer: whoever asks for the latest snapshot never waits, and a thread that
// hangs is left behind. The sensor is used by that thread alone.
class Monitor {
  public:
    Monitor(Sensor sensor, Watch watch, std::chrono::milliseconds interval);
    ~Monitor();
    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;

    // Nothing before the first look, or when the last one is older than five intervals.
    std::optional<Snapshot> latest() const;

  private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace plimsoll::telemetry
