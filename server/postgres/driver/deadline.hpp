#pragma once

#include <chrono>

namespace plimsoll::postgres {

// Of the local steady clock: deadlines bound our waiting, nothing that is stored.
using Deadline = std::chrono::steady_clock::time_point;

}  // namespace plimsoll::postgres
