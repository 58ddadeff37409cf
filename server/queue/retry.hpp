#pragma once

#include "engine/base/result.hpp"

#include <chrono>
#include <optional>

namespace plimsoll::queue {

// How failures that may pass are tried again. Pauses grow from `first` by `factor` up to `longest`.
struct RetryRule {
    int attempts = 1;  // in all; 1: never again
    std::chrono::duration<double> first{};
    double factor = 1;
    std::chrono::duration<double> longest{};
};

// Shortage of a resource, absence of something needed, and slowness pass at different paces; what
// the input or a bug causes comes back every time.
RetryRule retry_rule(Errc error);

// How long a task waits after its nth attempt (from 1) failed with this; nothing: it is given up.
// `chance`, uniform in [0, 1), spreads the pause from half to one and a half of the rule's, so that
// what failed together does not come back together.
std::optional<std::chrono::duration<double>> pause_before_retry(Errc error, int attempt,
                                                                double chance);

}  // namespace plimsoll::queue
