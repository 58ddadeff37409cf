#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"
#include "server/outbound/target.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <tl/expected.hpp>

namespace boost::asio {
class thread_pool;
namespace ssl {
class context;
}
}  // namespace boost::asio

namespace plimsoll::outbound {

// The target of a request. The certificate must match `host`.
struct Destination {
    bool tls = true;
    std::string host;  // a name or an address, an IPv6 address without brackets
    std::string port;
};

using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;
using AllowAddress = std::function<bool(const boost::asio::ip::address&)>;
using Request = boost::beast::http::request<boost::beast::http::string_body>;

// The handling of a response. Without `wants_body`, reading stops after the head.
struct Receiver {
    std::function<bool(int status)> wants_body;
    // Takes the body piece by piece as it arrives; an error ends the exchange.
    std::function<Result<void>(std::string_view piece)> body;
    std::uint64_t max_bytes = 1 << 20;  // of the body
};

// Verifies certificates with the system's authorities and those of the PEM file `authorities`,
// which may be empty. TLS 1.2 and above. Errc::invalid_input names the file if it cannot be used.
Result<std::unique_ptr<boost::asio::ssl::context>> verifying_context(
    const std::string& authorities = {});

// Resolves the host once. Errc::unavailable: it cannot be resolved (the message is the system's
// reason); Errc::forbidden: one of its addresses is not allowed. Blocks.
Result<Endpoints> resolve(const Destination& destination, const AllowAddress& allowed);

// Connects to the first endpoint that accepts, sends the request, and returns the response's
// status. Redirects are not followed, and environment proxies are not used. Has no time limit of
// its own: cancel it. Errc::unavailable: connection or protocol failed (the message is only the
// reason, "Connection refused"); Errc::too_large: the body; else an error of `receiver.body`.
awaitable<Result<int>> exchange(const Destination& destination, const Endpoints& endpoints,
                                const Request& request, boost::asio::ssl::context& tls,
                                const Receiver& receiver = {});

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
    awaitable<tl::expected<int, Failure>> send(Target target, Request request,
                                               Receiver receiver = {},
                                               std::chrono::milliseconds time = kTime) const;

  private:
    AllowList allowed_;
    std::unique_ptr<boost::asio::ssl::context> tls_;
    std::unique_ptr<boost::asio::thread_pool> names_;
};

}  // namespace plimsoll::outbound
