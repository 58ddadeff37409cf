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

// Sends requests to allowed origins and addresses only, without redirects, each bounded in time.
// Single-threaded, on its caller's executor. Names are resolved on a thread of its own, so that
// silent name servers of one Caller do not delay others.
class Caller {
  public:
    // From the resolved name to the end of the response. (Name resolution has its own limit.)
    static constexpr std::chrono::seconds kTime{10};

    // Why there is no response.
    enum class Obstacle {
        origin,   // not allowed
        address,  // the name resolves to one that is not allowed
        name,     // cannot be resolved
        time,     // no response within kTime
        exchange  // the connection or the protocol failed, or the receiver refused the body
    };
    struct Failure {
        Obstacle obstacle;
        std::string reason;  // of `name` and `exchange`, without a full stop
    };

    Caller(AllowList allowed, std::unique_ptr<boost::asio::ssl::context> tls);
    Caller(Caller&&) noexcept;
    ~Caller();

    const AllowList& allowed() const { return allowed_; }
    // The status of the response. Adds the fields Host and Connection.
    boost::asio::awaitable<tl::expected<int, Failure>> send(Target target, Request request,
                                                            Receiver receiver = {}) const;

  private:
    AllowList allowed_;
    std::unique_ptr<boost::asio::ssl::context> tls_;
    std::unique_ptr<boost::asio::thread_pool> names_;
};

}  // namespace plimsoll::outbound
