#pragma once

#include "server/queue/job.hpp"
#include "server/queue/shares.hpp"

#include <vector>

#include <nlohmann/json.hpp>

// JSON of shares, limits and holds, as in the contract.

namespace plimsoll::http::endpoints {

nlohmann::json share_json(const queue::Share& share);
nlohmann::json hold_json(const queue::Hold& hold);
nlohmann::json class_json(const queue::ClassOverview& overview);
nlohmann::json limit_json(const queue::TeamLimit& limit);
// Their editable members.
nlohmann::json editable_share(const queue::Share& share);
nlohmann::json editable_class(const queue::ClassOverview& overview);
nlohmann::json editable_limit(const queue::TeamLimit& limit);
// Warnings for holders older than VacuumHolder::kReportAfterSeconds.
nlohmann::json warnings_json(const std::vector<queue::VacuumHolder>& holders);

// Public ids of holds.
std::string public_hold(std::int64_t id);
std::optional<std::int64_t> parse_hold(const std::string& text);

nlohmann::json device_json(const queue::DeviceStatus& device);

// Health of all devices that have not been retired: "ok" or "degraded", and `gpu` for monitors that
// expect a single GPU (the least healthy, else the first). Megabytes are 2^20 bytes, as in
// nvidia-smi.
nlohmann::json health_json(const std::vector<queue::DeviceStatus>& devices);

}  // namespace plimsoll::http::endpoints
