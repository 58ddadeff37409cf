#include "server/worker/device/running_record.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

namespace plimsoll::worker {

// Shared between processes of one program: no pointers, and a count that is written last.
struct RunningRecord::Page {
    std::atomic<std::uint32_t> count;
    std::array<queue::LeasedTask, 4096> tasks;
};

int RunningRecord::create() {
    const int fd = memfd_create("plimsoll-running-tasks", MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, sizeof(Page)) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

RunningRecord::RunningRecord(int fd) {
    void* memory = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (memory != MAP_FAILED) page_ = static_cast<Page*>(memory);
}

RunningRecord::~RunningRecord() {
    if (page_ != nullptr) munmap(page_, sizeof(Page));
}

std::vector<queue::LeasedTask> RunningRecord::tasks() const {
    if (page_ == nullptr) return {};
    const auto count =
        std::min<std::size_t>(page_->count.load(std::memory_order_acquire), page_->tasks.size());
    return {page_->tasks.begin(), page_->tasks.begin() + static_cast<std::ptrdiff_t>(count)};
}

void RunningRecord::set(std::span<const queue::LeasedTask> tasks) {
    if (page_ == nullptr) return;
    const auto count = std::min(tasks.size(), page_->tasks.size());
    page_->count.store(0, std::memory_order_release);
    std::ranges::copy(tasks.first(count), page_->tasks.begin());
    page_->count.store(static_cast<std::uint32_t>(count), std::memory_order_release);
}

}  // namespace plimsoll::worker
