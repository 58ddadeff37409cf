#pragma once

#include <chrono>

namespace plimsoll::postgres {

// By the local steady clock: deadlines bound waiting, not anything stored.
using Deadline = std::chrono::steady_clock::time_point;

}  // namespace plimsoll::postgres
