#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace plimsoll::http {

// Cancels a socket's operations at a deadline. The socket stays open so that the client can still
// receive the reason. Most deadlines are set and cleared several times per request without
// expiring, so the timer is not reset each time: when it fires, it checks whether the deadline has
// moved.
class Deadline {
  public:
    explicit Deadline(boost::asio::ip::tcp::socket& socket)
        : state_(std::make_shared<State>(socket)) {}
    ~Deadline() {
        disarm();
        state_->timer.cancel();
    }
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;

    // `more`, asked at the deadline, is by how much it is put off; zero: it has passed.
    void arm(std::chrono::milliseconds time, std::function<std::chrono::milliseconds()> more = {}) {
        state_->passed = false;
        state_->more = std::move(more);
        state_->due = Clock::now() + time;
        if (state_->due < state_->wakes_at) wait(state_);
    }
    void disarm() { state_->due = Clock::time_point::max(); }
    bool passed() const { return state_->passed; }

  private:
    using Clock = std::chrono::steady_clock;

    struct State {
        explicit State(boost::asio::ip::tcp::socket& s) : socket(s), timer(s.get_executor()) {}
        boost::asio::ip::tcp::socket& socket;
        boost::asio::steady_timer timer;
        Clock::time_point due = Clock::time_point::max();
        Clock::time_point wakes_at = Clock::time_point::max();
        std::function<std::chrono::milliseconds()> more;
        bool passed = false;
    };

    static void wait(const std::shared_ptr<State>& state) {
        state->wakes_at = state->due;
        state->timer.expires_at(state->due);
        state->timer.async_wait([state](boost::system::error_code cancelled) {
            // A superseded wait: an earlier one replaced it.
            if (cancelled || Clock::now() < state->wakes_at) return;
            state->wakes_at = Clock::time_point::max();
            if (state->due == Clock::time_point::max()) return;
            if (Clock::now() >= state->due && state->more) state->due += state->more();
            if (Clock::now() < state->due) return wait(state);
            state->passed = true;
            state->socket.cancel(cancelled);
        });
    }

    std::shared_ptr<State> state_;
};

}  // namespace plimsoll::http
