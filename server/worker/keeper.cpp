#include "server/worker/keeper.hpp"

#include "server/base/log.hpp"

#include <csignal>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace plimsoll::worker {

using namespace boost::asio::experimental::awaitable_operators;

Keeper::Keeper(const boost::asio::any_io_executor& executor, std::string device, Start start,
               Timer& timer, Backoff::Random random, KeeperOptions options)
    : device_(std::move(device)),
      start_(std::move(start)),
      timer_(timer),
      options_(options),
      backoff_(options.first_restart, options.longest_restart, std::move(random)),
      stopped_(executor) {}

void Keeper::stop() {
    stopping_ = true;
    stopped_.set();
    if (child_) child_->signal(SIGTERM);
}

void Keeper::kill() {
    if (child_) child_->signal(SIGKILL);
}

awaitable<void> Keeper::run() {
    while (!stopping_) {
        const auto started = timer_.now();
        std::string end;
        if (auto child = start_(); child) {
            child_ = std::move(*child);
            end = co_await tend(*child_);
            child_.reset();
        } else {
            end = child.error().message;
        }
        if (stopping_) co_return;
        if (timer_.now() - started >= options_.steady) backoff_.reset();
        const auto pause = backoff_.next();
        log::warn("worker ended, starting it again", {{"device", device_},
                                                      {"how", end.empty() ? "exit status 0" : end},
                                                      {"pause_ms", std::to_string(pause.count())}});
        co_await (timer_.sleep_until(timer_.now() + pause) || stopped_.wait());
    }
}

awaitable<std::string> Keeper::tend(Child& child) {
    auto last_sign = timer_.now();
    bool killed = false;
    for (;;) {
        const auto patience = killed ? TimePoint::max() : last_sign + options_.hang;
        auto happened = co_await (child.ended() || child.wrote() || timer_.sleep_until(patience));
        if (happened.index() == 0) {
            co_return killed ? "hung and was killed" : std::get<0>(std::move(happened));
        }
        if (happened.index() == 1) {
            child.read();
            last_sign = timer_.now();
            continue;
        }
        log::error("worker shows no life, killing it", {{"device", device_}});
        child.signal(SIGKILL);
        killed = true;
    }
}

}  // namespace plimsoll::worker
