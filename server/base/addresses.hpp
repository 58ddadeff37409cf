#pragma once

#include "engine/base/result.hpp"

#include <optional>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <boost/url/url.hpp>

namespace plimsoll {

// Whether an address is on the public internet: not loopback, private, link-local, shared,
// multicast, documentation or reserved, in any notation.
bool is_public(const boost::asio::ip::address& address);

// ::ffff:10.0.0.1 is 10.0.0.1 to the kernel.
boost::asio::ip::address unmapped(const boost::asio::ip::address& address);

// Addresses that an operator lists.
class Networks {
  public:
    // "10.1.2.0/24, fd00::/8, 192.0.2.7": networks and single addresses, separated by commas.
    // Errc::invalid_input names the entry; its message completes "<setting> …".
    static Result<Networks> parse(std::string_view list);

    bool empty() const { return v4_.empty() && v6_.empty(); }
    bool contain(const boost::asio::ip::address& address) const;

  private:
    std::vector<boost::asio::ip::network_v4> v4_;
    std::vector<boost::asio::ip::network_v6> v6_;
};

// An absolute URL with a host; nullopt if `text` is not one, or if its host is percent-encoded.
std::optional<boost::urls::url> parse_url(std::string_view text);

}  // namespace plimsoll
