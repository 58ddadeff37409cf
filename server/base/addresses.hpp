#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

namespace plimsoll {

// Whether an address is on the public internet: not loopback, private, link-local, shared,
// multicast, documentation or reserved, in any notation.
bool is_public(const boost::asio::ip::address& address);

// ::ffff:10.0.0.1 is 10.0.0.1 to the kernel.
boost::asio::ip::address unmapped(const boost::asio::ip::address& address);

bool contains(const boost::asio::ip::network_v4& network,
              const boost::asio::ip::address_v4& address);
bool contains(const boost::asio::ip::network_v6& network,
              const boost::asio::ip::address_v6& address);

}  // namespace plimsoll
