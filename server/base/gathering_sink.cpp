#include "server/base/gathering_sink.hpp"

#include <cerrno>

#include <unistd.h>

namespace plimsoll::log {
namespace {

// How long a line waits for others, and how many bytes wait at most.
constexpr std::chrono::milliseconds kGather{20};
constexpr std::size_t kBytes = 32 * 1024;

}  // namespace

GatheringSink::GatheringSink(int descriptor)
    : descriptor_(descriptor), late_([this] { write_late(); }) {}

GatheringSink::~GatheringSink() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_one();
    late_.join();
    flush_();
}

void GatheringSink::sink_it_(const spdlog::details::log_msg& line) {
    const bool none_waits = lines_.size() == 0;
    formatter_->format(line, lines_);
    const bool alone = none_waits && Clock::now() - written_ >= kGather;
    if (alone || line.level >= spdlog::level::warn || lines_.size() >= kBytes) return flush_();
    if (none_waits) changed_.notify_one();
}

void GatheringSink::flush_() {
    // If standard error cannot be written, there is nowhere to report it.
    for (std::size_t done = 0; done < lines_.size();) {
        const auto count = ::write(descriptor_, lines_.data() + done, lines_.size() - done);
        if (count < 0 && errno != EINTR) break;
        if (count > 0) done += static_cast<std::size_t>(count);
    }
    lines_.clear();
    written_ = Clock::now();
}

void GatheringSink::write_late() {
    std::unique_lock lock(mutex_);
    while (!ending_) {
        changed_.wait(lock, [this] { return ending_ || lines_.size() > 0; });
        changed_.wait_until(lock, written_ + kGather, [this] { return ending_; });
        flush_();
    }
}

}  // namespace plimsoll::log
