#include "server/worker/base/backoff.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace plimsoll::worker {

Backoff::Backoff(Pause first, Pause longest, Random random)
    : first_(first), longest_(longest), pause_(first), random_(std::move(random)) {}

Backoff::Pause Backoff::next() {
    const auto full = pause_;
    pause_ = std::min(pause_ * 2, longest_);
    const double share = 1 - random_() / 2;
    return std::chrono::duration_cast<Pause>(full * share);
}

Backoff::Random system_random() {
    return [bits = std::mt19937_64(std::random_device{}())]() mutable {
        return std::uniform_real_distribution<double>(0, 1)(bits);
    };
}

}  // namespace plimsoll::worker
