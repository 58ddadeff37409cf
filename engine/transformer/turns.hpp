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

// The least seconds of each piece of work. They take turns, in each round in the opposite order, so
// that a change of the machine's load slows all of them and not one.
Result<std::vector<double>> least_seconds(std::span<const Work> works, std::size_t rounds,
                                          const Now& now = std::chrono::steady_clock::now);

}  // namespace plimsoll::transformer
