#pragma once

#include "server/app/metric_family.hpp"
#include "server/queue/job.hpp"
#include "server/queue/shares.hpp"
#include "server/queue/statistics.hpp"

namespace plimsoll::app {

Families queue_metrics(const std::vector<queue::QueueDepth>& depths);

Families vacuum_metrics(const std::vector<queue::VacuumHolder>& holders);

// Device states, and the telemetry of their workers' last heartbeats.
Families device_metrics(const std::vector<queue::DeviceStatus>& devices);

}  // namespace plimsoll::app
