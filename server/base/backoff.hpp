#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <utility>

namespace plimsoll {

// Uniform in [0, 1).
using Random = std::function<double()>;

// Seeded by the system; not for secrets.
inline Random system_random() {
    return [bits = std::mt19937_64(std::random_device{}())]() mutable {
        return std::uniform_real_distribution<double>(0, 1)(bits);
    };
}

// Exponential backoff: pauses double from `first` to `longest`. With `random`, each is shortened by
// up to half, so that clients that failed together do not retry together.
class Backoff {
  public:
    using Pause = std::chrono::milliseconds;

    Backoff(Pause first, Pause longest, Random random = {})
        : first_(first), longest_(longest), pause_(first), random_(std::move(random)) {}

    Pause next() {
        const auto pause = std::exchange(pause_, std::min(pause_ * 2, longest_));
        if (!random_) return pause;
        return std::chrono::duration_cast<Pause>(pause * (1 - random_() / 2));
    }
    void reset() { pause_ = first_; }

  private:
    Pause first_;
    Pause longest_;
    Pause pause_;
    Random random_;
};

}  // namespace plimsoll
