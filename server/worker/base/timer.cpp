#include "server/worker/base/timer.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::worker {

namespace asio = boost::asio;

TimePoint SteadyTimer::now() const { return std::chrono::steady_clock::now(); }

awaitable<void> SteadyTimer::sleep_until(TimePoint until) {
    asio::steady_timer timer(co_await asio::this_coro::executor, until);
    co_await timer.async_wait(asio::use_awaitable);
}

Event::Event(const asio::any_io_executor& executor)
    : timer_(executor, asio::steady_timer::time_point::max()) {}

void Event::set() {
    set_ = true;
    timer_.cancel();
}

awaitable<void> Event::wait() {
    while (!set_) {
        co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
        const auto state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) co_return;
    }
    set_ = false;
}

}  // namespace plimsoll::worker
