#pragma once

#include "engine/base/progress.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace plimsoll {

// Signals progress twice a second during its lifetime, for calls that take seconds and cannot be
// interrupted, such as a driver's compiler. Not for longer than a minute, so that a hung call is
// noticed.
class SteadyBeat {
  public:
    explicit SteadyBeat(Progress* progress) {
        if (progress == nullptr) return;
        thread_ = std::jthread([this, progress](const std::stop_token& stop) {
            constexpr int kBeats = 120;
            constexpr std::chrono::milliseconds kPause{500};
            std::unique_lock lock(mutex_);
            for (int i = 0; i < kBeats && !stop.stop_requested(); ++i) {
                progress->beat();
                wake_.wait_for(lock, stop, kPause, [] { return false; });
            }
        });
    }
    SteadyBeat(const SteadyBeat&) = delete;
    SteadyBeat& operator=(const SteadyBeat&) = delete;
    ~SteadyBeat() = default;

  private:
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread thread_;
};

}  // namespace plimsoll
