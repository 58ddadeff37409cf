#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

namespace boost::asio::ssl {
class context;
}

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
    std::uint64_t most_bytes = 1 << 20;  // of the body
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
boost::asio::awaitable<Result<int>> exchange(const Destination& destination,
                                             const Endpoints& endpoints, const Request& request,
                                             boost::asio::ssl::context& tls,
                                             const Receiver& receiver = {});

}  // namespace plimsoll::outbound
