#pragma once

#include "engine/telemetry/monitor.hpp"

#include <string>

namespace plimsoll::telemetry {

// An object with a member for each quantity of Reading, null where the device does not report it,
// and "warnings", an array of {code, message}.
std::string to_json(const Snapshot& snapshot);

// One line for a log or a terminal: "busy 97 %, 20.1 of 24.0 GB used, 71 °C, 310 of 350 W".
// Unreported quantities are omitted.
std::string to_text(const Reading& reading);

}  // namespace plimsoll::telemetry
