#pragma once

#include "engine/telemetry/monitor.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::worker {

// Logs a device's state: each warning once when it starts and once when it ends and, optionally,
// all readings every ten seconds.
class DeviceLog {
  public:
    explicit DeviceLog(bool readings) : readings_(readings) {}

    void tell(const std::string& device, const telemetry::Snapshot& snapshot);

  private:
    bool readings_;
    std::optional<std::chrono::steady_clock::time_point> last_line_;
    std::vector<std::string> warned_of_;  // codes
};

}  // namespace plimsoll::worker
