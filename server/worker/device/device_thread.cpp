#include "server/worker/device/device_thread.hpp"

#include "server/base/log.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include <boost/asio/post.hpp>
#include <malloc.h>

namespace plimsoll::worker {
namespace {

using Key = std::tuple<std::string, int, std::string>;

// The last text is empty where the task runs alone.
Key key_of(const queue::ClaimedTask& task, const FindRun& find_run) {
    if (task.merge || task.attempt > 1) return {};
    const auto* run = find_run(task.kind, task.kind_version);
    if (run == nullptr || run->shared_key == nullptr) return {};
    const auto& args = task.args.parsed(*run);
    if (!args) return {};
    return {task.kind, task.kind_version, run->shared_key(*args)};
}

// Groups the tasks of a batch that run together (jobs::Run::shared_key), in the order of their
// first tasks. A task that failed before or whose worker died is alone, and so is a merge task.
std::vector<std::vector<TaskSlot*>> groups_of(const Batch& batch, const FindRun& find_run) {
    std::vector<std::vector<TaskSlot*>> groups;
    std::map<Key, std::size_t> known;
    JobId job;  // most claims have tasks of few jobs, one after the other
    Key key;
    for (const auto& slot : batch.slots) {
        const auto& task = slot->task;
        if (task.job != job || task.merge || task.attempt > 1) key = key_of(task, find_run);
        job = task.merge || task.attempt > 1 ? JobId{} : task.job;
        const bool alone = std::get<2>(key).empty();
        const auto [found, added] =
            alone ? std::pair{known.end(), true} : known.try_emplace(key, groups.size());
        if (added) groups.emplace_back();
        (alone ? groups.back() : groups[found->second]).push_back(slot.get());
    }
    return groups;
}

std::uint64_t beats_of(const std::vector<const TaskSlot*>& slots) {
    std::uint64_t beats = 0;
    for (const auto* slot : slots) beats += slot->progress.beats();
    return beats;
}

}  // namespace

DeviceThread::DeviceThread(boost::asio::any_io_executor loop, FindRun find_run, Random random,
                           IdleOptions idle, jobs::KindSettings settings)
    : loop_(std::move(loop)),
      find_run_(std::move(find_run)),
      random_(std::move(random)),
      idle_(std::move(idle)),
      settings_(std::move(settings)) {}

DeviceThread::~DeviceThread() {
    {
        const std::lock_guard lock(mutex_);
        leaving_ = true;
        held_ = true;
        preparing_stop_.request_stop();
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
        auto place = waiting_.end();
        if (batch->urgent) {
            place = std::ranges::find_if(
                waiting_, [](const auto& other) { return !other->urgent && !other->overtaken; });
        }
        std::for_each(place, waiting_.end(), [](const auto& other) { other->overtaken = true; });
        waiting_.insert(place, std::move(batch));
        preparing_stop_.request_stop();
    }
    changed_.notify_all();
}

void DeviceThread::clean(OnCleaned on_cleaned) {
    {
        const std::lock_guard lock(mutex_);
        cleanup_requested_ = std::move(on_cleaned);
        preparing_stop_.request_stop();
    }
    changed_.notify_all();
}

void DeviceThread::hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
    preparing_stop_.request_stop();
}

Pulse DeviceThread::pulse() const {
    const std::lock_guard lock(mutex_);
    const auto beats = beats_of(running_) + (preparing_ != nullptr ? preparing_->beats() : 0);
    return {engaged_ || !waiting_.empty() || cleanup_requested_, preparing_ != nullptr,
            count_ + beats};
}

std::optional<RunningTasks> DeviceThread::running() const {
    const std::lock_guard lock(mutex_);
    if (running_.empty()) return std::nullopt;
    return RunningTasks{running_, begun_};
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
        } else if (order->prepare) {
            prepare(*opened);
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
    if (idle_.release) freed.kept_bytes = idle_.release(opened.device.get());
    malloc_trim(0);  // what was freed goes back to the system, too
    // Others may have taken memory meanwhile.
    if (const auto after = held(); before && after)
        freed.freed_bytes = static_cast<std::int64_t>(*before > *after ? *before - *after : 0);
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
    used_ = looked_ = IdleClock::now();
    boost::asio::post(loop_, std::move(news));
}

