#include "server/worker/base/timer.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::worker {

namespace asio = boost::asio;

TimePoint SteadyTimer::now() const {
    return std::chrono::steady_clock::now();
}

awaitable<void> SteadyTimer::sleep_until(TimePoint until) {
    asio::steady_timer timer(co_await asio::this_coro::executor, until);
    co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace plimsoll::worker
