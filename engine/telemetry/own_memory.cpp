#include "engine/telemetry/sensors.hpp"

#include <utility>

namespace plimsoll::telemetry {

Sensor with_own_memory(Sensor sensor, std::function<std::uint64_t()> booked) {
    return [sensor = std::move(sensor), booked = std::move(booked)] {
        auto reading = sensor();
        if (!reading.own_memory_bytes) reading.own_memory_bytes = booked();
        return reading;
    };
}

}  // namespace plimsoll::telemetry