TaskContext DeviceThread::place_of(const OpenedDevice& opened) const {
    return {.device = opened.device.get(),
            .node = opened.info.node,
            .capability = opened.capability ? &*opened.capability : nullptr,
            .ledger = opened.ledger.get(),
            .settings = settings_};
}

void DeviceThread::prepare(const OpenedDevice& opened) {
    Progress progress;
    std::stop_token stop;
    {
        const std::lock_guard lock(mutex_);
        preparing_ = &progress;
        stop = preparing_stop_.get_token();
    }
    const auto place = place_of(opened);
    jobs::RunContext context{.device = place.device,
                             .progress = progress,
                             .stop = std::move(stop),
                             .node = place.node,
                             .capability = place.capability,
                             .ledger = place.ledger,
                             .settings = place.settings};
    jobs::Prepared prepared;
    try {
        prepared = idle_.prepare(context);
    } catch (const std::exception& e) {
        log::error("preparing for later tasks failed", {{"reason", e.what()}});
        idle_.prepare = nullptr;
    }
    const std::lock_guard lock(mutex_);
    engaged_ = false;
    count_ += progress.beats() + 1;
    preparing_ = nullptr;
    prepared_ = looked_ = IdleClock::now();
    // Memory that is no longer kept ready counts from now on as left by a task.
    const bool leaves = prepared.worked || (kept_ready_ && !prepared.keeps_ready);
    kept_ready_ = prepared.keeps_ready;
    if (!leaves) return;
    used_ = looked_;
    clean_ = false;
}

bool DeviceThread::may_prepare() const { return idle_.prepare && prepares_ && !held_; }

DeviceThread::IdleClock::time_point DeviceThread::next_preparation() const {
    return std::min(looked_ + idle_.prepare_after, prepared_ + idle_.prepare_within);
}

// Until there is something to do, or the thread was idle for long enough.
void DeviceThread::await_call(std::unique_lock<std::mutex>& lock) {
    const auto called = [this] { return leaving_ || cleanup_requested_ || !waiting_.empty(); };
    std::optional<IdleClock::time_point> until;
    if (idle_.release_after && !clean_) until = used_ + *idle_.release_after;
    if (may_prepare()) {
        const auto prepare_at = next_preparation();
        until = until ? std::min(*until, prepare_at) : prepare_at;
    }
    if (until)
        changed_.wait_until(lock, *until, called);
    else
        changed_.wait(lock, called);
}

std::optional<DeviceThread::Order> DeviceThread::next() {
    std::unique_lock lock(mutex_);
    while (true) {
        await_call(lock);
        if (leaving_ && waiting_.empty()) return std::nullopt;
        engaged_ = true;
        if (!cleanup_requested_ && !waiting_.empty()) {
            clean_ = false;
            prepares_ = true;
            Order order{std::move(waiting_.front()), nullptr};
            waiting_.pop_front();
            return order;
        }
        const auto now = IdleClock::now();
        const bool was_idle = idle_.release_after && !clean_ && now >= used_ + *idle_.release_after;
        if (cleanup_requested_ || was_idle) {
            prepares_ = prepares_ && !cleanup_requested_;
            clean_ = true;
            kept_ready_ = false;
            return Order{nullptr, std::exchange(cleanup_requested_, nullptr)};
        }
        if (may_prepare() && now >= next_preparation()) {
            preparing_stop_ = std::stop_source();
            return Order{.batch = nullptr, .cleaning = nullptr, .prepare = true};
        }
        engaged_ = false;
    }
}

