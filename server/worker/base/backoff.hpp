#pragma once

#include <chrono>
#include <functional>

namespace plimsoll::worker {

// Pauses between attempts: doubling from `first` to `longest`, each shortened by up to half at
// random, so that what failed together does not come back together.
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

// From the system's entropy; not for secrets.
Backoff::Random system_random();

}  // namespace plimsoll::worker
