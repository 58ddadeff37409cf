#pragma once

#include "server/worker/base/timer.hpp"
#include "server/worker/device/device_thread.hpp"

#include <chrono>

namespace plimsoll::worker {

// Kinds beat at least once a second. Checked once a second, two intervals tolerate a late beat.
inline constexpr std::chrono::milliseconds kLivenessInterval{1000};
inline constexpr std::chrono::milliseconds kLivenessTimeout{2000};

// Bytes that a worker writes to its supervisor: the device thread is alive, tasks were finished,
// and why the worker exits (a line of text follows).
inline constexpr char kAliveByte = '+';
inline constexpr char kTaskDoneByte = 't';
inline constexpr char kExitReasonByte = '!';

// Distinguishes work from a hang: the device thread is alive if it is idle, or if its pulse changed
// within the last `patience`. The first check counts as a change.
class LivenessDetector {
  public:
    explicit LivenessDetector(std::chrono::milliseconds patience) : patience_(patience) {}

    bool is_alive(Pulse pulse, TimePoint now) {
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
