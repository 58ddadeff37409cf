#pragma once

#include "server/queue/job.hpp"

#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::http::endpoints {

nlohmann::json device_json(const queue::DeviceStatus& device);

// Health of all devices that have not been retired: "ok" or "degraded", and `gpu` for monitors that
// expect a single GPU (the least healthy, else the first). Megabytes are 2^20 bytes, as in
// nvidia-smi.
nlohmann::json health_json(const std::vector<queue::DeviceStatus>& devices);

}  // namespace plimsoll::http::endpoints