void DeviceThread::run_batch(Batch& batch, const OpenedDevice& opened, const OnBroken& on_broken) {
    const auto place = place_of(opened);
    auto groups = groups_of(batch, find_run_);
    for (auto& group : groups) run_group(batch, std::move(group), place, opened, on_broken);
    if (groups.size() < batch.slots.size()) {
        const std::lock_guard lock(mutex_);
        put_in_order(batch);
    }
    merge_whole_jobs(batch);
}

void DeviceThread::merge_whole_jobs(Batch& batch) {
    std::unique_lock reading(mutex_);
    const auto jobs = finished_whole_jobs(batch);
    reading.unlock();
    for (const auto& job : jobs) {
        if (begin(batch, job.slots).size() < job.slots.size()) continue;
        const auto start = std::chrono::steady_clock::now();
        auto merged = merge_whole(job, find_run_);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        end(batch, {});
        const std::lock_guard lock(mutex_);
        if (!merged || batch.reports.empty()) continue;  // or they were taken meanwhile
        auto& report = batch.reports[job.last_report];
        report.device_seconds += took.count();
        report.report = std::move(merged->summary);
        if (!merged->results.empty()) report.output.results = std::move(merged->results);
    }
}

void DeviceThread::run_group(Batch& batch, std::vector<TaskSlot*> group, const TaskContext& place,
                             const OpenedDevice& opened, const OnBroken& on_broken) {
    const auto check = [&](std::vector<queue::TaskReport>& reports) {
        for (auto& report : reports)
            if (report.cause) check_after_failure(report, opened, on_broken);
    };
    if (group.size() > 1) {
        const auto begun = begin(batch, group);
        if (begun.empty()) return;
        auto together = run_together(begun, find_run_, place, random_);
        check(together.reports);
        end(batch, std::move(together.reports));
        group = std::move(together.alone);
    }
    for (auto* slot : group) {
        if (begin(batch, {slot}).empty()) continue;
        std::vector<queue::TaskReport> reports;
        if (auto report = run_task(*slot, find_run_, place, random_()))
            reports.push_back(std::move(*report));
        check(reports);
        end(batch, std::move(reports));
    }
}

// After a failure. A context that a kernel broke fails every later call: the process must end, and
// the task counts as one that killed its worker. If memory was short, kept memory is released.
void DeviceThread::check_after_failure(queue::TaskReport& report, const OpenedDevice& opened,
                                       const OnBroken& on_broken) {
    if (opened.check) {
        if (const auto sound = opened.check(); !sound) {
            hold();
            const auto reason = "After a task failed (" + report.error +
                                "), the device no longer worked correctly (" +
                                sound.error().message + "): its worker process was stopped.";
            make_death(report, reason);
            boost::asio::post(loop_, [on_broken, reason] { on_broken(reason); });
            return;
        }
    }
    if (report.cause == Errc::exhausted) clean_up(opened);
}

std::vector<TaskSlot*> DeviceThread::begin(const Batch& batch,
                                           const std::vector<TaskSlot*>& group) {
    const std::lock_guard lock(mutex_);
    std::vector<TaskSlot*> begun;
    if (held_) return begun;
    std::ranges::copy_if(group, std::back_inserter(begun),
                         [](const TaskSlot* slot) { return !slot->stop.stop_requested(); });
    if (begun.empty()) return begun;
    running_.assign(begun.begin(), begun.end());
    std::vector<queue::LeasedTask> tasks;
    for (const auto* slot : begun) tasks.push_back({batch.fence, slot->task.job, slot->task.seq});
    record_->set(tasks);
    ++begun_;
    ++count_;
    return begun;
}

void DeviceThread::end(Batch& batch, std::vector<queue::TaskReport> reports) {
    const std::lock_guard lock(mutex_);
    std::ranges::move(reports, std::back_inserter(batch.reports));
    count_ += beats_of(running_) + 1;
    running_.clear();
    record_->set({});
}

}  // namespace plimsoll::worker
