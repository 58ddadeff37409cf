#pragma once

#include "server/terminal/command_context.hpp"

#include <chrono>
#include <string>

namespace plimsoll::terminal {

// Reports on standard error why a job has not started: immediately if something blocks it (no
// device, a hold, a quota, a time), later if others are ahead of it, and each reason once.
class WaitReason {
  public:
    WaitReason(const CommandContext& context, std::string job_id);

    // Call often while the job is watched; asks the server at most every 15 seconds, over its own
    // connection. Does nothing unless `state` is "queued" or "scheduled".
    void look(const std::string& state);

  private:
    using Clock = std::chrono::steady_clock;

    const CommandContext& context_;
    std::string job_id_;
    std::string said_;
    Clock::time_point began_ = Clock::now();
    Clock::time_point next_ = began_;
};

}  // namespace plimsoll::terminal
