#pragma once

#include "server/queue/job.hpp"

#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::http::endpoints {

nlohmann::json device_json(const queue::DeviceStatus& device);

// "ok" or "degraded", the member `gpu` that monitors of one GPU expect (its sickest GPU, else the
// first), and every device that has not signed off. Megabytes are of 2^20 bytes, as nvidia-smi
// counts them.
nlohmann::json health_json(const std::vector<queue::DeviceStatus>& devices);

}  // namespace plimsoll::http::endpoints
