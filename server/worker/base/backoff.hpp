#pragma once

#include <chrono>
#include <functional>

namespace plimsoll::worker {

// Exponential backoff with jitter: pauses double from `first` to `longest`, each shortened at
// random by up to half, so that clients that failed together do not retry together.
class Backoff {
  public:
    using Pause = std::chrono::milliseconds;
    using Random = std::function<double()>;  // uniform in [0, 1)

    Backoff(Pause first, Pause longest, Random random);

    Pause next();
    void reset() { pause_ = first_; }

  private:
    Pause first_;
    Pause longest_;
    Pause pause_;
    Random random_;
};

// Seeded by the system; not for secrets.
Backoff::Random system_random();

}  // namespace plimsoll::worker
