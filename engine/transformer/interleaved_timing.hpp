#pragma once

#include "engine/base/result.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace plimsoll::transformer {

using Work = std::function<Result<void>()>;
using Now = std::function<std::chrono::steady_clock::time_point()>;

// The shortest time of each piece of work, in seconds. They take turns, reversing the order in
// every round, so that a change of the machine's load affects all of them alike.
Result<std::vector<double>> best_seconds(std::span<const Work> works, std::size_t rounds,
                                         const Now& now = std::chrono::steady_clock::now);

}  // namespace plimsoll::transformer
