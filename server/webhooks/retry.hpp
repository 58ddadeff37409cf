#pragma once

#include <chrono>
#include <optional>

namespace plimsoll::webhooks {

constexpr int kMostAttempts = 8;

// How long to wait after the failed attempt number `attempt` (from 1): seconds at first, hours in
// the end, about half a day in all. `chance` in [0, 1) spreads it by a quarter, so that notices
// that failed together do not come back together. Nothing after the last.
std::optional<std::chrono::milliseconds> pause_after(int attempt, double chance);

}  // namespace plimsoll::webhooks
