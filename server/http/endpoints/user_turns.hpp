#pragma once

#include "server/base/awaitable.hpp"
#include "server/base/id.hpp"

#include <map>
#include <memory>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace plimsoll::http::endpoints {

// One turn per user at a time; others of the same user wait, first come, first served. A request
// that a user repeats many times at once then costs other users no more than a single one.
// Single-threaded.
class UserTurns {
    using Channel =
        boost::asio::experimental::channel<void(boost::system::error_code)>;  // full: a turn is on

  public:
    class Turn {
      public:
        explicit Turn(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) {}
        Turn(Turn&&) = default;
        Turn& operator=(Turn&&) = delete;
        ~Turn() {
            if (channel_) channel_->try_receive([](boost::system::error_code) {});
        }

      private:
        std::shared_ptr<Channel> channel_;  // none: moved from
    };

    // The turns of one user; may outlive the UserTurns.
    class Queue {
      public:
        explicit Queue(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) {}

        awaitable<Turn> wait() {
            co_await channel_->async_send({}, boost::asio::use_awaitable);
            co_return Turn(channel_);
        }

      private:
        std::shared_ptr<Channel> channel_;
    };

    Queue of(UserId user, const boost::asio::any_io_executor& executor) {
        std::erase_if(channels_, [](const auto& entry) { return entry.second.expired(); });
        auto channel = channels_[user].lock();
        if (!channel) {
            channel = std::make_shared<Channel>(executor, 1);
            channels_[user] = channel;
        }
        return Queue(std::move(channel));
    }

  private:
    std::map<UserId, std::weak_ptr<Channel>> channels_;
};

}  // namespace plimsoll::http::endpoints
