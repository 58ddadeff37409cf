#pragma once

#include "server/app/metric_family.hpp"

namespace plimsoll::app {

// The process_… metrics that Prometheus' own client libraries have, from /proc/self.
Families process_metrics();

}  // namespace plimsoll::app
