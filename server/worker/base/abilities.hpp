#pragma once

#include "server/jobs/kind.hpp"
#include "server/queue/worker_store.hpp"

#include <span>

namespace plimsoll::worker {

// Sets what the kinds can do here at this moment. `device`: whether there is an OpenCL device.
void describe_abilities(std::span<const jobs::Run> kinds, const jobs::KindSettings& settings,
                        bool device, queue::WorkerInfo& info);

}  // namespace plimsoll::worker
