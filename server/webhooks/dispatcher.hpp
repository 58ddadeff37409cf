#pragma once

#include "server/webhooks/sender.hpp"
#include "server/webhooks/store.hpp"

#include <functional>
#include <memory>

namespace plimsoll::webhooks {

// The duty of one `serve` that sends what is due, some at a time. Any number of servers may run it:
// each attempt is handed to one of them, and handed out again when that one does not say what came
// of it. So a notice may arrive twice and is never lost. On the executor's one thread.
class Dispatcher {
  public:
    using Random = std::function<double()>;  // in [0, 1)

    // `queue` and `clock` must outlive it.
    Dispatcher(boost::asio::any_io_executor executor, DeliveryQueue& queue, Sender sender,
               const Clock& clock, Random random);
    ~Dispatcher();

    void start();
    // Gives up what is on its way.
    void stop();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace plimsoll::webhooks
