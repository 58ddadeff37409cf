#pragma once

#include <chrono>

namespace plimsoll::queue {

// How long a task waits after its nth attempt (from 1) failed in a way that may pass: 1, 4, 16 …
// seconds, a minute at most.
std::chrono::duration<double> retry_delay(int attempt);

}  // namespace plimsoll::queue
