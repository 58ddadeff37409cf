#pragma once

#include "engine/base/result.hpp"

namespace plimsoll::worker {

// Whether the database answers, said once when it changes rather than at every attempt.
class Outage {
  public:
    // True for failures that pass by themselves: the call is to be made again.
    bool begins_with(const Error& error);
    void ends();
    bool is_on() const { return on_; }

  private:
    bool on_ = false;
};

// The queue does not know this worker or this lease any more.
bool is_gone(const Error& error);

}  // namespace plimsoll::worker
