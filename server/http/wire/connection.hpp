#pragma once

#include "server/http/wire/front.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

namespace plimsoll::http {

// Serves one client until it leaves, breaks the protocol or is too slow: read → application →
// write, one request after the other, so pipelined requests are answered in their order.
boost::asio::awaitable<void> serve_plain(boost::asio::ip::tcp::socket socket, Front& front);
boost::asio::awaitable<void> serve_tls(boost::asio::ip::tcp::socket socket,
                                       boost::asio::ssl::context& tls, Front& front);

}  // namespace plimsoll::http
