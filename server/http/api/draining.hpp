#pragma once

namespace plimsoll::http {

// Set once when the server begins to stop: readiness becomes 503, and long polls and event streams
// end within limits::kSignalWait. For the I/O thread.
class Draining {
  public:
    void begin() { begun_ = true; }
    bool begun() const { return begun_; }

  private:
    bool begun_ = false;
};

}  // namespace plimsoll::http
