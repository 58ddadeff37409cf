#include "server/worker/device/device_thread.hpp"

#include "server/base/log.hpp"

#include <string>
#include <utility>

#include <boost/asio/post.hpp>
#include <malloc.h>

namespace plimsoll::worker {

DeviceThread::DeviceThread(boost::asio::any_io_executor loop, FindRun find_run,
                           Backoff::Random random, CleaningOptions cleaning,
                           jobs::KindSettings settings)
    : loop_(std::move(loop)),
      find_run_(std::move(find_run)),
      random_(std::move(random)),
      cleaning_(std::move(cleaning)),
      settings_(std::move(settings)) {}

DeviceThread::~DeviceThread() {
    {
        const std::lock_guard lock(mutex_);
        leaving_ = true;
        held_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void DeviceThread::start(Opener opener, OnOpened on_opened, OnFinished on_finished,
                         OnBroken on_broken) {
    engaged_ = true;
    Callbacks callbacks{std::move(on_opened), std::move(on_finished), std::move(on_broken)};
    thread_ = std::thread([this, opener = std::move(opener), callbacks = std::move(callbacks)] {
        run(opener, callbacks);
    });
}

void DeviceThread::submit(std::shared_ptr<Batch> batch) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(batch));
    }
    changed_.notify_all();
}

void DeviceThread::clean(OnCleaned on_cleaned) {
    {
        const std::lock_guard lock(mutex_);
        cleanup_requested_ = std::move(on_cleaned);
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
    return {engaged_ || !waiting_.empty() || cleanup_requested_, count_ + beats};
}

std::optional<RunningTask> DeviceThread::running() const {
    const std::lock_guard lock(mutex_);
    if (running_ == nullptr) return std::nullopt;
    return RunningTask{running_, begun_};
}

std::vector<queue::TaskReport> DeviceThread::take_reports(Batch& batch) {
    const std::lock_guard lock(mutex_);
    return std::exchange(batch.reports, {});
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

void DeviceThread::run(const Opener& opener, const Callbacks& callbacks) {
    auto opened = opener();
    if (!opened) {
        tell([on_opened = callbacks.on_opened, error = std::move(opened.error())] {
            on_opened(fail(error));
        });
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        memory_ = std::move(opened->memory);
        monitor_ = std::move(opened->monitor);
    }
    tell([on_opened = callbacks.on_opened, info = opened->info] { on_opened(info); });
    while (const auto order = next()) {
        if (order->batch) {
            run_batch(*order->batch, *opened, callbacks.on_broken);
            tell([on_finished = callbacks.on_finished, batch = order->batch] {
                on_finished(batch);
            });
        } else {
            const auto freed = clean_up(*opened);
            tell([on_cleaned = order->cleaning, freed] {
                if (on_cleaned) on_cleaned(freed);
            });
        }
    }
}

queue::Freed DeviceThread::clean_up(const OpenedDevice& opened) {
    const auto held = [&] { return opened.held_memory ? opened.held_memory() : std::nullopt; };
    const auto before = held();
    queue::Freed freed;
    if (cleaning_.release) freed.kept_bytes = cleaning_.release(opened.device.get());
    malloc_trim(0);  // what was freed goes back to the system, too
    if (const auto after = held(); before && after) {
        freed.freed_bytes = static_cast<std::int64_t>(*before) - static_cast<std::int64_t>(*after);
    }
    log::info("released models, kernels and buffers kept between tasks",
              {{"kept_bytes", std::to_string(freed.kept_bytes)},
               {"freed_bytes", freed.freed_bytes ? std::to_string(*freed.freed_bytes) : "?"}});
    return freed;
}

// One step for observers of the pulse: an idle thread has already posted all its results.
void DeviceThread::tell(std::function<void()> news) {
    const std::lock_guard lock(mutex_);
    engaged_ = false;
    ++count_;
    boost::asio::post(loop_, std::move(news));
}

std::optional<DeviceThread::Order> DeviceThread::next() {
    std::unique_lock lock(mutex_);
    const auto called = [this] { return leaving_ || cleanup_requested_ || !waiting_.empty(); };
    if (cleaning_.when_idle && !clean_) {
        changed_.wait_for(lock, *cleaning_.when_idle, called);
    } else {
        changed_.wait(lock, called);
    }
    if (leaving_ && waiting_.empty()) return std::nullopt;
    engaged_ = true;
    if (cleanup_requested_ || waiting_.empty()) {
        clean_ = true;
        return Order{nullptr, std::exchange(cleanup_requested_, nullptr)};
    }
    clean_ = false;
    Order order{std::move(waiting_.front()), nullptr};
    waiting_.pop_front();
    return order;
}

void DeviceThread::run_batch(Batch& batch, const OpenedDevice& opened, const OnBroken& on_broken) {
    const TaskContext place{.device = opened.device.get(),
                            .node = opened.info.node,
                            .capability = opened.capability ? &*opened.capability : nullptr,
                            .ledger = opened.ledger.get(),
                            .settings = settings_};
    for (const auto& slot : batch.slots) {
        if (!begin(*slot)) continue;
        auto report = run_task(*slot, find_run_, place, random_());
        if (report && report->cause) check_after_failure(*report, slot->task, opened, on_broken);
        end(batch, std::move(report));
    }
}

// After a failure. A context that a kernel broke fails every later call, whoever makes it: with
// this process it goes, and the task is one that its worker died on. What was kept is let go of
// where memory was short.
void DeviceThread::check_after_failure(queue::TaskReport& report, const queue::ClaimedTask& task,
                                       const OpenedDevice& opened, const OnBroken& on_broken) {
    if (opened.check) {
        if (const auto sound = opened.check(); !sound) {
            hold();
            const auto reason = "After a task failed (" + report.error +
                                "), the device no longer worked correctly (" +
                                sound.error().message + "): its worker process was stopped.";
            report = report_death(task, reason, report.device_seconds);
            boost::asio::post(loop_, [on_broken, reason] { on_broken(reason); });
            return;
        }
    }
    if (report.cause == Errc::exhausted) clean_up(opened);
}

bool DeviceThread::begin(TaskSlot& slot) {
    const std::lock_guard lock(mutex_);
    if (held_ || slot.stop.stop_requested()) return false;
    running_ = &slot;
    ++begun_;
    ++count_;
    return true;
}

void DeviceThread::end(Batch& batch, std::optional<queue::TaskReport> report) {
    const std::lock_guard lock(mutex_);
    if (report) batch.reports.push_back(std::move(*report));
    count_ += running_->progress.beats() + 1;
    running_ = nullptr;
}

}  // namespace plimsoll::worker
