#include "server/worker/loop/worker_process.hpp"

#include "server/base/log.hpp"
#include "server/worker/base/timer.hpp"
#include "server/worker/loop/liveness.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <unistd.h>

namespace plimsoll::worker {

namespace asio = boost::asio;

namespace {

// Writes a byte per second to the supervisor's pipe while the device thread is alive; the bytes
// stop when it hangs. Other bytes report finished tasks and that the worker was told to end, and a
// line says why it exits.
// `fd` must be non-blocking, so that a supervisor that does not read cannot stall the worker.
class HeartbeatPipe {
  public:
    HeartbeatPipe(int fd, const DeviceThread& device, Timer& timer);
    awaitable<void> run();  // until cancelled
    void report_task_done();
    void report_told_to_end();
    void report_exit(std::string_view reason);

  private:
    void write(std::string_view signs);

    int fd_;
    const DeviceThread& device_;
    Timer& timer_;
    LivenessDetector liveness_;
};

constexpr std::size_t kLongestEnd = 1000;  // below PIPE_BUF, so that a write is atomic

HeartbeatPipe::HeartbeatPipe(int fd, const DeviceThread& device, Timer& timer)
    : fd_(fd), device_(device), timer_(timer), liveness_(kLivenessTimeout) {}

awaitable<void> HeartbeatPipe::run() {
    for (;;) {
        if (liveness_.is_alive(device_.pulse(), timer_.now())) write({&kAliveByte, 1});
        co_await timer_.sleep_until(timer_.now() + kLivenessInterval);
    }
}

void HeartbeatPipe::report_task_done() { write({&kTaskDoneByte, 1}); }

void HeartbeatPipe::report_told_to_end() { write({&kToldToEndByte, 1}); }

void HeartbeatPipe::report_exit(std::string_view reason) {
    std::string line = kExitReasonByte + std::string(reason.substr(0, kLongestEnd));
    std::ranges::replace(line, '\n', ' ');
    write(line + "\n");
}

void HeartbeatPipe::write(std::string_view signs) {
    // A full pipe or an exited supervisor: nothing to do.
    [[maybe_unused]] const auto written = ::write(fd_, signs.data(), signs.size());
}

class WorkerProcess {
  public:
    WorkerProcess(const ConnectQueue& connect, FindRun find_run, jobs::KindSettings settings,
                  IdleOptions idle, const SupervisorFds& fds, WorkerOptions options)
        : running_(fds.running.value_or(-1)),
          signals_(io_, SIGTERM, SIGINT),
          store_(connect(io_.get_executor())),
          device_(io_.get_executor(), std::move(find_run), system_random(), std::move(idle),
                  std::move(settings)),
          worker_(io_.get_executor(), *store_, device_, timer_, system_random(),
                  with_deaths(std::move(options))) {
        running_.set({});
        device_.record_in(running_);
        if (fds.heartbeat) heartbeat_pipe_.emplace(*fds.heartbeat, device_, timer_);
    }

    int run(DeviceThread::Opener opener) {
        std::signal(SIGPIPE, SIG_IGN);
        listen();
        device_.start(
            std::move(opener), [this](Result<queue::WorkerInfo> info) { opened(std::move(info)); },
            [this](std::shared_ptr<Batch> batch) { finished(std::move(batch)); },
            [this](std::string reason) { worker_.end_because(std::move(reason)); });
        if (heartbeat_pipe_) asio::co_spawn(io_, heartbeat_pipe_->run(), asio::detached);
        io_.run();
        return status_;
    }

  private:
    // What the worker before this one was running, if it died.
    WorkerOptions with_deaths(WorkerOptions options) const {
        if (!options.last_exit.empty()) options.died = running_.tasks();
        return options;
    }

    void listen() {
        signals_.async_wait([this](const boost::system::error_code& error, int signal) {
            if (error) return;
            apply(signal);
            listen();
        });
    }

    void apply(int signal) {
        if (heartbeat_pipe_) heartbeat_pipe_->report_told_to_end();
        if (!open_) std::_Exit(0);  // nothing is claimed yet, and the driver may be slow
        if (draining_) {
            log::warn("exiting immediately", {{"signal", std::to_string(signal)}});
            worker_.abandon();
            return;
        }
        log::info("draining", {{"signal", std::to_string(signal)}});
        draining_ = true;
        worker_.drain();
    }

    void opened(Result<queue::WorkerInfo> info) {
        if (!info) {
            log::error("device not usable",
                       {{"device", info.error().where}, {"reason", info.error().message}});
            status_ = EXIT_FAILURE;
            io_.stop();
            return;
        }
        open_ = true;
        asio::co_spawn(
            io_, worker_.run(std::move(*info)),
            [this](const std::exception_ptr& thrown, bool idle) { ended(!thrown && idle); });
    }

    void finished(std::shared_ptr<Batch> batch) {
        const auto is_done = [](const queue::TaskReport& report) {
            return report.outcome == queue::TaskReport::Outcome::done;
        };
        // Once: it says that this process does not die without finishing a task.
        if (heartbeat_pipe_ && !task_done_ && std::ranges::any_of(batch->reports, is_done)) {
            task_done_ = true;
            heartbeat_pipe_->report_task_done();
        }
        worker_.finished(std::move(batch));
    }

    void ended(bool idle) {
        if (heartbeat_pipe_ && worker_.failure()) heartbeat_pipe_->report_exit(*worker_.failure());
        // A thread inside a driver cannot be stopped or joined, nor a broken device closed; their
        // resources are freed with the process.
        if (!idle || worker_.failure()) std::_Exit(EXIT_FAILURE);
        io_.stop();
    }

    RunningRecord running_;
    asio::io_context io_{1};
    asio::signal_set signals_;
    std::shared_ptr<queue::WorkerStore> store_;
    SteadyTimer timer_;
    DeviceThread device_;
    Worker worker_;
    std::optional<HeartbeatPipe> heartbeat_pipe_;
    bool open_ = false;
    bool draining_ = false;
    bool task_done_ = false;
    int status_ = EXIT_SUCCESS;
};

}  // namespace

Result<jobs::KindSettings> kind_settings(std::span<const jobs::Run> kinds,
                                         std::filesystem::path cache) {
    jobs::KindSettings settings{.values = {}, .cache = std::move(cache)};
    for (const auto& kind : kinds) TRY_DO(jobs::read_environment(kind.settings, settings));
    return settings;
}

int run_worker_process(const ConnectQueue& connect, DeviceThread::Opener opener, FindRun find_run,
                       jobs::KindSettings settings, IdleOptions idle, SupervisorFds fds,
                       WorkerOptions options) {
    return WorkerProcess(connect, std::move(find_run), std::move(settings), std::move(idle), fds,
                         std::move(options))
        .run(std::move(opener));
}

}  // namespace plimsoll::worker
