#pragma once

#include "server/worker/base/timer.hpp"
#include "server/worker/device/device_thread.hpp"

#include <chrono>

namespace plimsoll::worker {

// Kinds beat once a second: for one who looks as often, two intervals leave room for a late beat.
inline constexpr std::chrono::milliseconds kLifeInterval{1000};
inline constexpr std::chrono::milliseconds kLifePatience{2000};

// What a worker writes to its supervisor: that its device thread lives, that it finished tasks, and
// why it ends itself: a line of text behind the sign.
inline constexpr char kLifeSign = '+';
inline constexpr char kTaskSign = 't';
inline constexpr char kEndSign = '!';

// Tells work from a hang: the device thread lives when it has nothing to do, or when its pulse
// changed within the last `patience`. The first look counts as a change.
class Life {
  public:
    explicit Life(std::chrono::milliseconds patience) : patience_(patience) {}

    bool shown(Pulse pulse, TimePoint now) {
        if (!pulse.busy || pulse.count != seen_ || changed_at_ == TimePoint{}) {
            seen_ = pulse.count;
            changed_at_ = now;
        }
        return now - changed_at_ < patience_;
    }

  private:
    std::chrono::milliseconds patience_;
    std::uint64_t seen_ = 0;
    TimePoint changed_at_{};
};

}  // namespace plimsoll::worker
