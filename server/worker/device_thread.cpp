#include "server/worker/device_thread.hpp"

#include <utility>

#include <boost/asio/post.hpp>

namespace plimsoll::worker {

DeviceThread::DeviceThread(boost::asio::any_io_executor loop, FindRun find_run,
                           Backoff::Random random)
    : loop_(std::move(loop)), find_run_(std::move(find_run)), random_(std::move(random)) {}

DeviceThread::~DeviceThread() {
    {
        const std::lock_guard lock(mutex_);
        leaving_ = true;
        held_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void DeviceThread::start(Opener opener, OnOpened on_opened, OnFinished on_finished) {
    engaged_ = true;
    thread_ = std::thread(
        [this, opener = std::move(opener), on_opened = std::move(on_opened),
         on_finished = std::move(on_finished)] { run(opener, on_opened, on_finished); });
}

void DeviceThread::submit(std::shared_ptr<Batch> batch) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(batch));
    }
    changed_.notify_all();
}

void DeviceThread::hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
}

Pulse DeviceThread::pulse() const {
    const std::lock_guard lock(mutex_);
    const auto beats = running_ != nullptr ? running_->progress.beats() : 0;
    return {engaged_ || !waiting_.empty(), count_ + beats};
}

std::optional<telemetry::DeviceMemory> DeviceThread::memory() const {
    telemetry::MemoryProbe probe;
    {
        const std::lock_guard lock(mutex_);
        probe = memory_;
    }
    return probe ? probe() : std::nullopt;
}

std::optional<telemetry::Snapshot> DeviceThread::snapshot() const {
    const std::lock_guard lock(mutex_);
    return monitor_ ? monitor_->latest() : std::nullopt;
}

void DeviceThread::run(const Opener& opener, const OnOpened& on_opened,
                       const OnFinished& on_finished) {
    auto opened = opener();
    if (!opened) {
        tell([on_opened, error = std::move(opened.error())] { on_opened(fail(error)); });
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        memory_ = std::move(opened->memory);
        monitor_ = std::move(opened->monitor);
    }
    tell([on_opened, info = std::move(opened->info)] { on_opened(info); });
    while (auto batch = next()) {
        work_through(*batch, opened->device.get());
        tell([on_finished, batch] { on_finished(batch); });
    }
}

// In one step for whoever looks at the pulse: a thread that seems idle has told all it has to tell.
void DeviceThread::tell(std::function<void()> news) {
    const std::lock_guard lock(mutex_);
    engaged_ = false;
    ++count_;
    boost::asio::post(loop_, std::move(news));
}

std::shared_ptr<Batch> DeviceThread::next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return leaving_ || !waiting_.empty(); });
    if (waiting_.empty()) return nullptr;
    auto batch = std::move(waiting_.front());
    waiting_.pop_front();
    engaged_ = true;
    return batch;
}

void DeviceThread::work_through(Batch& batch, opencl::Device* device) {
    for (const auto& slot : batch.slots) {
        if (!begin(*slot)) continue;
        auto report = run_task(*slot, find_run_, device, random_());
        end();
        if (report) batch.reports.push_back(std::move(*report));
    }
}

bool DeviceThread::begin(TaskSlot& slot) {
    const std::lock_guard lock(mutex_);
    if (held_ || slot.stop.stop_requested()) return false;
    running_ = &slot;
    ++count_;
    return true;
}

void DeviceThread::end() {
    const std::lock_guard lock(mutex_);
    count_ += running_->progress.beats() + 1;
    running_ = nullptr;
}

}  // namespace plimsoll::worker
