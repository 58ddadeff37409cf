#include "server/queue/retry.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::queue {

std::chrono::duration<double> retry_delay(int attempt) {
    constexpr double kLongest = 60;
    return std::chrono::duration<double>(
        std::min(kLongest, std::pow(4.0, std::max(attempt, 1) - 1)));
}

}  // namespace plimsoll::queue
