#pragma once

#include "server/worker/base/processor_wait.hpp"
#include "server/worker/base/timer.hpp"
#include "server/worker/device/device_thread.hpp"

#include <chrono>
#include <utility>

namespace plimsoll::worker {

// Kinds beat at least once a second. Checked once a second, two intervals tolerate a late beat.
inline constexpr std::chrono::milliseconds kLivenessInterval{1000};
inline constexpr std::chrono::milliseconds kLivenessTimeout{2000};
// Whatever the machine is busy with, a longer silence is a hang.
inline constexpr std::chrono::milliseconds kLongestSilence{60'000};

// Bytes that a worker writes to its supervisor: the device thread is alive, tasks were finished,
// the worker was told to end, and why it exits (a line of text follows).
inline constexpr char kAliveByte = '+';
inline constexpr char kTaskDoneByte = 't';
inline constexpr char kToldToEndByte = '.';
inline constexpr char kExitReasonByte = '!';

// Distinguishes work from a hang: the device thread is alive if it is idle, or if its pulse changed
// within the last `patience`, not counting the time that a thread of the process waited for a
// processor: on a machine that other programs keep busy, a short kernel takes long. The first check
// counts as a change.
class LivenessDetector {
  public:
    explicit LivenessDetector(std::chrono::milliseconds patience,
                              ProcessorWait wait = ProcessorWait())
        : patience_(patience), wait_(std::move(wait)) {}

    bool is_alive(Pulse pulse, TimePoint now) {
        if (!pulse.busy || pulse.count != seen_ || changed_at_ == TimePoint{}) {
            seen_ = pulse.count;
            changed_at_ = now;
            wait_.restart();
        }
        const auto silence = now - changed_at_;
        if (silence < patience_ || silence >= kLongestSilence) return silence < patience_;
        return silence - wait_.longest() < patience_;
    }

  private:
    std::chrono::milliseconds patience_;
    ProcessorWait wait_;
    std::uint64_t seen_ = 0;
    TimePoint changed_at_{};
};

}  // namespace plimsoll::worker
