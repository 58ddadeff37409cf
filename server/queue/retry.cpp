#include "server/queue/retry.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::queue {

using namespace std::chrono_literals;

RetryRule retry_rule(Errc error) {
    switch (error) {
        case Errc::exhausted:  // for example until another process's training run ends
            return {6, 2s, 4, 120s};
        case Errc::unavailable:  // a service restarts, or is repaired
            return {8, 1s, 4, 300s};
        case Errc::timeout:  // each attempt costs the whole time again
            return {3, 5s, 4, 60s};
        case Errc::cancelled:  // without a request to stop
            return {3, 1s, 4, 60s};
        default: return {};
    }
}

std::optional<std::chrono::duration<double>> pause_before_retry(Errc error, int attempt,
                                                                double chance) {
    const auto rule = retry_rule(error);
    attempt = std::max(attempt, 1);
    if (attempt >= rule.attempts) return std::nullopt;
    const auto pause = std::min(rule.first * std::pow(rule.factor, attempt - 1), rule.longest);
    return pause * (0.5 + chance);
}

}  // namespace plimsoll::queue
