#include "server/worker/supervisor/supervisor.hpp"

#include "server/base/log.hpp"
#include "server/worker/device/running_record.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <unistd.h>

namespace plimsoll::worker {

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;

namespace {
// The first number after the standard three.
constexpr int kLifeFd = 3;
constexpr int kRunningFd = 4;
}  // namespace

Supervisor::Supervisor(asio::any_io_executor executor, StartChild start_child, Report report,
                       Timer& timer, Random random, SupervisorOptions options)
    : executor_(std::move(executor)),
      start_child_(std::move(start_child)),
      report_(std::move(report)),
      timer_(timer),
      random_(std::move(random)),
      options_(options),
      stopped_(executor_),
      for_limit_(executor_),
      one_ended_(executor_) {}

awaitable<void> Supervisor::run() {
    // Never taken out of service: it has no driver that could fail, and its tasks can run nowhere
    // else.
    supervise("host", {}, {});
    const auto all_ended = [this]() -> awaitable<void> {
        co_await watch_devices();
        while (running_ > 0) co_await one_ended_.wait();
    };
    co_await (all_ended() || stop_limit());
    log::info("all workers have ended");
}

void Supervisor::stop() {
    forced_ = stopping_;
    stopping_ = true;
    stopped_.set();
    for_limit_.set();
    for (const auto& worker : workers_) worker->stop();
}

// Kills workers that do not end by themselves. Never the first to end.
awaitable<void> Supervisor::stop_limit() {
    while (!stopping_) co_await for_limit_.wait();
    const auto asked = timer_.now();
    for (;;) {
        const auto limit = forced_ ? timer_.now() + options_.hurry : asked + options_.drain;
        if (timer_.now() >= limit) break;
        const auto woken = co_await (timer_.sleep_until(limit) || for_limit_.wait());
        if (woken.index() == 0) break;
    }
    log::warn("workers did not stop in time: killing them");
    for (const auto& worker : workers_) worker->kill();
    for (;;) co_await for_limit_.wait();
}

bool Supervisor::supervises(const std::string& device) const {
    return std::ranges::any_of(workers_,
                               [&](const auto& worker) { return worker->device() == device; });
}

void Supervisor::supervise(const std::string& device, const std::string& probed,
                           WorkerSupervisor::OnFailing on_failing) {
    const auto running = RunningRecord::create();  // as long as the supervisor lives
    const auto start = [this, device, probed, running](const std::string& last_exit) {
        std::vector<std::string> arguments{"worker", "--device", device, "--heartbeat-fd",
                                           std::to_string(kLifeFd)};
        Redirections more;
        if (running >= 0) {
            arguments.insert(arguments.end(), {"--running-fd", std::to_string(kRunningFd)});
            more.push_back({running, kRunningFd});
        }
        if (!probed.empty()) arguments.insert(arguments.end(), {"--probed", probed});
        if (!last_exit.empty()) arguments.insert(arguments.end(), {"--last-exit", last_exit});
        return start_child_(arguments, kLifeFd, more);
    };
    workers_.push_back(std::make_unique<WorkerSupervisor>(
        executor_, device, start, std::move(on_failing), timer_, random_, options_.worker));
    ++running_;
    asio::co_spawn(executor_, workers_.back()->run(), [this](const std::exception_ptr& thrown) {
        --running_;
        one_ended_.set();
        if (thrown) std::rethrow_exception(thrown);
    });
}

WorkerSupervisor::OnFailing Supervisor::reported(const opencl::Capability& device) {
    return [this, failing = device](std::string reason) mutable -> awaitable<void> {
        failing.state = opencl::DeviceState::crashed;
        failing.reason = std::move(reason);
        co_await report_(failing);
    };
}

// Until every available device has its worker.
awaitable<void> Supervisor::watch_devices() {
    Backoff backoff(options_.first_probe_pause, options_.longest_probe_pause, random_);
    while (!stopping_ && !co_await probe_devices() && !stopping_)
        co_await (timer_.sleep_until(timer_.now() + backoff.next()) || stopped_.wait());
}

awaitable<bool> Supervisor::probe_devices() {
    const auto output = co_await probe_output();
    if (stopping_) co_return true;
    const auto report = output ? opencl::probe_report_from_json(*output)
                               : Result<opencl::ProbeReport>(fail(output.error()));
    if (!report) {
        log::error("probe failed", {{"reason", report.error().message}});
        co_return false;
    }
    for (const auto& problem : report->problems)
        log::warn("driver not usable", {{"reason", problem}});
    bool all_ready = report->problems.empty();
    for (const auto& device : report->devices) {
        const auto address = to_string(device.info.address);
        if (device.state == opencl::DeviceState::ready) {
            if (!supervises(address))
                supervise(address, to_json(opencl::ProbeReport{{device}, {}}), reported(device));
            continue;
        }
        all_ready = false;
        log::warn("device not usable", {{"device", address},
                                        {"state", std::string(to_string(device.state))},
                                        {"reason", device.reason}});
        co_await report_(device);
    }
    log::info("devices probed", {{"found", std::to_string(report->devices.size())},
                                 {"workers", std::to_string(workers_.size())}});
    co_return all_ready;
}

// What `plimsoll-engine probe --json` prints.
awaitable<Result<std::string>> Supervisor::probe_output() {
    CO_TRY(auto child, start_child_({"probe", "--json"}, STDOUT_FILENO, {}));
    const auto limit = timer_.now() + options_.probe;
    std::string text;
    for (;;) {
        auto happened = co_await (child->wrote() || timer_.sleep_until(limit) || stopped_.wait() ||
                                  child->ended());
        // Whichever happened first: the report may have arrived at the same moment as the end.
        text += child->read();
        // One complete line; only the end of the process follows.
        if (text.ends_with('\n')) co_return text;
        switch (happened.index()) {
            case 0: break;
            case 1: co_return fail(Errc::timeout, "The probe did not end in time.");
            case 2: co_return fail(Errc::cancelled, "Stopped.");
            default: {
                const auto& how = std::get<3>(happened);
                co_return fail(Errc::unavailable, "The probe ended without a result: " +
                                                      (how.empty() ? "exit status 0" : how) + ".");
            }
        }
    }
}

}  // namespace plimsoll::worker
