#pragma once

#include "server/webhooks/sender.hpp"
#include "server/webhooks/store.hpp"

#include <functional>
#include <memory>

namespace plimsoll::webhooks {

// The duty of `serve` that sends due notices, several at a time. Any number of servers may run it:
// each attempt is leased to one of them and handed out again if that server does not report a
// result. A notice may therefore arrive twice but is never lost. Single-threaded, on the executor.
class Dispatcher {
  public:
    using Random = std::function<double()>;  // in [0, 1)

    // `queue` and `clock` must outlive it.
    Dispatcher(boost::asio::any_io_executor executor, DeliveryQueue& queue, Sender sender,
               const Clock& clock, Random random);
    ~Dispatcher();

    void start();
    // Abandons attempts in progress.
    void stop();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace plimsoll::webhooks
