#pragma once

#include "server/postgres/driver/connection.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace plimsoll::postgres {

// The one LISTENing connection of a process, reopened if it breaks. Notifications can be lost
// (while disconnected, or behind a proxy), so there is a poll as a fallback: subscribers are also
// told to check again at every tick and after every reconnect. Needs a direct connection or a
// session-pinned proxy connection. Single-threaded like Connection.
class Listener {
  public:
    struct Subscriber {
        std::string channel;  // a plain identifier
        std::function<void(std::string_view payload)> notified;
        // Called when notifications may have been lost.
        std::function<void()> look_again;
    };

    Listener(asio::any_io_executor executor, Target target, std::chrono::milliseconds poll);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // Before start().
    void subscribe(Subscriber subscriber);
    void start();
    void stop();

    // Whether notifications arrive now.
    bool is_listening() const { return listening_; }

  private:
    awaitable<void> open();
    void reopen_later();
    void tick();
    awaitable<bool> listen();
    void look_again();

    asio::any_io_executor executor_;
    Target target_;
    std::chrono::milliseconds poll_;
    std::vector<Subscriber> subscribers_;
    std::shared_ptr<Connection> connection_;
    asio::steady_timer ticker_;
    asio::steady_timer pause_;
    Backoff backoff_ = reconnect_backoff();
    // Expires with the listener; handlers that outlive it check this.
    std::shared_ptr<Listener*> alive_;
    bool listening_ = false;
};

}  // namespace plimsoll::postgres
