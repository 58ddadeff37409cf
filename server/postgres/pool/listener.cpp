#include "server/postgres/pool/listener.hpp"

#include "server/base/log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace plimsoll::postgres {
namespace {

constexpr std::chrono::seconds kTimeout{3};  // to connect, and for a LISTEN to be answered

}  // namespace

Listener::Listener(asio::any_io_executor executor, Target target, std::chrono::milliseconds poll)
    : executor_(std::move(executor)),
      target_(std::move(target)),
      poll_(poll),
      ticker_(executor_),
      pause_(executor_) {}

Listener::~Listener() { stop(); }

void Listener::subscribe(Subscriber subscriber) { subscribers_.push_back(std::move(subscriber)); }

void Listener::start() {
    alive_ = std::make_shared<Listener*>(this);
    asio::co_spawn(executor_, open(), asio::detached);
    tick();
}

void Listener::stop() {
    alive_.reset();
    ticker_.cancel();
    pause_.cancel();
    if (connection_) connection_->close();
    connection_.reset();
    listening_ = false;
}

awaitable<void> Listener::open() {
    const auto alive = std::weak_ptr(alive_);
    auto handle = co_await connect(target_, std::chrono::steady_clock::now() + kTimeout);
    if (alive.expired()) co_return;
    if (!handle) co_return reopen_later();
    auto lost = [this](const Error& reason) {
        log::warn("the listening connection broke", {{"reason", reason.message}});
        connection_.reset();
        listening_ = false;
        reopen_later();
    };
    connection_ = Connection::over(executor_, std::move(*handle), std::move(lost));
    connection_->on_notification([this](std::string_view channel, std::string_view payload) {
        for (const Subscriber& subscriber : subscribers_)
            if (subscriber.channel == channel) subscriber.notified(payload);
    });
    if (co_await listen()) {
        backoff_.reset();
        listening_ = true;
        look_again();
    }
}

// Also the ping of an idle connection: a repeated LISTEN changes nothing, and a missing response by
// the deadline ends the connection.
awaitable<bool> Listener::listen() {
    const auto alive = std::weak_ptr(alive_);
    const auto connection = connection_;
    std::vector<std::string> texts;
    texts.reserve(subscribers_.size());
    Batch batch;
    for (const Subscriber& subscriber : subscribers_) {
        texts.push_back("listen " + subscriber.channel);
        batch.push_back(Statement::of(Query{"listen", texts.back().c_str()}));
    }
    auto answered =
        co_await connection->run(std::move(batch), std::chrono::steady_clock::now() + kTimeout);
    if (alive.expired()) co_return false;
    if (!answered && connection->is_open()) {
        log::error("LISTEN was refused", {{"reason", answered.error().message}});
        connection->close();
        connection_.reset();
        reopen_later();
    }
    co_return answered.has_value();
}

void Listener::reopen_later() {
    pause_.expires_after(backoff_.next());
    pause_.async_wait([this, alive = std::weak_ptr(alive_)](boost::system::error_code aborted) {
        if (!aborted && !alive.expired()) asio::co_spawn(executor_, open(), asio::detached);
    });
}

void Listener::tick() {
    ticker_.expires_after(poll_);
    ticker_.async_wait([this, alive = std::weak_ptr(alive_)](boost::system::error_code aborted) {
        if (aborted || alive.expired()) return;
        if (listening_) asio::co_spawn(executor_, listen(), [](std::exception_ptr, bool) {});
        look_again();
        tick();
    });
}

void Listener::look_again() {
    for (const Subscriber& subscriber : subscribers_) subscriber.look_again();
}

}  // namespace plimsoll::postgres
