#include "engine/telemetry/monitor.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace plimsoll::telemetry {

namespace {
constexpr int kIntervalsToLive = 5;
}

struct Monitor::Shared {
    Sensor sensor;
    Watch watch;
    const std::chrono::milliseconds interval;

    std::mutex mutex;
    std::condition_variable changed;
    bool leaving = false;
    std::optional<Snapshot> latest;

    void run() {
        std::unique_lock lock(mutex);
        while (!leaving) {
            lock.unlock();
            Snapshot snapshot;
            snapshot.reading = sensor();
            snapshot.warnings = watch.look(snapshot.reading);
            snapshot.at = std::chrono::steady_clock::now();
            lock.lock();
            latest = std::move(snapshot);
            changed.wait_for(lock, interval, [this] { return leaving; });
        }
    }
};

Monitor::Monitor(Sensor sensor, Watch watch, std::chrono::milliseconds interval)
    : shared_(new Shared{std::move(sensor), watch, interval, {}, {}, false, {}}) {
    std::thread([shared = shared_] { shared->run(); }).detach();
}

Monitor::~Monitor() {
    const std::lock_guard lock(shared_->mutex);
    shared_->leaving = true;
    shared_->changed.notify_all();
}

std::optional<Snapshot> Monitor::latest() const {
    const std::lock_guard lock(shared_->mutex);
    const auto& latest = shared_->latest;
    const auto oldest = std::chrono::steady_clock::now() - kIntervalsToLive * shared_->interval;
    return latest && latest->at >= oldest ? latest : std::nullopt;
}

}  // namespace plimsoll::telemetry
