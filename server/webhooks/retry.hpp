#pragma once

#include <chrono>
#include <optional>

namespace plimsoll::webhooks {

constexpr int kMostAttempts = 8;

// The pause after failed attempt number `attempt` (from 1): seconds at first, hours at the end,
// about half a day in total. `chance` in [0, 1) adds 25 % jitter, so that notices that failed
// together do not retry together. nullopt after the last attempt.
std::optional<std::chrono::milliseconds> pause_after(int attempt, double chance);

}  // namespace plimsoll::webhooks
