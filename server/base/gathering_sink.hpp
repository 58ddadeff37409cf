#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <spdlog/sinks/base_sink.h>

namespace plimsoll::log {

// Batches log lines for readers other than a terminal. An isolated line is written immediately;
// lines in quick succession are written together, because a server that answers thousands of
// requests per second would otherwise spend a tenth of its time on logging. A warning or an error
// flushes the batch immediately. Batched lines are lost if the process is killed.
class GatheringSink final : public spdlog::sinks::base_sink<std::mutex> {
  public:
    explicit GatheringSink(int descriptor);
    ~GatheringSink() override;

  private:
    void sink_it_(const spdlog::details::log_msg& line) override;
    void flush_() override;
    void write_late();

    using Clock = std::chrono::steady_clock;

    const int descriptor_;
    spdlog::memory_buf_t lines_;
    Clock::time_point written_;
    bool ending_ = false;
    std::condition_variable changed_;
    std::thread late_;
};

}  // namespace plimsoll::log
