#include "tests/conformance/stores.hpp"

namespace plimsoll::conformance {

ServerStores::ServerStores(asio::any_io_executor executor, const postgres::Target& target,
                           std::chrono::milliseconds poll)
    : calls_(executor, target),
      listener_(executor, target, poll),
      jobs_(executor, calls_),
      signals_(executor, listener_),
      duties_(calls_),
      identity_(calls_) {
    calls_.start();
    listener_.start();
}

ServerStores::~ServerStores() {
    listener_.stop();
    calls_.stop();
}

WorkerStores::WorkerStores(asio::any_io_executor executor, const postgres::Target& target)
    : calls_(executor, target, {.connections = 1}),
      listener_(executor, target, kPoll),
      worker_(executor, calls_, listener_) {
    calls_.start();
    listener_.start();
}

WorkerStores::~WorkerStores() {
    listener_.stop();
    calls_.stop();
}

}  // namespace plimsoll::conformance
