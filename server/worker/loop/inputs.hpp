#pragma once

#include "server/queue/worker_store.hpp"

#include <vector>

namespace plimsoll::worker {

// Gives each task on a dataset its slice as its input. Each chunk is unpacked once, on the loop's
// thread, while the device computes the previous batch. A chunk that is damaged becomes the input
// as it is, so that the tasks fail where kinds read inputs.
void divide_chunks(std::vector<queue::ClaimedTask>& tasks);

}  // namespace plimsoll::worker
