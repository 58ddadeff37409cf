#pragma once

#include <string>

namespace plimsoll::http {

// Where a client comes from, as limits count it: an IPv4 address, or the /64 of an IPv6 address,
// which is what one customer of a provider has at least. `address`: numeric; anything else is
// returned as it is.
std::string network_of(const std::string& address);

}  // namespace plimsoll::http
