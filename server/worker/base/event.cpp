#include "server/worker/base/event.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::worker {

namespace asio = boost::asio;

Event::Event(const asio::any_io_executor& executor)
    : timer_(executor, asio::steady_timer::time_point::max()) {}

void Event::set() {
    set_ = true;
    timer_.cancel();
}

asio::awaitable<void> Event::wait() {
    // Awaiting again in a cancelled coroutine throws, which ends the loop.
    while (!set_) co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    set_ = false;
}

}  // namespace plimsoll::worker
