#pragma once

#include "server/app/metric_family.hpp"
#include "server/postgres/workers/statistics.hpp"
#include "server/queue/job.hpp"
#include "server/queue/shares.hpp"

namespace plimsoll::app {

Families queue_metrics(const std::vector<postgres::QueueDepth>& depths);

Families vacuum_metrics(const std::vector<queue::VacuumHolder>& holders);

// Device states, and the telemetry of their workers' last heartbeats.
Families device_metrics(const std::vector<queue::DeviceStatus>& devices);

}  // namespace plimsoll::app
