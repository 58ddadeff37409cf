#pragma once

#include "server/base/log.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include <spdlog/sinks/base_sink.h>

namespace plimsoll::log {

// Writes log lines to a file, a pipe or a socket, and never waits for their reader: what the reader
// has no room for is kept up to a limit, and beyond it dropped, counted and reported.
//
// Lines::gathered: an isolated line is written immediately; lines in quick succession are written
// together, because a server that answers thousands of requests per second would otherwise spend a
// tenth of its time on logging. A warning or an error flushes the batch immediately. Batched lines
// are lost if the process is killed.
class GatheringSink final : public spdlog::sinks::base_sink<std::mutex> {
  public:
    // The message that reports dropped lines.
    using Report = std::function<std::string(std::size_t)>;

    GatheringSink(int descriptor, Lines lines, Report report);
    ~GatheringSink() override;

  private:
    void sink_it_(const spdlog::details::log_msg& line) override;
    void flush_() override;
    void write_late();
    void report_dropped();
    ssize_t put(const char* bytes, std::size_t size) const;

    using Clock = std::chrono::steady_clock;

    enum class Kind { file, pipe, socket };

    int descriptor_;
    Kind kind_ = Kind::file;
    bool owned_ = false;  // the descriptor
    const Lines mode_;
    const Report report_;
    std::size_t dropped_ = 0;
    spdlog::memory_buf_t lines_;
    Clock::time_point written_;
    bool ending_ = false;
    std::condition_variable changed_;
    std::thread late_;
};

}  // namespace plimsoll::log
