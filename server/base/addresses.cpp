#include "server/base/addresses.hpp"

#include <algorithm>
#include <array>

namespace plimsoll {

namespace ip = boost::asio::ip;

namespace {

// IANA's registries of special-purpose addresses (RFC 6890 and its successors): everything that is
// not globally reachable, and multicast.
constexpr std::array kSpecialV4 = {
    "0.0.0.0/8",     "10.0.0.0/8",      "100.64.0.0/10",  "127.0.0.0/8",    "169.254.0.0/16",
    "172.16.0.0/12", "192.0.0.0/24",    "192.0.2.0/24",   "192.88.99.0/24", "192.168.0.0/16",
    "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",    "240.0.0.0/4",
};
// Of IPv6, only global unicast addresses, except those that embed IPv4 addresses (Teredo, 6to4;
// NAT64 and mapped ones are outside of it) and those for documentation.
constexpr const char* kGlobalV6 = "2000::/3";
constexpr std::array kSpecialV6 = {"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"};

}  // namespace

bool contains(const ip::network_v4& network, const ip::address_v4& address) {
    return ip::network_v4(address, network.prefix_length()).canonical() == network.canonical();
}
bool contains(const ip::network_v6& network, const ip::address_v6& address) {
    return ip::network_v6(address, network.prefix_length()).canonical() == network.canonical();
}

ip::address unmapped(const ip::address& address) {
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
        return ip::make_address_v4(ip::v4_mapped, address.to_v6());
    }
    return address;
}

bool is_public(const ip::address& given) {
    const auto address = unmapped(given);
    if (address.is_v4()) {
        return std::ranges::none_of(kSpecialV4, [&](const char* network) {
            return contains(ip::make_network_v4(network), address.to_v4());
        });
    }
    return contains(ip::make_network_v6(kGlobalV6), address.to_v6()) &&
           std::ranges::none_of(kSpecialV6, [&](const char* network) {
               return contains(ip::make_network_v6(network), address.to_v6());
           });
}

}  // namespace plimsoll
