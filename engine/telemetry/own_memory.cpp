#include "engine/telemetry/sensors.hpp"

#include <utility>

namespace plimsoll::telemetry {

Sensor with_own_memory(Sensor sensor, std::function<std::uint64_t()> ledger_bytes) {
    return [sensor = std::move(sensor), ledger_bytes = std::move(ledger_bytes)] {
        auto reading = sensor();
        if (!reading.own_memory_bytes) reading.own_memory_bytes = ledger_bytes();
        return reading;
    };
}

}  // namespace plimsoll::telemetry
