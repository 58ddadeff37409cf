#pragma once

#include "server/base/awaitable.hpp"
#include "server/http/wire/listener_state.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

namespace plimsoll::http {

// Serves one client until it disconnects, violates the protocol or is too slow: read → application
// → write, one request at a time, so pipelined requests are answered in order.
awaitable<void> serve_plain(boost::asio::ip::tcp::socket socket, std::string address,
                            ListenerState& state);
awaitable<void> serve_tls(boost::asio::ip::tcp::socket socket, std::string address,
                          boost::asio::ssl::context& tls, ListenerState& state);

}  // namespace plimsoll::http
