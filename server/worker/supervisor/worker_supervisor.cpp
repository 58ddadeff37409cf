#include "server/worker/supervisor/worker_supervisor.hpp"

#include "server/base/log.hpp"
#include "server/worker/loop/liveness.hpp"

#include <csignal>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace plimsoll::worker {

using namespace boost::asio::experimental::awaitable_operators;

WorkerSupervisor::WorkerSupervisor(const boost::asio::any_io_executor& executor, std::string device,
                                   Start start, OnFailing on_failing, Timer& timer, Random random,
                                   WorkerSupervisorOptions options)
    : device_(std::move(device)),
      start_(std::move(start)),
      on_failing_(std::move(on_failing)),
      timer_(timer),
      options_(options),
      backoff_(options.first_restart, options.longest_restart, std::move(random)),
      stopped_(executor) {}

void WorkerSupervisor::stop() {
    stopping_ = true;
    stopped_.set();
    if (child_) child_->signal(SIGTERM);
}

void WorkerSupervisor::kill() {
    if (child_) child_->signal(SIGKILL);
}

awaitable<void> WorkerSupervisor::run() {
    while (!stopping_) {
        const auto started = timer_.now();
        std::string end;
        if (auto child = start_(last_exit_); child) {
            child_ = std::move(*child);
            end = co_await tend(*child_);
            child_.reset();
            if (timer_.now() - started >= options_.row) deaths_ = 0;
            if (!ended_as_told(end)) ++deaths_;
        } else {
            end = child.error().message;
        }
        if (stopping_) co_return;
        last_exit_ = end;
        if (ended_as_told(end)) {
            log::info("worker exited as requested, starting another", {{"device", device_}});
            backoff_.reset();
            continue;
        }
        if (on_failing_ && deaths_ >= options_.max_deaths) {
            co_await rest(end);
            continue;
        }
        if (timer_.now() - started >= options_.steady) backoff_.reset();
        const auto pause = backoff_.next();
        log::warn("worker exited, restarting it", {{"device", device_},
                                                   {"how", end.empty() ? "exit status 0" : end},
                                                   {"pause_ms", std::to_string(pause.count())}});
        co_await (timer_.sleep_until(timer_.now() + pause) || stopped_.wait());
    }
}

// A new worker was requested: nothing failed.
bool WorkerSupervisor::ended_as_told(const std::string& end) const {
    return told_to_end_ && end.empty();
}

// Takes the device out and reports it; afterwards one worker tries it, and it is taken out again if
// that one dies.
awaitable<void> WorkerSupervisor::rest(const std::string& end) {
    const auto ended = timer_.now();
    const auto minutes = std::chrono::ceil<std::chrono::minutes>(options_.rest).count();
    const auto reason = "Taken out of service: " + std::to_string(deaths_) +
                        " workers in a row stopped without finishing a task (the last one: " +
                        (end.empty() ? "exit status 0" : end) + "). It will be retried after " +
                        std::to_string(minutes) +
                        " minutes, or as soon as this machine's worker service restarts.";
    log::error("device taken out of service", {{"device", device_}, {"reason", reason}});
    co_await (timer_.sleep_until(ended + options_.believed) || stopped_.wait());
    if (stopping_) co_return;
    co_await on_failing_(reason);
    if (stopping_) co_return;
    co_await (timer_.sleep_until(ended + options_.rest) || stopped_.wait());
}

void WorkerSupervisor::hear(const std::string& signs) {
    for (const char sign : signs) {
        if (reading_exit_) {
            reading_exit_ = sign != '\n';
            if (reading_exit_) reported_exit_ += sign;
        } else if (sign == kExitReasonByte) {
            reading_exit_ = true;
        } else if (sign == kTaskDoneByte) {
            deaths_ = 0;
        } else if (sign == kToldToEndByte) {
            told_to_end_ = true;
        }
    }
}

awaitable<std::string> WorkerSupervisor::tend(Child& child) {
    auto last_sign = timer_.now();
    bool killed = false;
    reported_exit_.clear();
    reading_exit_ = false;
    told_to_end_ = false;
    for (;;) {
        const auto patience = killed ? TimePoint::max() : last_sign + options_.hang;
        auto happened = co_await (child.ended() || child.wrote() || timer_.sleep_until(patience));
        if (happened.index() == 0) {
            hear(child.read());
            if (killed) co_return "hung and was killed";
            co_return reported_exit_.empty() ? std::get<0>(std::move(happened)) : reported_exit_;
        }
        if (happened.index() == 1) {
            hear(child.read());
            last_sign = timer_.now();
            continue;
        }
        log::error("worker stopped sending heartbeats, killing it", {{"device", device_}});
        child.signal(SIGKILL);
        killed = true;
    }
}

}  // namespace plimsoll::worker
