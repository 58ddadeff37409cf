#pragma once

#include "engine/base/result.hpp"

#include <chrono>
#include <optional>

namespace plimsoll::queue {

// How transient failures are retried. Pauses grow from `first` by `factor` up to `longest`.
struct RetryRule {
    int attempts = 1;  // in total; 1: no retry
    std::chrono::duration<double> first{};
    double factor = 1;
    std::chrono::duration<double> longest{};
};

// Resource shortages, unavailable dependencies and timeouts clear up at different rates; errors
// caused by the input or a bug are permanent.
RetryRule retry_rule(Errc error);

// The pause after the nth attempt (from 1) failed with `error`; nullopt: do not retry. `chance`,
// uniform in [0, 1), adds jitter from 0.5 to 1.5 times the rule's pause, so that tasks that failed
// together do not retry together.
std::optional<std::chrono::duration<double>> pause_before_retry(Errc error, int attempt,
                                                                double chance);

}  // namespace plimsoll::queue
