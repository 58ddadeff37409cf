#pragma once

namespace plimsoll::http {

// Set once, when the server begins to stop: it is no longer ready, and whoever waits for a job is
// sent home within limits::kSignalWait. For the I/O thread.
class Draining {
  public:
    void begin() { begun_ = true; }
    bool begun() const { return begun_; }

  private:
    bool begun_ = false;
};

}  // namespace plimsoll::http
