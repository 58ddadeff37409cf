#pragma once

#include <ctime>

namespace plimsoll {

// Makes its thread give way while it exists: a pause of 50 us after every 200 us, or, where others
// made it longer, after an eighth of the last one. A thread that is merely nice often runs until
// the next tick of the clock, up to 4 ms, while somebody waits, and so does one of SCHED_IDLE:
// Linux compares sessions and services first. One that sleeps gives its processor to whoever wants
// it. The thread stays nice afterwards: for threads that only compute. SIGALRM is used.
class BackgroundPriority {
  public:
    BackgroundPriority();
    BackgroundPriority(const BackgroundPriority&) = delete;
    BackgroundPriority& operator=(const BackgroundPriority&) = delete;
    ~BackgroundPriority();

  private:
    timer_t pauses_{};
    bool pausing_ = false;  // not if there are too many timers
};

}  // namespace plimsoll
