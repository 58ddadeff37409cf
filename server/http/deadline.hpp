#pragma once

#include <chrono>
#include <memory>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace plimsoll::http {

// Cancels what a socket does when time is over. The socket stays open, so that the client can
// still be told why.
class Deadline {
  public:
    explicit Deadline(boost::asio::ip::tcp::socket& socket)
        : state_(std::make_shared<State>(socket)) {}
    ~Deadline() { disarm(); }
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;

    void arm(std::chrono::milliseconds time) {
        state_->passed = false;
        state_->timer.expires_after(time);
        const auto turn = ++state_->turn;
        state_->timer.async_wait([state = state_, turn](boost::system::error_code error) {
            // A timer that fired just before it was armed anew or disarmed still comes here.
            if (error || turn != state->turn) return;
            state->passed = true;
            state->socket.cancel(error);
        });
    }
    void disarm() {
        ++state_->turn;
        state_->timer.cancel();
    }
    bool passed() const { return state_->passed; }

  private:
    struct State {
        explicit State(boost::asio::ip::tcp::socket& s) : socket(s), timer(s.get_executor()) {}
        boost::asio::ip::tcp::socket& socket;
        boost::asio::steady_timer timer;
        unsigned turn = 0;
        bool passed = false;
    };
    std::shared_ptr<State> state_;
};

}  // namespace plimsoll::http
