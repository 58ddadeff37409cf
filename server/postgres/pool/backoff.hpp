#pragma once

#include <algorithm>
#include <chrono>

namespace plimsoll::postgres {

// Reconnect backoff: doubles from 50 ms to 1 s, so that a recovered database is found within about
// a second.
class Backoff {
  public:
    std::chrono::milliseconds next() {
        const auto pause = pause_;
        pause_ = std::min(pause_ * 2, longest);
        return pause;
    }
    void reset() { pause_ = shortest; }

  private:
    static constexpr std::chrono::milliseconds shortest{50};
    static constexpr std::chrono::milliseconds longest{1000};
    std::chrono::milliseconds pause_ = shortest;
};

}  // namespace plimsoll::postgres
