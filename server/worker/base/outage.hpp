#pragma once

#include "engine/base/result.hpp"

namespace plimsoll::worker {

// Tracks database outages and logs only the transitions, not every attempt.
class Outage {
  public:
    // True for transient failures: retry the call.
    bool begins_with(const Error& error);
    void ends();
    bool is_on() const { return on_; }

  private:
    bool on_ = false;
};

// Whether the queue no longer knows this worker or lease.
bool is_gone(const Error& error);

}  // namespace plimsoll::worker
