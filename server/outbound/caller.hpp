#pragma once

#include "server/outbound/exchange.hpp"
#include "server/outbound/target.hpp"

#include <chrono>
#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <tl/expected.hpp>

namespace boost::asio {
class thread_pool;
namespace ssl {
class context;
}
}  // namespace boost::asio

namespace plimsoll::outbound {

// Sends requests to allowed origins and addresses only, without redirects, each bounded in time and
// size. Single-threaded, on its caller's executor. Names are resolved on threads of its own: silent
// name servers of one Caller do not delay others.
class Caller {
  public:
    // From the resolved name to the end of the response. (Name resolution has its own limit.)
    static constexpr std::chrono::milliseconds kTime{10'000};

    // Why there is no response.
    enum class Obstacle {
        origin,   // not allowed
        address,  // the name resolves to one that is not allowed
        name,     // cannot be resolved
        time,     // no response in time
        size,     // the body of the response is longer than the receiver takes
        exchange  // the connection or the protocol failed, or the receiver refused the body
    };
    struct Failure {
        Obstacle obstacle;
        std::string reason;  // of `name` and `exchange`, without a full stop
    };

    // `lookups`: names that are resolved at once.
    Caller(AllowList allowed, std::unique_ptr<boost::asio::ssl::context> tls,
           std::size_t lookups = 1);
    Caller(Caller&&) noexcept;
    ~Caller();

    const AllowList& allowed() const { return allowed_; }
    // The status of the response. Adds the fields Host and Connection.
    boost::asio::awaitable<tl::expected<int, Failure>> send(
        Target target, Request request, Receiver receiver = {},
        std::chrono::milliseconds time = kTime) const;

  private:
    AllowList allowed_;
    std::unique_ptr<boost::asio::ssl::context> tls_;
    std::unique_ptr<boost::asio::thread_pool> names_;
};

}  // namespace plimsoll::outbound
