#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

namespace plimsoll::worker {

// How long threads of this process were ready to run, but had no processor, because others used it.
class ProcessorWait {
  public:
    // `threads`: the kernel's files on them; empty: nothing is known, and the wait is zero.
    explicit ProcessorWait(std::filesystem::path threads = "/proc/self/task")
        : threads_(std::move(threads)) {}

    // Counts from now on.
    void restart() { before_ = read(); }

    // Of the thread that waited longest.
    std::chrono::nanoseconds longest() const;

  private:
    using Waits = std::map<std::string, std::chrono::nanoseconds>;  // by thread, since it began
    Waits read() const;

    std::filesystem::path threads_;
    Waits before_;
};

}  // namespace plimsoll::worker
