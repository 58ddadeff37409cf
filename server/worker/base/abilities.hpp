#pragma once

#include "server/jobs/kind.hpp"
#include "server/queue/worker_store.hpp"

#include <span>

namespace plimsoll::worker {

// Sets the kinds' current abilities on the device that `info` describes.
void describe_abilities(std::span<const jobs::Run> kinds, const jobs::KindSettings& settings,
                        queue::WorkerInfo& info);

}  // namespace plimsoll::worker
