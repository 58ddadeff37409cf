#pragma once

#include "engine/telemetry/sensors.hpp"

#include <string>
#include <vector>

namespace plimsoll::telemetry {

// Thresholds above which a reading raises a warning.
struct Thresholds {
    double utilization_percent = 90;  // GPUs only: a busy processor is normal
    double temperature_celsius = 85;
    std::uint64_t free_memory_bytes = 500'000'000;
};

struct Warning {
    std::string code;     // utilization, temperature, free_memory, memory_errors or fault
    std::string message;  // a sentence for people, with the value and the limit

    bool operator==(const Warning&) const = default;
};

// Turns readings into warnings with hysteresis: a warning begins after three consecutive readings
// past the limit, and ends with one clearly below: 5 points of utilization, 3 degrees, or a fifth
// of the memory limit. Memory errors and faults warn at once and stay until the driver is reloaded.
class Watch {
  public:
    Watch(Thresholds thresholds, bool is_gpu) : thresholds_(thresholds), is_gpu_(is_gpu) {}

    std::vector<Warning> look(const Reading& reading);

  private:
    class Limit {
      public:
        // Whether to warn, given whether the latest reading is past the limit or clearly below it.
        bool look(bool past, bool back);

      private:
        int past_in_a_row_ = 0;
        bool on_ = false;
    };

    Thresholds thresholds_;
    bool is_gpu_;
    Limit utilization_;
    Limit temperature_;
    Limit memory_;
};

}  // namespace plimsoll::telemetry
