#include "server/base/gathering_sink.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plimsoll::log {
namespace {

// How long a line waits for others, and how many bytes wait at most.
constexpr std::chrono::milliseconds kGather{20};
constexpr std::size_t kBytes = 32 * 1024;
constexpr std::size_t kMaxBytes = 256 * 1024;  // while nobody reads, or the disk is full
constexpr std::chrono::seconds kLastWords{1};

}  // namespace

GatheringSink::GatheringSink(int descriptor, Lines lines, Report report)
    : descriptor_(descriptor), mode_(lines), report_(std::move(report)) {
    struct stat about{};
    if (fstat(descriptor, &about) == 0 && S_ISSOCK(about.st_mode)) kind_ = Kind::socket;
    if (S_ISFIFO(about.st_mode)) {
        // Opened again: others share the flags of the one that was inherited.
        const auto path = "/proc/self/fd/" + std::to_string(descriptor);
        const int own = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        kind_ = Kind::pipe;
        owned_ = own >= 0;
        if (owned_) descriptor_ = own;
    }
    if (mode_ == Lines::gathered) late_ = std::thread([this] { write_late(); });
}

GatheringSink::~GatheringSink() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_one();
    if (late_.joinable()) late_.join();
    flush_();
    const auto end = Clock::now() + kLastWords;
    for (; lines_.size() > 0 && Clock::now() < end; flush_()) std::this_thread::sleep_for(kGather);
    if (owned_) close(descriptor_);
}

void GatheringSink::sink_it_(const spdlog::details::log_msg& line) {
    if (lines_.size() >= kMaxBytes) flush_();
    if (lines_.size() >= kMaxBytes) {
        ++dropped_;
        return;
    }
    const bool none_waits = lines_.size() == 0;
    formatter_->format(line, lines_);
    const bool alone = none_waits && Clock::now() - written_ >= kGather;
    if (mode_ == Lines::at_once || alone || line.level >= spdlog::level::warn ||
        lines_.size() >= kBytes)
        flush_();
    if (none_waits && lines_.size() > 0) changed_.notify_one();
}

void GatheringSink::flush_() {
    std::size_t done = 0;
    bool full = false;
    while (done < lines_.size() && !full) {
        const auto count = put(lines_.data() + done, lines_.size() - done);
        if (count > 0) done += static_cast<std::size_t>(count);
        if (count >= 0 || errno == EINTR) continue;
        full = errno == EAGAIN || errno == ENOSPC;
        // If standard error cannot be written, there is nowhere to report it.
        if (!full) done = lines_.size();
    }
    const auto left = lines_.size() - done;
    if (done > 0) std::memmove(lines_.data(), lines_.data() + done, left);
    lines_.resize(left);
    written_ = Clock::now();
    if (!full && dropped_ > 0) report_dropped();
}

void GatheringSink::report_dropped() {
    const auto text = report_(std::exchange(dropped_, 0));
    sink_it_({spdlog::source_loc{}, "log", spdlog::level::warn, text});
}

ssize_t GatheringSink::put(const char* bytes, std::size_t size) const {
    if (kind_ == Kind::socket) return ::send(descriptor_, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    return ::write(descriptor_, bytes, size);
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
